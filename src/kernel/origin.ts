import * as z from "zod";
import { Fault } from "./fault.ts";
import { DeliberationId, Digest, EventId, StepKey } from "./ids.ts";

/**
 * What a step is about, for views, which never parse step keys. It is not part of the step's identity or digest. A step
 * without it is shown by its event only.
 */
export const Work = z.strictObject({
  /** The kind of work: `draft`, `review`, `synthesis`, …; `roster` and `admission` decide who takes part in a phase. */
  kind: z.string().min(1).max(60),
  /** The round, from 1. */
  round: z.int().positive().optional(),
  /** The id of the participant that does the work. */
  by: z.string().min(1).max(100).optional(),
  /** The target: a participant's id, an item's name, or the kind of work that a roster is for. */
  of: z.string().min(1).max(100).optional(),
  /** The number of a repetition, a repair or a tool call, from 1. */
  nth: z.int().positive().optional(),
});
export type Work = z.infer<typeof Work>;

const step = {
  step: StepKey,
  /** The digest of the canonical form of the step's input. */
  digest: Digest,
  work: Work.optional(),
  /** The steps whose events this step used; the critical path is computed from it. */
  after: z.array(StepKey),
};

/**
 * The author of a batch of events. A deliberation has at most one batch per origin, which makes client retries, crashed
 * and concurrent drivers and redelivered reactions idempotent.
 */
export const Origin = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("open"), request: z.string().min(1).max(200) }),
  /** `from`: the parent from which a fork copied the event; a copy triggers no reactor. */
  z.strictObject({
    by: z.literal("client"),
    request: z.string().min(1).max(400),
    from: DeliberationId.optional(),
  }),
  z.strictObject({ by: z.literal("protocol"), ...step }),
  /** A step that a fork reuses from its parent: it costs nothing and triggers no reactor. */
  z.strictObject({ by: z.literal("adopted"), ...step, from: DeliberationId }),
  z.strictObject({
    by: z.literal("reactor"),
    reactor: z.string().regex(/^[a-z][a-z-]*$/),
    event: EventId,
    ...step,
  }),
  z.strictObject({ by: z.literal("close"), after: z.array(StepKey) }),
]);
export type Origin = z.infer<typeof Origin>;

/** An origin's identity within its deliberation. A step and its adopted copy share one; so do all openings, and all closings. */
export const originKey = (origin: Origin): string => {
  switch (origin.by) {
    case "open":
      return "open";
    case "client":
      return `client/${origin.request}`;
    case "protocol":
    case "adopted":
      return stepOrigin(origin.step);
    case "reactor":
      return reactorOrigin(origin.reactor, origin.event, origin.step);
    case "close":
      return "close";
  }
};

export const workOf = ({ origin }: { readonly origin: Origin }): Work | undefined =>
  "work" in origin ? origin.work : undefined;

export const stepOrigin = (key: StepKey): string => `protocol/${key}`;

/** The client request that the answer of a person's seat belongs to. */
export const seatRequest = (step: StepKey): string => `seat/${step}`;

const reactorOrigin = (reactor: string, event: EventId, key: StepKey): string =>
  `reactor/${reactor}/${event}/${key}`;

/** The id of the event at `index` of an origin's batch. @throws Fault `event-invalid` if the origin is too long for an id */
export function eventId(deliberation: DeliberationId, origin: string, index: number): EventId {
  const id = EventId.safeParse(`${deliberation}/${origin}#${index}`);
  if (id.success) return id.data;
  throw new Fault("event-invalid", { type: "any", why: "its origin is too long to name its events" });
}
