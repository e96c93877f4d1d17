import * as z from "zod";
import { familyOf } from "../../../../kernel/index.ts";
import type { DebateRecord, DebateRound } from "../../protocol/debate/view/record.ts";
import { sumKnown } from "../../../../stats/numbers.ts";
import { withoutBanner } from "../../../../views/simulated.ts";

// What is absent is unknown, and null; what is present and used must be valid, or the file is refused.

/** No real debate has more rounds or agents than this. */
const MAX_ROUNDS = 100;
const MAX_AGENTS = 100;

const text = z.string();
const figure = z.number().nonnegative();
const time = z.iso.datetime({ offset: true });

const metadata = { tokensUsed: figure.nullish(), latencyMs: figure.nullish(), model: text.nullish() };

const DialecticContribution = z
  .object({
    agentId: text,
    agentRole: text.nullish(),
    type: z.enum(["proposal", "critique", "refinement"]),
    content: text,
    targetAgentId: text.nullish(),
    metadata: z
      .object({
        ...metadata,
        toolCalls: z.array(z.object({ id: text, name: text, arguments: text })).nullish(),
        toolResults: z.array(z.object({ tool_call_id: text, content: text })).nullish(),
      })
      .nullish(),
  })
  .refine(({ type, targetAgentId }) => type !== "critique" || typeof targetAgentId === "string", {
    path: ["targetAgentId"],
    message: "a critique names whom it criticizes",
  });
type DialecticContribution = z.infer<typeof DialecticContribution>;

const Summary = z.object({
  agentId: text,
  agentRole: text.nullish(),
  summary: text,
  metadata: z.object({
    ...metadata,
    beforeChars: figure,
    afterChars: figure,
    method: text,
    temperature: z.number().nullish(),
  }),
});

const DialecticRound = z.object({
  roundNumber: z.int().positive(),
  contributions: z.array(DialecticContribution),
  summaries: z.record(text, Summary).nullish(),
});
type DialecticRound = z.infer<typeof DialecticRound>;

const texts = z.array(text).nullish();

/** A "debate state" as Dialectic 0.7 writes it, as far as it is used. */
const DialecticState = z.object({
  id: text.min(1),
  problem: text,
  status: text,
  rounds: z
    .array(DialecticRound)
    .max(MAX_ROUNDS)
    .refine((rounds) => new Set(rounds.map(({ roundNumber }) => roundNumber)).size === rounds.length, {
      message: "two rounds have one number",
    }),
  createdAt: time,
  updatedAt: time.nullish(),
  clarifications: z
    .array(
      z.object({
        agentId: text,
        agentName: text.nullish(),
        role: text.nullish(),
        items: z.array(z.object({ id: text, question: text, answer: text.nullish() })),
      }),
    )
    .nullish(),
  judgeSummary: Summary.nullish(),
  finalSolution: z
    .object({
      description: text,
      tradeoffs: texts,
      recommendations: texts,
      unfulfilledMajorRequirements: texts,
      openQuestions: texts,
      confidence: z.number().min(0).max(100).nullish(),
      /** Parley's, beside what Dialectic has. */
      capped: z.object({ said: z.number().min(0).max(100), why: text }).nullish(),
      synthesizedBy: text.nullish(),
    })
    .nullish(),
  promptSources: z
    .object({
      agents: z.array(z.object({ agentId: text, role: text.nullish() })).nullish(),
      judge: z.object({ id: text }).nullish(),
    })
    .nullish(),
});
type DialecticState = z.infer<typeof DialecticState>;

/**
 * Reads a result file of Dialectic's from its parsed JSON, or says in one line what is wrong with it and where. What the file
 * does not say is null.
 */
export function dialecticRecord(
  json: unknown,
): { readonly ok: true; readonly record: DebateRecord } | { readonly ok: false; readonly reason: string } {
  const read = DialecticState.safeParse(json);
  if (!read.success) return { ok: false, reason: describeIssue(read.error) };
  const state = read.data;
  const agents = agentsOf(state);
  if (agents.length > MAX_AGENTS)
    return { ok: false, reason: `it has ${agents.length} agents, more than ${MAX_AGENTS}` };
  const seats = new Map(agents.map(({ id }, seat) => [id, seat]));
  const ordered = state.rounds.toSorted((a, b) => a.roundNumber - b.roundNumber);
  const solution = state.finalSolution ?? null;
  const clarifications = state.clarifications ?? [];
  const rounds = ordered.map((round, index) =>
    roundOf(round, { seats, closed: index < ordered.length - 1 || solution !== null }),
  );
  const judgeSummary = state.judgeSummary ? toSummary(state.judgeSummary) : null;
  const judge = judgeOf(state);
  const synthesis = solution && {
    ...usageIn(null),
    by: solution.synthesizedBy ?? judge?.id ?? "judge",
    text: solution.description,
    confidence: solution.confidence ?? null,
    ...(solution.capped ? { capped: solution.capped } : {}),
    tradeoffs: solution.tradeoffs ?? [],
    recommendations: solution.recommendations ?? [],
    unfulfilledMajorRequirements: solution.unfulfilledMajorRequirements ?? [],
    openQuestions: solution.openQuestions ?? [],
  };
  const tokens = solution || clarifications.length > 0 ? null : (judgeSummary?.tokens ?? 0);
  return {
    ok: true,
    record: {
      id: state.id,
      source: "dialectic",
      problem: state.problem,
      status: state.status,
      simulated: isSimulated([...rounds.flatMap(textsIn), judgeSummary, synthesis]),
      startedAt: state.createdAt,
      endedAt: solution ? (state.updatedAt ?? null) : null,
      agents,
      judge,
      requirements: null,
      clarifications: clarifications.flatMap(({ agentId, items }) =>
        items.map(({ id, question, answer }) => ({ by: agentId, id, question, answer: answer ?? null })),
      ),
      rounds,
      judgeSummary,
      synthesis,
      degraded: rounds.flatMap(findMissing),
      outside: { calls: null, tokens, usd: null },
      calls: null,
      tokens: sumKnown([tokens, ...rounds.map((round) => round.tokens)]),
      usd: null,
    },
  };
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  const place = (issue?.path ?? []).map(String).join(".");
  return `${place === "" ? "" : `${place}: `}${issue?.message ?? "it is not valid"}`.slice(0, 400);
}

type RecordAgent = DebateRecord["agents"][number];

/** The agents that the file lists, then others that wrote in it. */
function agentsOf({ promptSources, clarifications, rounds }: DialecticState): RecordAgent[] {
  const contributions = rounds.flatMap((round) => round.contributions);
  const questions = clarifications ?? [];
  const listed = promptSources?.agents ?? [];
  const roles = new Map(
    [
      ...contributions.map(({ agentId, agentRole }) => [agentId, agentRole] as const),
      ...[...questions, ...listed].map(({ agentId, role }) => [agentId, role] as const),
    ].filter(([, role]) => typeof role === "string"),
  );
  const ids = new Set([...listed, ...questions, ...contributions].map(({ agentId }) => agentId));
  return [...ids].map((id) => {
    const own = contributions.filter(({ agentId }) => agentId === id);
    // An agent that changed its model has none here; each of its texts names its own.
    const [model = null, ...others] = new Set(own.flatMap(({ metadata: given }) => given?.model || []));
    const name = questions.find(({ agentId }) => agentId === id)?.agentName ?? id;
    return toAgent({ id, name, role: roles.get(id) ?? null, model: others.length > 0 ? null : model });
  });
}

function judgeOf({ promptSources, finalSolution, judgeSummary }: DialecticState): RecordAgent | null {
  const id = finalSolution?.synthesizedBy ?? judgeSummary?.agentId ?? promptSources?.judge?.id;
  if (typeof id !== "string") return null;
  return toAgent({
    id,
    name: id,
    role: judgeSummary?.agentRole ?? null,
    model: judgeSummary?.metadata.model ?? null,
  });
}

const toAgent = (agent: Pick<RecordAgent, "id" | "name" | "role" | "model">): RecordAgent => ({
  ...agent,
  // Files name models with their router's vendor, or bare.
  family: agent.model === null ? null : (familyOf(agent.model) ?? familyOf(`any/${agent.model}`)),
  temperature: null,
});

function roundOf(
  { roundNumber, contributions, summaries }: DialecticRound,
  { seats, closed }: { readonly seats: ReadonlyMap<string, number>; readonly closed: boolean },
): DebateRound {
  const seat = (id: string) => seats.get(id) ?? seats.size;
  const of = (type: DialecticContribution["type"]) =>
    contributions
      .filter((one) => one.type === type)
      .sort((a, b) => seat(a.agentId) - seat(b.agentId) || seat(targetOf(a)) - seat(targetOf(b)));
  const made = Object.values(summaries ?? {})
    .sort((a, b) => seat(a.agentId) - seat(b.agentId))
    .map(toSummary);
  return {
    round: roundNumber,
    closed,
    confidence: null,
    confidenceReason: null,
    summaries: made,
    proposals: of("proposal").map((one) => {
      // How the file says that nothing was asked: the text is the refinement of the round before.
      const carried = roundNumber > 1 && one.metadata?.tokensUsed === 0 && one.metadata.latencyMs === 0;
      return { ...toContribution(one), usd: carried ? 0 : null, coverage: null, carried };
    }),
    critiques: of("critique").map((one) => ({ ...toContribution(one), of: targetOf(one) })),
    refinements: of("refinement").map((one) => ({ ...toContribution(one), coverage: null })),
    tools: [...contributions].sort((a, b) => seat(a.agentId) - seat(b.agentId)).flatMap(toolsOf),
    calls: null,
    tokens: sumKnown([...made, ...contributions.map(toContribution)].map(({ tokens }) => tokens)),
    usd: null,
  };
}

const textsIn = ({ summaries, proposals, critiques, refinements }: DebateRound) =>
  [summaries, proposals, critiques, refinements].flat();

const targetOf = ({ targetAgentId }: DialecticContribution): string => targetAgentId ?? "";

/** Dialectic records neither prices nor the calls that failed. */
const usageIn = (recorded: DialecticContribution["metadata"]) => ({
  model: recorded?.model ?? null,
  tokens: recorded?.tokensUsed ?? null,
  usd: null,
  latencyMs: recorded?.latencyMs ?? null,
});

const toContribution = ({ agentId, content, metadata: recorded }: DialecticContribution) => ({
  by: agentId,
  text: content,
  ...usageIn(recorded),
});

const toSummary = ({ agentId, summary, metadata: recorded }: z.infer<typeof Summary>) => ({
  for: agentId,
  method: recorded.method,
  text: summary,
  charactersBefore: recorded.beforeChars,
  charactersAfter: recorded.afterChars,
  temperature: recorded.temperature ?? null,
  ...usageIn(recorded),
});

function toolsOf({
  agentId,
  type,
  targetAgentId,
  metadata: given,
}: DialecticContribution): DebateRound["tools"] {
  const results = new Map((given?.toolResults ?? []).map((one) => [one.tool_call_id, one.content]));
  return (given?.toolCalls ?? []).map(({ id, name, arguments: asked }) => ({
    by: agentId,
    during: null,
    kind: type,
    of: targetAgentId ?? null,
    tool: name,
    arguments: asked,
    result: results.get(id) ?? null,
  }));
}

const MAX_NAMED = 5;

/** In a round that ended, every agent criticized every other; Dialectic drops critiques that failed silently. */
function findMissing({ round, closed, proposals, critiques }: DebateRound): DebateRecord["degraded"] {
  if (!closed) return [];
  const given = new Set(critiques.map(({ by, of }) => JSON.stringify([by, of])));
  const ids = [...new Set(proposals.map(({ by }) => by))];
  const pairs = ids.flatMap((by) => ids.filter((of) => of !== by).map((of) => ({ by, of })));
  const missing = pairs.filter(({ by, of }) => !given.has(JSON.stringify([by, of])));
  if (missing.length === 0) return [];
  const named = missing.slice(0, MAX_NAMED).map(({ by, of }) => `${by} of ${of}`);
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
  return [
    {
      what: `critiques in round ${round}`,
      why: `${missing.length} of ${pairs.length} are not in the file, which does not say why: ${named.join(", ")}${more}`,
    },
  ];
}

/** Whether a model's name, or the mark at the beginning of a text, says that it is simulated. */
const isSimulated = (said: readonly ({ readonly text: string; readonly model: string | null } | null)[]) =>
  said.some((one) => one && (one.model?.startsWith("sim/") || withoutBanner(one.text) !== one.text));
