import { canonical, Fault, type Entry, type NewEvent, type StepKey } from "../kernel/index.ts";

/** A recorded entry as the event that was given to `append`. */
export function eventOf(entry: Entry): NewEvent {
  if (entry.type === "unknown")
    throw new Fault("event-invalid", { type: entry.data.type, why: "its type is unknown here" });
  // Destructuring a union loses that `type` and `data` belong together.
  return { type: entry.type, data: entry.data } as NewEvent;
}

/** What a replay compares: type and data without the call, as canonical bytes. */
export function compare(again: readonly NewEvent[] | undefined, past: readonly Entry[], key: StepKey): void {
  if (!again) return;
  const bare = ({ type, data }: Pick<NewEvent, "type" | "data">) =>
    canonical({ type, data: { ...data, call: undefined } });
  const recorded = past.map((entry) => bare(eventOf(entry)));
  const replayed = again.map(bare);
  const at = recorded.findIndex((text, index) => text !== replayed[index]);
  if (at < 0 && recorded.length === replayed.length) return;
  throw new Fault("replay-differs", {
    key,
    what: `recorded ${excerpt(recorded[at])}, read again as ${excerpt(replayed[at])}`,
  });
}

const excerpt = (text = "nothing"): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
