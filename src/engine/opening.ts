import * as z from "zod";
import {
  canonical,
  checkedEvent,
  Opening,
  type Budget,
  DeliberationId,
  type Digest,
  type Event,
  type Json,
  type Models,
  OrganizationId,
  type OrganizationStore,
  type Participant,
  isEvent,
  Fault,
  pinnedTexts,
  type Texts,
} from "../kernel/index.ts";
import { type AnyProtocol, loadProtocol, type Registry, type ProtocolContext } from "./protocol.ts";
import { idInSeries, idOfRequest, textDigest, fenceMark, shuffle } from "./digest.ts";

/** A deliberation as a program asks for it: plain strings and objects, and texts still as texts, to be pinned. */
export type DeliberationInput = {
  readonly question: string;
  /** Material given with the question. */
  readonly context?: readonly { readonly name: string; readonly text: string }[] | undefined;
  /** A protocol, or what names one. */
  readonly protocol: { readonly name: string; readonly version: number };
  /** As the protocol's own schema takes them. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** In seat order. `model` is written provider/model; `family` null while nobody has said who trained it. */
  readonly participants: readonly {
    readonly id: string;
    readonly seat: string;
    readonly persona: { readonly name: string; readonly instructions: string };
    readonly model: string;
    readonly family?: string | null | undefined;
    readonly temperature?: number | undefined;
  }[];
  /** The text of every template that the protocol renders, by name. */
  readonly templates?: Readonly<Record<string, string>> | undefined;
  readonly seed: string;
  readonly budget?: Budget | undefined;
  /** By default `local`. */
  readonly organization?: string | undefined;
  readonly user?: string | undefined;
  readonly series?: { readonly id: string; readonly index: number } | undefined;
  readonly previous?: string | undefined;
  readonly history?: readonly { readonly question: string; readonly answer: string }[] | undefined;
  /** Of a fork that is built by hand; `fork` builds one. */
  readonly parent?: { readonly id: string; readonly upToSeq: number } | undefined;
  /** Settings by reactor. */
  readonly reactions?: Readonly<Record<string, Json>> | undefined;
};

/** The same as our own programs build it, with ids that were checked. */
export type NewDeliberation = Omit<
  Opening,
  "context" | "participants" | "templates" | "organization" | "history" | "reactions"
> & {
  readonly organization: OrganizationId;
  readonly context: readonly { readonly name: string; readonly text: string }[];
  readonly participants: readonly (Omit<Participant, "persona"> & {
    readonly persona: { readonly name: string; readonly instructions: string };
  })[];
  readonly templates: Readonly<Record<string, string>>;
  readonly history?: readonly { readonly question: string; readonly answer: string }[];
  readonly reactions?: Readonly<Record<string, Json>>;
};

/** `fresh: false`: it was there before. `differs`: what was there is not what was asked for now. */
export type OpenResult = {
  readonly fresh: boolean;
  readonly differs: boolean;
  readonly opened: Event<"deliberation-opened">;
};

/** What an opening is checked against before it is recorded. */
export type OpeningChecks = {
  readonly store: OrganizationStore;
  readonly models: Pick<Models, "check">;
  readonly protocols: Registry<AnyProtocol>;
};

// OPEN-1. What could never run is refused before anything of it is recorded: protocol, settings, templates, models.
// OPEN-2. The same request of an organization always names the same deliberation, and so does a place in a series.
// OPEN-3. Whoever finds another deliberation under a request is told that it differs.

/**
 * Opens a deliberation, or finds it open.
 * @throws Fault `protocol-unknown`, `invalid-request`
 */
export async function open(
  { store, models, protocols }: OpeningChecks,
  request: string,
  asked: DeliberationInput,
): Promise<OpenResult> {
  const texts = new Map<Digest, string>();
  const pin = (text: string) => {
    const wellFormed = text.toWellFormed();
    const digest = textDigest(wellFormed);
    texts.set(digest, wellFormed);
    return digest;
  };
  const {
    history = [],
    reactions = {},
    context = [],
    templates = {},
    organization = "local",
    ...rest
  } = asked;
  const protocol = await loadProtocol(protocols, asked.protocol); // OPEN-1
  const opening = checked("the deliberation", Opening, {
    settings: {},
    budget: {},
    ...rest,
    organization,
    protocol: { name: protocol.name, version: protocol.version },
    ...(history.length > 0
      ? { history: history.map(({ question, answer }) => ({ question: pin(question), answer: pin(answer) })) }
      : {}),
    ...(Object.keys(reactions).length > 0
      ? { reactions: pinned(reactions, (settings) => pin(canonical(settings))) }
      : {}),
    context: context.map(({ name, text }) => ({ name, text: pin(text) })),
    participants: asked.participants.map((participant) => ({
      family: null,
      ...participant,
      persona: { ...participant.persona, instructions: pin(participant.persona.instructions) },
    })),
    templates: pinned(templates, pin),
  });
  settingsOf(protocol, opening.settings);
  const needed = [...protocol.templates.map(({ name }) => name), ...(protocol.texts ?? [])];
  const missing = needed.filter((name) => !Object.hasOwn(opening.templates, name));
  if (missing.length > 0) throw invalid(`${protocol.name} needs the templates ${missing.join(", ")}`);
  for (const { id, model } of opening.participants) {
    const failure = models.check?.(model);
    // A key may still be given before the first call.
    if (failure && failure.code !== "unauthorised") throw invalid(`the model of ${id}: ${failure.message}`);
  }
  // The texts first: an opening never names one that is not there.
  await Promise.all([...texts].map(([digest, text]) => store.putText(digest, text)));
  const { series } = opening;
  const id = series
    ? idInSeries({ organization: opening.organization, series: series.id, index: series.index })
    : idOfRequest(opening.organization, request);
  return record(store, { id, request, opening });
}

/** Whose a new deliberation is. @throws Fault `invalid-request` */
export const organizationOf = (organization = "local"): OrganizationId =>
  checked("the organization", OrganizationId, organization);

const pinned = <T>(all: Readonly<Record<string, T>>, pin: (one: T) => Digest): Record<string, Digest> =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, pin(one)]));

const invalid = (problem: string) => new Fault("invalid-request", { problem });

/** @throws Fault `invalid-request`, with every problem and where it is */
function checked<S extends z.ZodType>(what: string, schema: S, value: unknown): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw invalid(`${what} cannot be opened: ${z.prettifyError(read.error).replaceAll(/\s*\n\s*/g, " ")}`);
}

/** Settings as the protocol's own schema reads them. @throws Fault `invalid-request` */
export const settingsOf = (protocol: AnyProtocol, settings: Opening["settings"]): unknown =>
  checked(`a ${protocol.name} with these settings`, protocol.settings, settings);

type NewOpening = { readonly id: DeliberationId; readonly request: string; readonly opening: Opening };

async function record(store: OrganizationStore, { id, request, opening }: NewOpening): Promise<OpenResult> {
  const event = checkedEvent({ type: "deliberation-opened", data: opening }); // by `open`, with all its problems
  const appended = await store.append(id, [event], { by: "open", request });
  const opened = appended.ok ? appended.events[0] : undefined;
  if (!appended.ok || !opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id });
  // What was recorded just now is what was given. (OPEN-3)
  const differs = !appended.fresh && canonical(opened.data) !== canonical(opening);
  return { fresh: appended.fresh, differs, opened };
}

/** What of an opening a fork may change; everything else, the seed included, is the parent's. */
export type ForkChanges = Partial<
  Pick<Opening, "settings" | "participants" | "templates" | "budget" | "protocol" | "reactions">
>;

/** Opens a fork of all that the parent has recorded so far. Texts that the changes name must be in the store. */
export async function fork(
  store: OrganizationStore,
  parent: DeliberationId,
  { request, changes }: { readonly request: string; readonly changes: ForkChanges },
): Promise<OpenResult> {
  const entries = await store.read(parent);
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id: parent });
  // A fork stands beside its parent's series, not in it.
  const { series: _series, ...kept } = opened.data;
  const opening = Opening.parse({ ...kept, ...changes, parent: { id: parent, upToSeq: entries.length } });
  const id = idOfRequest(opening.organization, request);
  return record(store, { id, request, opening });
}

/** What an opening pins, its texts loaded. */
export type PinnedTexts = Omit<ProtocolContext, "ports" | "run" | "settings"> & {
  /** The text of a digest that the opening names. @throws Fault `text-missing` */
  readonly text: (digest: string | undefined) => string;
};

/** @throws Fault `text-missing` for a text that the store does not have */
export async function loadPinned(
  store: Pick<Texts, "text">,
  { data: opening, deliberation }: Event<"deliberation-opened">,
): Promise<PinnedTexts> {
  const texts = new Map<string, string>(
    await Promise.all(
      pinnedTexts(opening).map(async (digest) => [digest, await store.text(digest)] as const),
    ),
  );
  const text = (digest = "none"): string => {
    const found = texts.get(digest);
    if (found === undefined) throw new Fault("text-missing", { digest });
    return found;
  };
  // The same texts stand in many prompts.
  const marks = new Map<string, string>();
  return {
    question: opening.question,
    context: opening.context.map((one) => ({ name: one.name, text: text(one.text) })),
    history: (opening.history ?? []).map(({ question, answer }) => ({
      question: text(question),
      answer: text(answer),
    })),
    conversation: DeliberationId.parse(opening.series?.id ?? deliberation),
    seats: (seat) => opening.participants.filter((participant) => participant.seat === seat),
    instructions: (participant) => text(participant.persona.instructions),
    template(name) {
      const digest = opening.templates[name];
      if (digest === undefined) throw new Fault("template-missing", { template: name });
      return text(digest);
    },
    mark(foreign) {
      const mark = marks.get(foreign) ?? fenceMark(opening.seed, foreign);
      marks.set(foreign, mark);
      return mark;
    },
    shuffle: (purpose, items) => shuffle(opening.seed, purpose, items),
    opening,
    text,
  };
}
