import {
  isEvent,
  type Entry,
  type Event,
  type Json,
  type Participant,
  callOf,
  workOf,
} from "../../../../../kernel/index.ts";
import { NO_ASSESSMENT, type DebateRecord, type DebateRound } from "./record.ts";
import {
  contribution,
  costsOf,
  debateIn,
  sumOf,
  summariesIn,
  type Debate,
  isSameWork,
  inSeatOrder,
} from "./steps.ts";
import { resultOf } from "../../../../../views/result.ts";

export const isDebate = (entries: readonly Entry[]): boolean =>
  openingOf(entries)?.data.protocol.name === "debate";

const openingOf = (entries: readonly Entry[]) =>
  entries.find((entry) => isEvent(entry, "deliberation-opened"));

/** A debate from all its entries in order, wherever it stands. @throws RangeError for entries of anything else: `isDebate` tells */
export function debateRecord(entries: readonly Entry[]): DebateRecord {
  const opened = openingOf(entries);
  const result = resultOf(entries);
  if (opened?.data.protocol.name !== "debate" || !result)
    throw new RangeError("a record of what is no debate");
  const { participants, settings } = opened.data;
  const closed = entries.find((entry) => isEvent(entry, "deliberation-closed"));
  const debate = debateIn(entries, opened);
  const synthesis = debate.events.findLast((event) => isEvent(event, "synthesis-given"));
  const judges = participants.filter(({ seat }) => seat === "judge");
  const judge = judges.find(({ id }) => id === synthesis?.data.by) ?? judges[0];
  const outside = debate.calls.filter(({ work }) => work?.round === undefined);
  const { calls, tokens, cost } = result;
  return {
    id: opened.deliberation,
    source: "parley",
    problem: opened.data.question,
    status: result.status,
    simulated: result.simulated,
    startedAt: opened.at,
    endedAt: closed?.at ?? null,
    agents: debate.agents.map((agent) => agentRow(agent, settings)),
    judge: judge ? agentRow(judge, settings) : null,
    requirements: entries.findLast((entry) => isEvent(entry, "requirements-read"))?.data ?? null,
    clarifications: clarificationsIn(debate.events),
    rounds: roundsOf(debate),
    judgeSummary: summariesIn(debate, undefined)[0] ?? null,
    synthesis: synthesis
      ? { ...contribution(debate, synthesis), ...(synthesis.data.assessment ?? NO_ASSESSMENT) }
      : null,
    degraded: [...result.degraded, ...debate.events.flatMap(cutIn)],
    outside: costsOf(outside.map(({ call }) => call)),
    calls,
    tokens: sumOf(tokens),
    usd: cost.usd,
  };
}

function agentRow(
  { id, persona, model, family, temperature }: Participant,
  { roles }: Readonly<Record<string, Json>>,
): DebateRecord["agents"][number] {
  const isMap = typeof roles === "object" && roles !== null && !Array.isArray(roles);
  const named = isMap && Object.hasOwn(roles, id) ? roles[id] : undefined;
  const role = typeof named === "string" ? named : null;
  return { id, name: persona.name, role, model, family, temperature: temperature ?? null };
}

/** Questions with their answers; no two questions of a debate have one id. */
function clarificationsIn(events: Debate["events"]): DebateRecord["clarifications"] {
  const given = events.flatMap((event) =>
    isEvent(event, "clarification-answered") ? event.data.answers : [],
  );
  const asked = events.filter((event) => isEvent(event, "clarification-asked"));
  // Asked twice under one id, the answer is the later question's.
  const last = new Map(asked.flatMap((event) => event.data.questions.map(({ id }) => [id, event] as const)));
  return asked.flatMap((event) => {
    return event.data.questions.map(({ id, text }) => ({
      by: event.data.by,
      id,
      question: text,
      answer: (last.get(id) === event ? given.find((one) => one.id === id)?.text : undefined) ?? null,
    }));
  });
}

/** Of the kinds that a result does not tell: a reply that ran into its limit is used, but never silently. */
function cutIn(event: Event): DebateRecord["degraded"] {
  if (!isEvent(event, "critique-given", "summary-made")) return [];
  const { call } = event.data;
  if (!call?.ok || call.finish !== "length") return [];
  const what =
    event.type === "critique-given"
      ? `the critique by ${event.data.by}`
      : `the summary for ${event.data.for}`;
  const limit = call.tokens.out === null ? "" : ` of ${call.tokens.out} tokens`;
  return [{ what, why: `cut off at its limit${limit}` }];
}

type StandingProposal = Omit<DebateRound["proposals"][number], "carried">;

/** The rounds that have begun. What an agent said last stands as its proposal in the next one, unless it makes one anew. */
function roundsOf(debate: Debate): DebateRound[] {
  const numbers = [...new Set(debate.events.flatMap((event) => workOf(event)?.round ?? []))].sort(
    (a, b) => a - b,
  );
  const rounds: DebateRound[] = [];
  let standing: ReadonlyMap<string, StandingProposal> = new Map();
  for (const round of numbers) {
    const { proposals, refinements, ...rest } = roundOf(debate, round, standing);
    const inTime = (kind: string) => (one: StandingProposal) =>
      (debate.eventsByRound.get(round) ?? []).every(
        (event) => !isRosterOf(event, kind, round) || event.data.in.includes(one.by),
      );
    const stand = [
      ...proposals.filter((one) => one.carried || inTime("proposal")(one)),
      ...refinements.filter(inTime("refinement")),
    ];
    standing = new Map([...standing, ...stand.map((one) => [one.by, one] as const)]);
    rounds.push({ ...rest, proposals, refinements });
  }
  return rounds;
}

/** Whether this says who was in a phase: what comes from others afterwards is shown, but nothing was made of it. */
function isRosterOf(event: Event, kind: string, round: number): event is Event<"roster-fixed"> {
  const work = workOf(event);
  return (
    work?.kind === "roster" && work.of === kind && work.round === round && isEvent(event, "roster-fixed")
  );
}

function roundOf(
  debate: Debate,
  round: number,
  standing: ReadonlyMap<string, StandingProposal>,
): DebateRound {
  const own = debate.eventsByRound.get(round) ?? [];
  const answers = (kind: "proposal" | "refinement") =>
    own.flatMap((event) =>
      isEvent(event, "answer-given") && event.data.kind === kind
        ? [{ ...contribution(debate, event), coverage: event.data.coverage ?? null }]
        : [],
    );
  const proposed = answers("proposal");
  // Of fresh proposals, who has none yet may still give one: only then does it stand on what it said before.
  const settled = debate.carries || own.some((event) => isRosterOf(event, "proposal", round));
  const carried = settled
    ? [...standing.values()].filter(({ by }) => !proposed.some((one) => one.by === by))
    : [];
  const confidence = own.findLast((event) => isEvent(event, "confidence-given"))?.data;
  return {
    round,
    closed: own.some((event) => isEvent(event, "round-closed")),
    confidence: confidence?.confidence ?? null,
    confidenceReason: confidence?.reason ?? null,
    summaries: summariesIn(debate, round),
    proposals: inSeatOrder(debate, [
      ...proposed.map((one) => ({ ...one, carried: false })),
      ...carried.map((one) => ({ ...one, tokens: 0, usd: 0, latencyMs: 0, carried: true })),
    ]),
    critiques: inSeatOrder(
      debate,
      inSeatOrder(
        debate,
        own.flatMap((event) =>
          isEvent(event, "critique-given")
            ? [{ ...contribution(debate, event), of: workOf(event)?.of ?? event.data.of }]
            : [],
        ),
        ({ of }) => of,
      ),
    ),
    refinements: inSeatOrder(debate, answers("refinement")),
    tools: inSeatOrder(
      debate,
      own
        .flatMap((event) => {
          if (!isEvent(event, "tool-called")) return [];
          const { by, tool, arguments: given, result } = event.data;
          const { kind = null, of = null, nth = 0 } = workOf(event) ?? {};
          const during = askingStep(own, event) ?? "";
          return [{ by, during, kind, of, nth, tool, arguments: jsonText(given), result: jsonText(result) }];
        })
        .sort((a, b) => (a.during === b.during ? a.nth - b.nth : a.during < b.during ? -1 : 1))
        .map(({ nth: _, ...call }) => call),
    ),
    ...costsOf(own.flatMap((event) => (event.origin.by === "adopted" ? [] : (callOf(event) ?? [])))),
  };
}

/** The step whose reply first called a tool for the work that this call was made for. */
function askingStep(own: readonly Event[], called: Event<"tool-called">): string | undefined {
  const turns = own.filter(
    (event) => !isEvent(event, "tool-called") && isSameWork(workOf(event), workOf(called)),
  );
  const asking = turns.find((event) => isEvent(event, "reply-received")) ?? turns[0];
  return asking && "step" in asking.origin ? asking.origin.step : undefined;
}

const jsonText = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
