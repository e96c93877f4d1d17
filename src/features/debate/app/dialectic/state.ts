import { isEvent, workOf, type Entry } from "../../../../kernel/index.ts";
import { debateRecord } from "../../protocol/debate/view/debated.ts";
import type { DebateRecord, DebateRound } from "../../protocol/debate/view/record.ts";

// What is written here is read again by `dialecticRecord` as the same debate; prices, and which reply called a tool, have no place there.

/** The statuses of Dialectic; a debate that waits for answers is under way there. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ["open", "running"],
  ["waiting", "running"],
  ["answered", "completed"],
  ["answered-degraded", "completed"],
]);

/**
 * A debate as Dialectic 0.7 writes its state, from all entries in order; `context` are the texts that went with the problem.
 * @throws RangeError for entries of anything but a debate
 */
export function dialecticState(
  entries: readonly Entry[],
  context: readonly { readonly name: string; readonly text: string }[] = [],
) {
  const record = debateRecord(entries);
  const { problem, rounds, synthesis, judge, judgeSummary, clarifications } = record;
  const roles = new Map([...record.agents, ...(judge ? [judge] : [])].map(({ id, role }) => [id, role]));
  const times = timesIn(entries);
  const toSummary = (one: DebateRound["summaries"][number], round: number | undefined) => ({
    agentId: one.for,
    agentRole: roles.get(one.for) ?? undefined,
    summary: one.text,
    metadata: {
      beforeChars: one.charactersBefore,
      afterChars: one.charactersAfter,
      method: one.method,
      timestamp: times.summary(one.for, round),
      ...usage(one),
      temperature: one.temperature ?? undefined,
      provider: one.model?.split("/")[0],
    },
  });
  return {
    id: record.id,
    problem,
    context:
      context.length > 0 ? context.map(({ name, text }) => `${name}:\n\n${text}`).join("\n\n") : undefined,
    status: STATUSES.get(record.status) ?? "failed",
    currentRound: rounds.at(-1)?.round ?? 0,
    rounds: rounds.map((round) => ({
      roundNumber: round.round,
      contributions: contributionsIn(round, roles),
      summaries:
        round.summaries.length > 0
          ? Object.fromEntries(round.summaries.map((one) => [one.for, toSummary(one, round.round)]))
          : undefined,
      timestamp: times.round(round.round),
    })),
    clarifications: clarifications.length > 0 ? clarificationsIn(record) : undefined,
    judgeSummary: judgeSummary ? toSummary(judgeSummary, undefined) : undefined,
    finalSolution: synthesis
      ? {
          description: synthesis.text,
          tradeoffs: synthesis.tradeoffs,
          recommendations: synthesis.recommendations,
          unfulfilledMajorRequirements: synthesis.unfulfilledMajorRequirements,
          openQuestions: synthesis.openQuestions,
          confidence: synthesis.confidence ?? undefined,
          capped: synthesis.capped,
          synthesizedBy: synthesis.by,
        }
      : undefined,
    createdAt: record.startedAt,
    updatedAt: record.endedAt ?? entries.at(-1)?.at ?? record.startedAt,
    promptSources: promptSources(entries, record),
  };
}

/** In the order of phases; a tool's call stands with the text for which it was made. */
function contributionsIn(round: DebateRound, roles: ReadonlyMap<string, string | null>) {
  const { proposals, critiques, refinements } = round;
  const texts = [
    ...proposals.map((one) => ({ ...one, type: "proposal", target: undefined })),
    ...critiques.map((one) => ({ ...one, type: "critique", target: one.of, carried: false })),
    ...refinements.map((one) => ({ ...one, type: "refinement", target: undefined, carried: false })),
  ];
  const asked = texts.filter(({ carried }) => !carried);
  const ownerOf = ({ by, kind, of }: DebateRound["tools"][number]) =>
    asked.find((one) => one.by === by && one.type === kind && (one.target ?? null) === of) ??
    asked.find((one) => one.by === by);
  return texts.map((one) => {
    const tools = round.tools
      .filter((call) => ownerOf(call) === one)
      .map((call, nth) => ({ ...call, id: `${nth + 1}` }));
    const { latencyMs, ...taken } = usage(one);
    return {
      agentId: one.by,
      agentRole: roles.get(one.by) ?? undefined,
      type: one.type,
      content: one.text,
      targetAgentId: one.target,
      metadata: {
        ...taken,
        // Nothing in no time is how a carried proposal is told.
        latencyMs: latencyMs === 0 && taken.tokensUsed === 0 && !one.carried ? undefined : latencyMs,
        ...(tools.length === 0 ? {} : toolMetadata(tools)),
      },
    };
  });
}

const toolMetadata = (tools: readonly (DebateRound["tools"][number] & { readonly id: string })[]) => ({
  toolCalls: tools.map(({ id, tool, arguments: given }) => ({ id, name: tool, arguments: given })),
  toolResults: tools.flatMap(({ id, result }) =>
    result === null ? [] : [{ tool_call_id: id, role: "tool", content: result }],
  ),
  toolCallIterations: tools.length,
});

const usage = ({
  model,
  tokens,
  latencyMs,
}: Pick<DebateRound["summaries"][number], "model" | "tokens" | "latencyMs">) => ({
  model: model ?? undefined,
  tokensUsed: tokens ?? undefined,
  latencyMs: latencyMs ?? undefined,
});

/** By agent, in the order of first questions; what was left unanswered is `NA` there, once there is no waiting for it. */
function clarificationsIn({ agents, clarifications, status }: DebateRecord) {
  const ids = [...new Set(clarifications.map(({ by }) => by))];
  const none = status === "waiting" ? "" : "NA";
  return ids.map((id) => {
    const agent = agents.find((one) => one.id === id);
    const own = clarifications.filter(({ by }) => by === id);
    return {
      agentId: id,
      agentName: agent?.name ?? id,
      role: agent?.role ?? undefined,
      items: own.map(({ id: item, question, answer }) => ({ id: item, question, answer: answer ?? none })),
    };
  });
}

function promptSources(entries: readonly Entry[], { agents, judge }: DebateRecord) {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const sources = opened?.data.settings["promptSources"];
  const of = (id: string, kind: string) => {
    const found = fieldOf(fieldOf(sources, id), kind);
    const path = fieldOf(found, "path");
    return typeof path === "string" ? { source: "file", path } : { source: "built-in" };
  };
  return {
    agents: agents.map(({ id, role }) => ({
      agentId: id,
      role: role ?? undefined,
      ...of(id, "instructions"),
    })),
    judge: judge
      ? {
          id: judge.id,
          ...of(judge.id, "instructions"),
          summarySource: of(judge.id, "summary").source,
          summaryPath: of(judge.id, "summary").path,
        }
      : undefined,
  };
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

/** When rounds began and summaries were made. */
function timesIn(entries: readonly Entry[]) {
  return {
    round: (round: number) =>
      entries.find((entry) => entry.type !== "unknown" && workOf(entry)?.round === round)?.at,
    summary: (id: string, round: number | undefined) =>
      entries.findLast(
        (entry) => isEvent(entry, "summary-made") && entry.data.for === id && workOf(entry)?.round === round,
      )?.at,
  };
}
