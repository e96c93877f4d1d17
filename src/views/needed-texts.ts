import { callOf, isEvent, workOf, type Entry, type Event, type EventType } from "../kernel/index.ts";
import { ownStepOf } from "./answer-event.ts";
import { hasCutText } from "./public-entry.ts";

/**
 * The seqs of the entries that have to be loaded whole before `resultOf`, with the section of any protocol that ships, says of
 * entries with the heads of their texts what it says of whole ones. An entry without a cut text is never named, so that
 * nothing is named of whole entries. What a run comes to needs few of its texts: the question, the answer and its grade, the
 * baseline's draft, everybody's last answer, and the reasons of what is missing.
 */
export function neededTexts(entries: readonly Entry[]): readonly number[] {
  const spoken = spokenLast(entries);
  const protocol = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.protocol.name;
  return entries.flatMap((entry) => {
    const used = spoken.has(entry) ? spokenIn(entry) : usedIn(entry, protocol);
    return hasCutText(used) ? [entry.seq] : [];
  });
}

/** The answers that a result tells whole: the given one, the baseline's draft, and the last of everybody and of each respondent. */
function spokenLast(entries: readonly Entry[]): ReadonlySet<Entry> {
  const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const ended = closing && ("answer" in closing ? closing : "best" in closing ? closing.best : null);
  const steps = new Set([ended?.answer, ended?.control?.step]);
  const last = new Map<string, Entry>();
  const told = new Set<Entry>();
  for (const entry of entries) {
    if (!isEvent(entry, "answer-given", "synthesis-given")) continue;
    const step = ownStepOf(entry);
    if (step !== undefined && steps.has(step)) told.add(entry);
    if (entry.type === "answer-given" && step !== undefined) last.set(entry.data.by, entry);
    if (entry.type === "answer-given" && entry.data.respondent === "B") told.add(entry);
  }
  return new Set([...told, ...last.values()]);
}

/** What an event says, without its call. */
const spokenIn = ({ data }: Entry): unknown => ({ ...data, call: undefined });

/** By type, what a result or a section tells of an event whatever else the run has. */
const USED: { readonly [T in EventType]?: (data: Event<T>["data"]) => unknown } = {
  "deliberation-opened": (data) => data,
  "deliberation-closed": (data) => data,
  "note-taken": ({ body }) => body,
  "degradation-noted": ({ what, why, participant }) => [what, why, participant],
  "roster-fixed": ({ out }) => out,
  "seat-opened": (data) => data,
  "seat-expired": (data) => data,
  // How members voted, at first and at last.
  "answer-given": ({ by, final }) => [by, final],
  "review-given": ({ by, ranking }) => [by, ranking],
  "standing-reached": (data) => data,
  "contribution-measured": ({ method, contributions }) => [method, contributions],
  "comparison-given": ({ agreements, contradictions, unique }) => [agreements, contradictions, unique],
  "rung-decided": (data) => data,
  "evaluation-given": (data) => ({ ...data, call: undefined }),
  "grade-given": (data) => ({ ...data, call: undefined }),
  "preference-given": ({ of, reason }) => [of, reason],
  "engrams-recalled": ({ how }) => how,
  // A fact that memory keeps is part of the section of a response.
  "tool-called": ({ result }) =>
    typeof result === "object" && result !== null && "remembered" in result ? result : undefined,
  "feedback-summarized": (data) => ({ ...data, call: undefined }),
  "persona-bred": ({ parts }) => parts,
  "persona-decided": ({ by, why }) => [by, why],
  "trial-decided": (data) => data,
};

function usedIn(entry: Entry, protocol: string | undefined): unknown {
  // A judge's verdicts are read from its replies.
  if (protocol === "judge" && isEvent(entry, "reply-received") && workOf(entry)?.kind !== undefined)
    return callOf(entry);
  if (entry.type === "unknown") return undefined;
  // TypeScript cannot correlate `USED[entry.type]` with `entry.data`; the mapped type above guarantees it.
  return (USED[entry.type] as ((data: unknown) => unknown) | undefined)?.(entry.data);
}
