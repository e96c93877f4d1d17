import {
  DeliberationId,
  Digest,
  EventId,
  OrganizationId,
  StepKey,
  type NewEvent,
  parseEvent,
  type Appended,
  type Entry,
  type Json,
  type Origin,
} from "../kernel/index.ts";

/** Whose deliberations the samples are, unless they say otherwise. */
export const LOCAL = OrganizationId.parse("local");

const zeros = Digest.parse("0".repeat(64));

/** An opening of the least that an opening may hold. */
export const opening = (
  question: string,
  place: {
    readonly organization?: string;
    readonly series?: { readonly id: string; readonly index: number };
    readonly labels?: Readonly<Record<string, string>>;
  } = {},
): NewEvent =>
  parseEvent({
    type: "deliberation-opened",
    data: {
      question,
      context: [],
      protocol: { name: "contract", version: 1 },
      settings: {},
      participants: [
        {
          id: "ada",
          seat: "member",
          persona: { name: "Ada", instructions: zeros },
          model: "sim/ada",
          family: null,
        },
      ],
      templates: {},
      seed: "seed",
      budget: {},
      organization: place.organization ?? "local",
      ...(place.series && { series: place.series }),
      ...(place.labels && { labels: place.labels }),
    },
  });

/** An event that carries any JSON. */
export const note = (body: Json): NewEvent => ({
  type: "note-taken",
  data: { topic: "contract", reason: "to be read back", body },
});

export const feedback: NewEvent = { type: "feedback-given", data: { thumb: "up" } };

export const closing: NewEvent = {
  type: "deliberation-closed",
  data: { outcome: "cancelled", why: "enough" },
};

export const byOpening: Origin = { by: "open", request: "contract" };

export const byClosing: Origin = { by: "close", after: [] };

export const byClient = (request: string): Origin => ({ by: "client", request });

export const byStep = (key: string): Origin => ({
  by: "protocol",
  step: StepKey.parse(key),
  digest: zeros,
  after: [],
});

export const byReactor = (event: string, key: string): Origin => ({
  by: "reactor",
  reactor: "critic",
  event: EventId.parse(event),
  step: StepKey.parse(key),
  digest: zeros,
  after: [],
});

export const deliberation = (id: string): DeliberationId => DeliberationId.parse(id);

/** The recorded batch. */
export function eventsOf(appended: Appended): readonly Entry[] {
  if (!appended.ok) throw new Error(`nothing was recorded: the deliberation is ${appended.reason}`);
  return appended.events;
}

/** `[1, 2, …, count]` */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
