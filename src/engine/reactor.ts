import type * as z from "zod";
import {
  Fault,
  type Entry,
  type Event,
  type EventType,
  type ModelRef,
  type Opening,
  type Texts,
} from "../kernel/index.ts";
import type { ProtocolContext, PromptTemplate, Turn } from "./protocol.ts";
import type { StepRunner } from "./run.ts";

/** What a reaction may touch. Its steps' origins name the reactor and the event, so a redelivery recalls them. */
export interface Reaction<S = unknown> extends Omit<ProtocolContext<S>, "history"> {
  readonly run: StepRunner;
  /** The reactor's settings, as the opening pins them. */
  readonly settings: S;
  /** The deliberation's journal at the time of the reaction. */
  readonly history: readonly Entry[];
  /** The earlier questions and answers of the conversation, as pinned, oldest first. */
  readonly turns: readonly Turn[];
}

/** What an opening has to hold, so that a reactor can work. */
export type ReactorRequirements = {
  /** The models that the reactor calls, beside those of the participants. */
  readonly models?: readonly ModelRef[];
  /** The templates that the reactor renders. */
  readonly templates?: readonly PromptTemplate[];
};

/**
 * Watches the journal and answers events with events, after the fact. Nothing waits for it.
 * @example
 * defineReactor({
 *   name: "length-watch",
 *   on: ["answer-given"],
 *   emits: ["note-taken"],
 *   settings: z.strictObject({ words: z.int().positive() }),
 *   work: "measuring",
 *   shouldReact: ({ data }, _before, { words }) => data.text.split(/\s+/).length > words,
 *   react: async (event, { run }) => void (await run.derive(…)),
 * })
 */
export interface Reactor<T extends EventType = EventType, S = unknown> {
  /** It stands in the origin of everything that the reactor records. */
  readonly name: string;
  /** The types of the events that it answers. */
  readonly on: readonly T[];
  /** The types of the events that it records. */
  readonly emits: readonly EventType[];
  /** The schema of its settings. It reacts to the deliberations whose openings pin some; without a schema, to all. */
  readonly settings?: z.ZodType<S>;
  /** The setting that turns it on, as files write it; by default its own entry below `reactors`. */
  readonly switch?: string;
  /** What it does while it answers an event, as `watch` shows it: one word, or one for each type of event. */
  readonly work?: string | { readonly [E in T]: string };
  /** What the opening has to hold under these settings. */
  requires?(settings: S): ReactorRequirements;
  /**
   * Whether it answers this event; by default it answers all. `before` is the journal up to and including the event. An event
   * that it answers counts as its backlog until the journal holds the reaction's outcome.
   */
  shouldReact?(event: Event<T>, before: readonly Entry[], settings: S): boolean;
  /** Answers the event, or ends in `nothing-to-say`, which counts as answered, too. */
  react(event: Event<T>, reaction: Reaction<S>): Promise<void | typeof NOTHING_TO_SAY>;
}

/** A reactor of any event types and settings, as a registry holds it; it is only given events of the types in `on`. */
export type AnyReactor = Omit<Reactor, "react" | "shouldReact" | "requires" | "settings" | "work"> & {
  readonly settings?: z.ZodType;
  readonly work?: string | { readonly [E in EventType]?: string };
  requires?(settings: never): ReactorRequirements;
  shouldReact?(event: Event<never>, before: readonly Entry[], settings: never): boolean;
  react(event: Event<never>, reaction: Reaction<never>): Promise<void | typeof NOTHING_TO_SAY>;
};

/** @throws Fault `reactor-loops` when it subscribes to a type that it emits */
export function defineReactor<const T extends EventType, S>(reactor: Reactor<T, S>): Reactor<T, S> {
  // `includes` is asked about a narrower type than the array's own.
  const loop = reactor.on.find((type) => (reactor.emits as readonly string[]).includes(type));
  if (loop !== undefined) throw new Fault("reactor-loops", { name: reactor.name, type: loop });
  return reactor;
}

/** Whether this reactor takes part in a deliberation that was opened like this. */
export function isEnabledFor(reactor: AnyReactor, { reactions }: Pick<Opening, "reactions">): boolean {
  return reactor.settings === undefined || reactions?.[reactor.name] !== undefined;
}

/** A reactor's settings as an opening pins them, or that they cannot be read. */
export type PinnedSettings = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** @throws Fault `text-missing`, and what the schema throws for settings that do not fit it */
export async function loadReactorSettings(
  store: Pick<Texts, "text">,
  reactor: AnyReactor,
  { reactions }: Pick<Opening, "reactions">,
): Promise<unknown> {
  const digest = reactions?.[reactor.name];
  if (!reactor.settings || digest === undefined) return undefined;
  return reactor.settings.parse(JSON.parse(await store.text(digest)));
}

/** As `loadReactorSettings`, where settings that cannot be read stop nobody. */
export async function tryReactorSettings(
  ...pinned: Parameters<typeof loadReactorSettings>
): Promise<PinnedSettings> {
  try {
    return { ok: true, value: await loadReactorSettings(...pinned) };
  } catch {
    return { ok: false };
  }
}

/** What decides, beside the entry, whether a reactor has to answer it. */
export type Delivery = {
  /** The deliberation's journal up to and including the entry, in order. */
  readonly before: readonly Entry[];
  /** The reactor's settings. With settings that cannot be read it has to answer, since its reaction records that failure. */
  readonly settings: PinnedSettings;
};

/** Whether a reactor has to answer an entry, as far as the journal and the pinned settings tell. */
export function needsReaction(reactor: AnyReactor, entry: Entry, { before, settings }: Delivery): boolean {
  const opened = before[0];
  if (!subscribesTo(reactor, entry) || opened?.type !== "deliberation-opened") return false;
  if (!isEnabledFor(reactor, opened.data)) return false;
  if (!reactor.shouldReact || !settings.ok) return true;
  // `subscribesTo` has admitted the entry's type, and the reactor's own schema the settings.
  return reactor.shouldReact(entry as Event<never>, before, settings.value as never);
}

/** What a reaction ends in that has nothing to say, and the topic of the note of it. */
export const NOTHING_TO_SAY = "nothing-to-say";

/**
 * Whether a reactor is given an entry. An adopted event triggers nothing, nor do a reactor's own events, nor what the
 * engine itself says of reactions.
 */
export function subscribesTo(reactor: AnyReactor, entry: Entry): boolean {
  const { origin } = entry;
  // `includes` is asked about a wider type than the array's own.
  if (!(reactor.on as readonly string[]).includes(entry.type) || origin.by === "adopted") return false;
  if (origin.by !== "reactor") return true;
  const isEngines =
    (entry.type === "reaction-failed" && entry.data.code === "reaction-failed") ||
    (entry.type === "note-taken" && entry.data.topic === NOTHING_TO_SAY);
  return origin.reactor !== reactor.name && !isEngines;
}

/** The word for a reactor at work without one of its own. */
const REACTING = "reacting";

/** What a reactor does while it answers an event of this type, in a word. */
export function workOn({ work }: Pick<AnyReactor, "work">, type: EventType): string {
  return (typeof work === "string" ? work : work?.[type]) ?? REACTING;
}

/** A reactor with settings of its own: it is loaded where an opening pins some for it. */
export type LazyReactor = { readonly name: string; load(): Promise<AnyReactor> };

/** Reactors in their order, some of them not loaded yet. */
export type Reactors = readonly (AnyReactor | LazyReactor)[];

/** Loads the reactors that are wanted by name, all by default; those that are loaded already are always among them. */
export async function loadReactors(
  reactors: Reactors,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly AnyReactor[]> {
  const loaded = await Promise.all(
    reactors.map(async (one) => {
      if (!("load" in one)) return one;
      return isWanted(one.name) ? one.load() : undefined;
    }),
  );
  return loaded.filter((one) => one !== undefined);
}
