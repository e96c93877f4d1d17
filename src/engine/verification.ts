import {
  canonical,
  checkedEvent,
  Fault,
  type Entry,
  type Event,
  type EventType,
  type NewEvent,
  type StepKey,
} from "../kernel/index.ts";
import type { StepSpec } from "./run.ts";

/** Converts a recorded entry back to the event that was appended. */
export function toNewEvent(entry: Entry): NewEvent {
  if (entry.type === "unknown")
    throw new Fault("event-invalid", { type: entry.data.type, why: "its type is unknown here" });
  // Destructuring a union loses the connection of `type` and `data`.
  return checkedEvent({ type: entry.type, data: entry.data } as NewEvent);
}

/**
 * Compares what a step recorded with what it comes to again, by types and data without calls.
 * @throws Fault `replay-differs` for a difference that nobody takes
 */
export function refuseDifference(
  again: readonly NewEvent[] | undefined,
  past: readonly Entry[],
  { key, onDifference }: { readonly key: StepKey; readonly onDifference: (() => void) | undefined },
): void {
  if (!again) return;
  const bare = ({ type, data }: Pick<NewEvent, "type" | "data">) =>
    canonical({ type, data: { ...data, call: undefined } });
  const recorded = past.map((entry) => bare(toNewEvent(entry)));
  const replayed = again.map(bare);
  const at = recorded.findIndex((text, index) => text !== replayed[index]);
  if (at < 0 && recorded.length === replayed.length) return;
  if (onDifference) return onDifference();
  throw new Fault("replay-differs", {
    key,
    what: `recorded ${excerpt(recorded[at])}, read again as ${excerpt(replayed[at])}`,
  });
}

const excerpt = (text = "nothing"): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

export const firstOf = (batch: readonly Entry[]): Entry => {
  const [entry] = batch;
  if (!entry) throw new Fault("event-invalid", { type: "none", why: "a recorded batch is empty" });
  return entry;
};

/** Keeps STEP-4. @throws Fault `step-changed` */
export function verifyDigest(
  batch: readonly Entry[] | undefined,
  digest: string,
  key: StepKey,
): readonly Entry[] | undefined {
  if (batch && !matchingBatch(batch, digest)) throw new Fault("step-changed", { key });
  return batch;
}

export const matchingBatch = (
  batch: readonly Entry[] | undefined,
  digest: string,
): readonly Entry[] | undefined =>
  batch?.[0] && "digest" in batch[0].origin && batch[0].origin.digest === digest ? batch : undefined;

export function outcomeOf<T extends EventType>(batch: readonly Entry[], spec: StepSpec<T>): Event<T> {
  const entry = firstOf(batch);
  assertDeclared(entry, spec);
  return entry as Event<T>; // `assertDeclared` has checked it
}

/** @throws Fault `step-ended-wrong` */
export function assertDeclared(
  { type }: { readonly type: string },
  { key, outcomes }: StepSpec<EventType>,
): void {
  // `includes` accepts only the array's own element type.
  if (!(outcomes as readonly string[]).includes(type)) throw new Fault("step-ended-wrong", { key, type });
}
