import * as z from "zod";
import {
  canonical,
  checkedEvent,
  Opening,
  READERS_VERSION,
  type Budget,
  DeliberationId,
  type Digest,
  type Event,
  type Json,
  type Models,
  OrganizationId,
  type OrganizationStore,
  isEvent,
  Fault,
  personOf,
  pinnedTexts,
  problemOfOptions,
  type RequestOptions,
  type Texts,
} from "../kernel/index.ts";
import type { NewDeliberation, Turn } from "./opening-part.ts";
import { type AnyProtocol, loadProtocol, type Registry, type ProtocolContext } from "./protocol.ts";
import { idInSeries, idOfRequest, textDigest, fenceMark, shuffle } from "./digest.ts";

/** A deliberation as a library user describes it: plain strings and objects, and texts that are not pinned yet. */
export type DeliberationInput = {
  readonly question: string;
  /** Attachments of the question. */
  readonly context?: NewDeliberation["context"] | undefined;
  readonly protocol: { readonly name: string; readonly version: number };
  /** Validated by the protocol's schema. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** In seat order. `model` is provider/model; `family` is the vendor that trained it, null if unknown. */
  readonly participants: readonly {
    readonly id: string;
    readonly seat: string;
    readonly persona: { readonly name: string; readonly instructions: string };
    readonly model: string;
    readonly family?: string | null | undefined;
    readonly temperature?: number | undefined;
    readonly options?: RequestOptions | undefined;
    /** How it searches the web: by its provider's `own` search, or with these tools. */
    readonly search?: "own" | readonly string[] | undefined;
  }[];
  /** The text of each of the protocol's templates, by name. */
  readonly templates?: Readonly<Record<string, string>> | undefined;
  readonly seed: string;
  readonly budget?: Budget | undefined;
  readonly seatTimeoutMs?: number | undefined;
  readonly contexts?: Readonly<Record<string, number>> | undefined;
  /** `local` by default. */
  readonly organization?: string | undefined;
  readonly user?: string | undefined;
  readonly series?: { readonly id: string; readonly index: number } | undefined;
  readonly previous?: string | undefined;
  readonly history?: readonly Turn[] | undefined;
  /** The parent of a fork that is built by hand; `fork` builds one. */
  readonly parent?: { readonly id: string; readonly upToSeq: number } | undefined;
  /** The settings of each enabled reactor. */
  readonly reactions?: Readonly<Record<string, Json>> | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly client?: { readonly key: string; readonly body: string } | undefined;
};

/** `fresh: false`: the deliberation existed. `differing`: the fields in which the existing one differs from the request. */
export type OpenResult = {
  readonly fresh: boolean;
  readonly differing: readonly (keyof Opening)[];
  readonly opened: Event<"deliberation-opened">;
};

/** What an opening is validated against. */
export type OpeningChecks = {
  readonly store: OrganizationStore;
  readonly models: Pick<Models, "check" | "facts">;
  readonly protocols: Registry<AnyProtocol>;
};

// OPEN-1. Protocol, settings, templates and models are validated before anything is recorded. Else: a run that cannot be driven stays.
// OPEN-2. Within an organization, the same request always names the same deliberation, and so does a position in a series. Else: a repeated
//     request pays for a second run.

/** A checked opening, and the texts that it pins. */
export type CheckedInput = {
  readonly protocol: AnyProtocol;
  readonly opening: Opening;
  readonly texts: ReadonlyMap<Digest, string>;
};

/** Checks an opening; nothing is recorded. @throws Fault `protocol-unknown`, `invalid-request` */
export async function checkInput(
  { models, protocols }: Pick<OpeningChecks, "models" | "protocols">,
  input: DeliberationInput,
): Promise<CheckedInput> {
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
  } = input;
  const protocol = await loadProtocol(protocols, input.protocol); // OPEN-1
  const opening = parseOrRefuse("the deliberation", Opening, {
    settings: {},
    budget: {},
    ...rest,
    organization,
    protocol: { name: protocol.name, version: protocol.version },
    readers: READERS_VERSION,
    ...(history.length > 0
      ? {
          history: history.map(({ question, answer, covers }) => ({
            question: pin(question),
            answer: pin(answer),
            ...(covers === undefined ? {} : { covers }),
          })),
        }
      : {}),
    ...(Object.keys(reactions).length > 0
      ? { reactions: pinAll(reactions, (settings) => pin(canonical(settings))) }
      : {}),
    context: context.map(({ name, text, media }) => {
      if (!media) return { name, text: pin(text) };
      const { data, ...described } = media;
      return { name, text: pin(text), media: { ...described, digest: pin(data) } };
    }),
    participants: input.participants.map((participant) => ({
      family: null,
      ...(models.facts?.(participant.model).thinks ? { thinks: true } : {}),
      ...participant,
      persona: { ...participant.persona, instructions: pin(participant.persona.instructions) },
    })),
    templates: pinAll(templates, pin),
  });
  settingsOf(protocol, opening.settings);
  const needed = [...protocol.templates.map(({ name }) => name), ...(protocol.texts ?? [])];
  const missing = needed.filter((name) => !Object.hasOwn(opening.templates, name));
  if (missing.length > 0) throw invalid(`${protocol.name} needs the templates ${missing.join(", ")}`);
  for (const { id, model, options = {} } of opening.participants) {
    const problem = problemOfOptions(options);
    if (problem !== undefined) throw invalid(`${id}: ${problem}`);
    if (personOf(model) !== undefined) continue;
    const failure = models.check?.(model);
    // A key can still be set before the first call.
    if (failure && failure.code !== "unauthorised") throw invalid(`the model of ${id}: ${failure.message}`);
  }
  return { protocol, opening, texts };
}

/**
 * Opens a deliberation, or returns the existing one. What `checkInput` gave is not checked again.
 * @throws Fault `protocol-unknown`, `invalid-request`
 */
export async function open(
  { store, ...checks }: OpeningChecks,
  request: string,
  input: DeliberationInput | CheckedInput,
): Promise<OpenResult> {
  const { opening, texts } = "texts" in input ? input : await checkInput(checks, input);
  // Texts are stored first, so that an opening never names a missing one.
  await store.putTexts(texts);
  const { series } = opening;
  const id = series
    ? idInSeries({ organization: opening.organization, series: series.id, index: series.index })
    : idOfRequest(opening.organization, request);
  return record(store, { id, request, opening });
}

/** The organization of a new deliberation. @throws Fault `invalid-request` */
export const organizationOf = (organization = "local"): OrganizationId =>
  parseOrRefuse("the organization", OrganizationId, organization);

const pinAll = <T>(values: Readonly<Record<string, T>>, pin: (value: T) => Digest): Record<string, Digest> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, pin(value)]));

const invalid = (problem: string) => new Fault("invalid-request", { problem });

/** @throws Fault `invalid-request`, with every problem and its path */
function parseOrRefuse<S extends z.ZodType>(what: string, schema: S, value: unknown): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw invalid(`${what} cannot be opened: ${z.prettifyError(read.error).replaceAll(/\s*\n\s*/g, " ")}`);
}

/** Parses settings by the protocol's schema. @throws Fault `invalid-request` */
export const settingsOf = (protocol: AnyProtocol, settings: Opening["settings"]): unknown =>
  parseOrRefuse(`a ${protocol.name} with these settings`, protocol.settings, settings);

type NewOpening = { readonly id: DeliberationId; readonly request: string; readonly opening: Opening };

async function record(store: OrganizationStore, { id, request, opening }: NewOpening): Promise<OpenResult> {
  const event = checkedEvent({ type: "deliberation-opened", data: opening }); // `open` and `fork` have parsed it
  const appended = await store.append(id, [event], { by: "open", request });
  const opened = appended.ok ? appended.events[0] : undefined;
  if (!appended.ok) await store.read(id); // says so of one that was forgotten
  if (!appended.ok || !opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id });
  // A fresh opening cannot differ.
  const differing = appended.fresh ? [] : differingFields(opened.data, opening);
  return { fresh: appended.fresh, differing, opened };
}

/** The fields that a request does not ask for: the version of the readers, and where it was asked. */
const NOT_ASKED: ReadonlySet<keyof Opening> = new Set(["prices", "readers", "folder"]);

/** The fields in which two openings differ, of those that a request asks for. */
function differingFields(one: Opening, other: Opening): (keyof Opening)[] {
  const names = Object.keys(Opening.shape) as (keyof Opening)[]; // the schema's own fields
  return names.filter(
    (name) => !NOT_ASKED.has(name) && canonical({ of: one[name] }) !== canonical({ of: other[name] }),
  );
}

/** The fields of an opening that a fork may change; the others, such as the seed, are the parent's. */
export type ForkChanges = Partial<
  Pick<Opening, "settings" | "participants" | "templates" | "budget" | "protocol" | "reactions"> &
    Pick<Opening, "labels" | "client" | "folder" | "prices">
>;

/** `upToSeq`: steps that were recorded later are not taken over; by default all are. */
export type ForkOptions = {
  readonly request: string;
  readonly changes: ForkChanges;
  readonly upToSeq?: number | undefined;
  /** Whether it asks anew what an outage failed. */
  readonly asksOutages?: boolean | undefined;
};

/** Opens a fork of the parent's recorded steps. Texts that the changes name must be in the store. */
export async function fork(
  store: OrganizationStore,
  parent: DeliberationId,
  { request, changes, upToSeq, asksOutages = false }: ForkOptions,
): Promise<OpenResult> {
  const entries = await store.read(parent);
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened"))
    throw new Fault("deliberation-missing", { id: parent });
  if (upToSeq !== undefined && (upToSeq < 1 || upToSeq > entries.length)) {
    const problem = `${parent} has ${entries.length} events, and no seq ${upToSeq} to fork from`;
    throw new Fault("invalid-request", { problem });
  }
  // A fork is not part of its parent's series, and its client is not the parent's.
  const { series: _series, client: _client, ...kept } = opened.data;
  const from = {
    ...{ id: parent, upToSeq: upToSeq ?? entries.length },
    ...(asksOutages ? { asksOutages: true } : {}),
  };
  const opening = Opening.parse({ ...kept, ...changes, parent: from });
  const id = idOfRequest(opening.organization, request);
  return record(store, { id, request, opening });
}

/** An opening with its pinned texts loaded. */
export type PinnedTexts = Omit<ProtocolContext, "ports" | "run" | "settings"> & {
  /** Returns the text of one of the opening's digests. @throws Fault `text-missing` */
  readonly text: (digest: string | undefined) => string;
};

/** Those of an opening's texts that prompts are made from; the bytes of attachments are read when they are sent. */
const shownTexts = (opening: Opening): readonly Digest[] =>
  pinnedTexts({ ...opening, context: opening.context.map(({ name, text }) => ({ name, text })) });

/** @throws Fault `text-missing` for a text that the store does not have */
export async function loadPinned(
  store: Pick<Texts, "text">,
  { data: opening, deliberation }: Event<"deliberation-opened">,
): Promise<PinnedTexts> {
  const texts = new Map<string, string>(
    await Promise.all(shownTexts(opening).map(async (digest) => [digest, await store.text(digest)] as const)),
  );
  const text = (digest = "none"): string => {
    const pinnedText = texts.get(digest);
    if (pinnedText === undefined) throw new Fault("text-missing", { digest });
    return pinnedText;
  };
  // Cached, because many prompts contain the same texts.
  const marks = new Map<string, string>();
  return {
    question: opening.question,
    context: opening.context.map(({ name, text: digest, media }) => ({
      ...{ name, text: text(digest) },
      ...(media ? { media } : {}),
    })),
    history: (opening.history ?? []).map(({ question, answer, covers }) => ({
      question: text(question),
      answer: text(answer),
      ...(covers === undefined ? {} : { covers }),
    })),
    deliberation,
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
