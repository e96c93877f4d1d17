import { isEvent, type Entry, type Event, type Json, type Participant } from "../../../../../kernel/index.ts";
import { NO_ASSESSMENT, type DebateRecord } from "./record.ts";
import { roundsOf } from "./rounds.ts";
import { contribution, costsOf, debateIn, sumOf, summariesIn, type Debate } from "./steps.ts";
import { resultOf } from "../../../../../views/result.ts";

/** Whether these are the entries of a debate. */
export const isDebate = (entries: readonly Entry[]): boolean =>
  openingOf(entries)?.data.protocol.name === "debate";

const openingOf = (entries: readonly Entry[]) =>
  entries.find((entry) => isEvent(entry, "deliberation-opened"));

/**
 * A debate from all its entries in order, wherever it stands.
 * @throws RangeError for entries of anything else: `isDebate` tells
 */
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
  settings: Readonly<Record<string, Json>>,
): DebateRecord["agents"][number] {
  const { roles } = settings;
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
