import * as z from "zod";
import { Fault } from "./fault.ts";
import { DeliberationId, Digest, EventId, StepKey } from "./ids.ts";

/**
 * What a step is about, for views: they never read step keys. It is no part of the step's identity or digest. A step
 * without it is shown by its event alone.
 */
export const Work = z.strictObject({
  /** The kind of work: `draft`, `review`, `synthesis`; of a phase's roster `roster`, of who may take part `admission`. */
  kind: z.string().min(1).max(60),
  /** The round that it belongs to, from 1. */
  round: z.int().positive().optional(),
  /** Whose work it is: a participant's id. */
  by: z.string().min(1).max(100).optional(),
  /** What it is about: a participant's id, an item's name, or of a roster the kind of work. */
  of: z.string().min(1).max(100).optional(),
  /** Tells several alike apart, from 1: a repetition, a repair, a tool's call. */
  nth: z.int().positive().optional(),
});
export type Work = z.infer<typeof Work>;

const step = {
  step: StepKey,
  /** Over the canonical form of all that the step's work depends on. */
  digest: Digest,
  work: Work.optional(),
  /** The steps whose events this one was made from: the journal's causality, for the critical path and for readers. */
  after: z.array(StepKey),
};

/**
 * Who put a batch of events in the journal. At most one batch per origin per deliberation: that is the
 * whole of our idempotence, for a client's retries, crashed drivers, rivals and redelivered reactions alike.
 */
export const Origin = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("open"), request: z.string().min(1).max(200) }),
  z.strictObject({ by: z.literal("client"), request: z.string().min(1).max(400) }),
  z.strictObject({ by: z.literal("protocol"), ...step }),
  /** A step taken over from the parent of a fork: it costs nothing and triggers no reactor. */
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

/** An origin's identity within its deliberation. A step and its adoption are one origin; so are all openings, and all closings. */
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

/** What the step that recorded this is about; undefined where nothing says so. */
export const workOf = ({ origin }: { readonly origin: Origin }): Work | undefined =>
  "work" in origin ? origin.work : undefined;

export const stepOrigin = (key: StepKey): string => `protocol/${key}`;

const reactorOrigin = (reactor: string, event: EventId, key: StepKey): string =>
  `reactor/${reactor}/${event}/${key}`;

/** The id of the event at `index` of the batch that `origin` recorded. @throws Fault `event-invalid` for an origin too long to name one */
export function eventId(deliberation: DeliberationId, origin: string, index: number): EventId {
  const id = EventId.safeParse(`${deliberation}/${origin}#${index}`);
  if (id.success) return id.data;
  throw new Fault("event-invalid", { type: "any", why: "its origin is too long to name its events" });
}
