import * as z from "zod";
import { isEvent, type Entry, type Event, type Json, type Participant } from "../kernel/index.ts";
import type { DebateRecord } from "./debate-record.ts";
import { roundsOf } from "./debate-rounds.ts";
import { contribution, costsOf, debateIn, roundIn, sumOf, summariesIn, type Debate } from "./debate-steps.ts";
import { resultOf } from "./result.ts";

/** Whether these are the entries of a debate. */
export const isDebate = (entries: readonly Entry[]): boolean => openingOf(entries) !== undefined;

const openingOf = (entries: readonly Entry[]): Event<"deliberation-opened"> | undefined =>
  entries.find(
    (entry): entry is Event<"deliberation-opened"> =>
      isEvent(entry, "deliberation-opened") && entry.data.protocol.name === "debate",
  );

/**
 * A debate from all its entries in order, wherever it stands.
 * @throws RangeError for entries of anything else: `isDebate` tells
 */
export function debateRecord(entries: readonly Entry[]): DebateRecord {
  const opened = openingOf(entries);
  const result = resultOf(entries);
  if (!opened || !result) throw new RangeError("a record of what is no debate");
  const { participants, settings } = opened.data;
  const closed = entries.find((entry) => isEvent(entry, "deliberation-closed"));
  const debate = debateIn(entries, opened);
  const synthesis = debate.events.findLast(({ event }) => isEvent(event, "synthesis-given"));
  const written = synthesis && isEvent(synthesis.event, "synthesis-given") ? synthesis.event.data : undefined;
  const judges = participants.filter(({ seat }) => seat === "judge");
  const judge = judges.find(({ id }) => id === written?.by) ?? judges[0];
  const outside = debate.calls.filter(({ step }) => roundIn(step) === undefined);
  const { calls, tokens, cost } = result;
  return {
    id: opened.deliberation,
    source: "parley",
    problem: opened.data.question,
    status: closed?.data.outcome ?? "open",
    simulated: result.simulated,
    startedAt: opened.at,
    endedAt: closed?.at ?? null,
    agents: debate.agents.map((agent) => agentRow(agent, settings)),
    judge: judge ? agentRow(judge, settings) : null,
    requirements: requirementsIn(entries),
    clarifications: clarificationsIn(debate.events),
    rounds: roundsOf(debate),
    judgeSummary: summariesIn(debate, "judge/")[0] ?? null,
    synthesis:
      synthesis && written
        ? {
            ...contribution(debate, synthesis, written),
            ...(written.assessment ?? UNASSESSED),
          }
        : null,
    degraded: [...result.degraded, ...debate.events.flatMap(({ event }) => cutIn(event))],
    outside: costsOf(outside.map(({ call }) => call)),
    calls,
    tokens: sumOf(tokens),
    usd: cost.usd,
  };
}

const UNASSESSED = {
  confidence: null,
  tradeoffs: [],
  recommendations: [],
  unfulfilledMajorRequirements: [],
  openQuestions: [],
};

function agentRow(
  { id, persona, model, family, temperature }: Participant,
  settings: Readonly<Record<string, Json>>,
): DebateRecord["agents"][number] {
  const roles = z.record(z.string(), z.string()).safeParse(settings["roles"]);
  const role = (roles.success && Object.hasOwn(roles.data, id) ? roles.data[id] : undefined) ?? null;
  return { id, name: persona.name, role, model, family, temperature: temperature ?? null };
}

const Requirements = z.object({ major: z.array(z.string()), minor: z.array(z.string()) });

function requirementsIn(entries: readonly Entry[]): DebateRecord["requirements"] {
  const note = entries.findLast(
    (entry) => isEvent(entry, "note-taken") && entry.data.topic === "requirements",
  );
  const read = Requirements.safeParse(note && isEvent(note, "note-taken") ? note.data.body : undefined);
  return read.success ? read.data : null;
}

/** Questions with their answers, which come by the number of the asking: `clarify-1/bob`, `clarification-1`. */
function clarificationsIn(events: Debate["events"]): DebateRecord["clarifications"] {
  const number = (step: string) => /^clarif(?:y|ication)-(\d{1,6})(?:\/|$)/.exec(step)?.[1];
  const answers = events.flatMap(({ step, event }) =>
    isEvent(event, "clarification-answered") ? [{ nth: number(step), given: event.data.answers }] : [],
  );
  return events.flatMap(({ step, event }) => {
    if (!isEvent(event, "clarification-asked")) return [];
    const given = answers.filter(({ nth }) => nth === number(step)).flatMap((one) => one.given);
    return event.data.questions.map(({ id, text }) => ({
      by: event.data.by,
      id,
      question: text,
      answer: given.find((one) => one.id === id)?.text ?? null,
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
