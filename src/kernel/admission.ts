import type { NewEvent } from "./event.ts";
import { Fault } from "./fault.ts";
import { Origin } from "./origin.ts";

/**
 * What every store refuses before it looks at anything: a malformed origin, an empty batch, an opening that is not alone at
 * the start under the origin `open`, a closing that is not last under the origin `close`.
 * @returns the origin as its schema reads it
 * @throws Fault `event-invalid`
 */
export function admit(events: readonly NewEvent[], origin: Origin): Origin {
  const parsed = Origin.safeParse(origin);
  if (!parsed.success) {
    throw new Fault("event-invalid", { type: events[0]?.type ?? "none", why: "its origin is malformed" });
  }
  if (events.length === 0)
    throw new Fault("event-invalid", { type: "none", why: "a batch holds at least one event" });
  events.forEach(({ type }, index) => {
    const opens = type === "deliberation-opened";
    const closes = type === "deliberation-closed";
    if (opens !== (origin.by === "open" && index === 0)) {
      throw new Fault("event-invalid", {
        type,
        why: "an opening is the first event, under the origin `open`",
      });
    }
    if (closes !== (origin.by === "close" && index === events.length - 1)) {
      throw new Fault("event-invalid", {
        type,
        why: "a closing is the last event, under the origin `close`",
      });
    }
  });
  return parsed.data;
}

/** Whether a closed deliberation still takes this batch: a reaction, or a person's feedback. */
export const outlivesClosing = (events: readonly NewEvent[], origin: Origin): boolean =>
  origin.by === "reactor" ||
  (origin.by === "client" && events.every((event) => event.type === "feedback-given"));
