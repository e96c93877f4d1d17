import { callOf, isEvent, personOf, type Entry, type Opening } from "../kernel/index.ts";
import { speakerOf } from "./spending.ts";

// VEIL-1. While a run with a person is open, nobody is shown what its participants wrote, nor anything that was read from it: a person who
//     takes part sees the prompts of the own steps only. What was spent, and who has answered, is shown. Else: others' texts bias a person.

const HIDDEN = "hidden until the run has ended, because a person takes part";

export const hasPeople = ({ participants }: Pick<Opening, "participants">): boolean =>
  participants.some(({ model }) => personOf(model) !== undefined);

/** True for what stands in place of a hidden text. */
export const isHidden = (entry: Entry): boolean =>
  isEvent(entry, "reply-received") && entry.data.why === HIDDEN;

/** True for an open run in which a person takes part. */
function isVeiled(entries: readonly Entry[]): boolean {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened === undefined || !hasPeople(opened.data)) return false;
  return !entries.some(({ type }) => type === "deliberation-closed");
}

/** A run's entries without what is hidden while it is open. */
export const veilEntries = (entries: readonly Entry[]): readonly Entry[] =>
  isVeiled(entries) ? entries.flatMap(hideText) : entries;

/** One of a run's entries, as `veiled` has it; none if it is hidden. */
export const veiledEntry = (entry: Entry, entries: readonly Entry[]): readonly Entry[] =>
  isVeiled(entries) ? hideText(entry) : [entry];

const SHOWN: ReadonlySet<Entry["type"]> = new Set<Entry["type"]>([
  "deliberation-opened",
  "deliberation-closed",
  "clarification-asked",
  "clarification-answered",
  "seat-opened",
  "seat-expired",
  "roster-fixed",
]);

/** The entry as it may be shown: without the texts of a call, or not at all. */
export function hideText(entry: Entry): readonly Entry[] {
  const call = callOf(entry);
  if (SHOWN.has(entry.type) || (isEvent(entry, "degradation-noted") && call?.ok === false)) return [entry];
  if (!call || entry.type === "unknown") return [];
  const { id, deliberation, seq, cursor, at, origin } = entry;
  const bare = call.ok ? { ...call, reply: "", toolCalls: undefined } : { ...call, reply: undefined };
  const by = speakerOf(entry) as never; // a participant's id, as the entry has it
  return [
    {
      ...{ id, deliberation, seq, cursor, at, origin },
      type: "reply-received",
      data: { by, why: HIDDEN, call: bare },
    },
  ];
}
