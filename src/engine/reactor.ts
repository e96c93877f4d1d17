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
import type { Turn } from "./opening-part.ts";
import type { ProtocolContext, PromptTemplate } from "./protocol.ts";
import type { StepRunner } from "./run.ts";

/** The context of a reaction. Its steps' origins name the reactor and the event, so that a redelivery recalls them. */
export interface Reaction<S = unknown> extends Omit<ProtocolContext<S>, "history"> {
  readonly run: StepRunner;
  /** The reactor's settings, as the opening pins them. */
  readonly settings: S;
  /** The deliberation's journal at the time of the reaction. */
  readonly history: readonly Entry[];
  /** The pinned earlier turns of the conversation, oldest first. */
  readonly turns: readonly Turn[];
}

/** What a reactor needs in an opening. */
export type ReactorRequirements = {
  /** The models that the reactor calls, besides those of the participants. */
  readonly models?: readonly ModelRef[];
  /** The templates that the reactor renders. */
  readonly templates?: readonly PromptTemplate[];
};

/**
 * Reacts to recorded events by recording events. Nothing waits for it.
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
  /** The name in the origin of everything that it records. */
  readonly name: string;
  readonly on: readonly T[];
  /** The event types that it records. */
  readonly emits: readonly EventType[];
  /** The schema of its settings. It reacts to deliberations that pin such settings; without a schema, to all. */
  readonly settings?: z.ZodType<S>;
  /** The setting that enables it, as settings files write it; by default its entry below `reactors`. */
  readonly switch?: string;
  /** A word for its work in a status display, or one word per event type. */
  readonly work?: string | { readonly [E in T]: string };
  /** Returns what the opening must hold under these settings. */
  requires?(settings: S): ReactorRequirements;
  /**
   * Decides whether to react to this event; by default always. `before` is the journal up to and including the event. The
   * event counts as backlog until the journal holds the reaction's outcome.
   */
  shouldReact?(event: Event<T>, before: readonly Entry[], settings: S): boolean;
  /** Reacts to the event, or returns `nothing-to-say`, which also counts as handled. */
  react(event: Event<T>, reaction: Reaction<S>): Promise<void | typeof NOTHING_TO_SAY>;
}

/** A reactor with any event types and settings, as a registry holds it. It receives only events of the types in `on`. */
export type AnyReactor = Omit<Reactor, "react" | "shouldReact" | "requires" | "settings" | "work"> & {
  readonly settings?: z.ZodType;
  readonly work?: string | { readonly [E in EventType]?: string };
  requires?(settings: never): ReactorRequirements;
  shouldReact?(event: Event<never>, before: readonly Entry[], settings: never): boolean;
  react(event: Event<never>, reaction: Reaction<never>): Promise<void | typeof NOTHING_TO_SAY>;
};

/** @throws Fault `reactor-loops` if it subscribes to a type that it emits */
export function defineReactor<const T extends EventType, S>(reactor: Reactor<T, S>): Reactor<T, S> {
  refuseCircles([reactor]);
  return reactor;
}

type DeclaredTypes = Pick<Reactor, "name" | "on" | "emits">;

/**
 * Refuses reactors that would answer each other without end, by the types that they declare.
 * @throws Fault `reactor-loops` with the names of a circle, the shortest from the first reactor that is in one
 */
export function refuseCircles(reactors: readonly DeclaredTypes[]): void {
  for (const first of reactors) {
    const circle = circleFrom(first, reactors);
    if (!circle) continue;
    const types = circle.map((reactor, index) => answeredType(circle.at(index - 1) ?? first, reactor) ?? "");
    throw new Fault("reactor-loops", { names: circle.map(({ name }) => name), types });
  }
}

/** The type that `later` subscribes to and `earlier` emits; undefined where there is none. */
const answeredType = (earlier: DeclaredTypes, later: DeclaredTypes): string | undefined =>
  later.on.find((type) => earlier.emits.includes(type));

/** The reactors from `first` to one that `first` answers, each answering the one before; undefined where there are none. */
function circleFrom(
  first: DeclaredTypes,
  reactors: readonly DeclaredTypes[],
): readonly DeclaredTypes[] | undefined {
  const seen = new Set<DeclaredTypes>([first]);
  const paths: (readonly DeclaredTypes[])[] = [[first]];
  for (let path = paths.shift(); path; path = paths.shift()) {
    const last = path.at(-1) ?? first;
    if (answeredType(last, first) !== undefined) return path;
    for (const next of reactors)
      if (!seen.has(next) && answeredType(last, next) !== undefined) {
        seen.add(next);
        paths.push([...path, next]);
      }
  }
  return undefined;
}

export function isEnabledFor(reactor: AnyReactor, { reactions }: Pick<Opening, "reactions">): boolean {
  return reactor.settings === undefined || reactions?.[reactor.name] !== undefined;
}

/** A reactor's pinned settings; `ok: false` if they cannot be parsed. */
export type PinnedSettings = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** @throws Fault `text-missing`, ZodError for settings that do not fit the schema */
export async function loadReactorSettings(
  store: Pick<Texts, "text">,
  reactor: AnyReactor,
  { reactions }: Pick<Opening, "reactions">,
): Promise<unknown> {
  const digest = reactions?.[reactor.name];
  if (!reactor.settings || digest === undefined) return undefined;
  return reactor.settings.parse(JSON.parse(await store.text(digest)));
}

/** Like `loadReactorSettings`, but returns errors instead of throwing them. */
export async function tryReactorSettings(
  ...pinned: Parameters<typeof loadReactorSettings>
): Promise<PinnedSettings> {
  try {
    return { ok: true, value: await loadReactorSettings(...pinned) };
  } catch {
    return { ok: false };
  }
}

export type Delivery = {
  /** The deliberation's journal up to and including the entry, in order. */
  readonly before: readonly Entry[];
  /** The reactor's settings. If they cannot be parsed, a reaction is needed, because it records that failure. */
  readonly settings: PinnedSettings;
};

export function needsReaction(reactor: AnyReactor, entry: Entry, { before, settings }: Delivery): boolean {
  const opened = before[0];
  if (!subscribesTo(reactor, entry) || opened?.type !== "deliberation-opened") return false;
  if (!isEnabledFor(reactor, opened.data)) return false;
  if (!reactor.shouldReact || !settings.ok) return true;
  // `subscribesTo` has checked the entry's type, and the reactor's schema the settings.
  return reactor.shouldReact(entry as Event<never>, before, settings.value as never);
}

/** The return value of a reaction without a result, and the topic of the note that records it. */
export const NOTHING_TO_SAY = "nothing-to-say";

/** True if a reactor receives an entry (see REACT-5). */
export function subscribesTo(reactor: AnyReactor, entry: Entry): boolean {
  const { origin } = entry;
  // `includes` accepts only the array's own element type.
  if (!(reactor.on as readonly string[]).includes(entry.type)) return false;
  if (origin.by === "adopted" || (origin.by === "client" && origin.from !== undefined)) return false;
  if (origin.by !== "reactor") return true;
  const isEngines =
    (entry.type === "reaction-failed" && entry.data.code === "reaction-failed") ||
    (entry.type === "note-taken" && entry.data.topic === NOTHING_TO_SAY);
  return origin.reactor !== reactor.name && !isEngines;
}

/** The default word for a reactor's work. */
const REACTING = "reacting";

export function workOn({ work }: Pick<AnyReactor, "work">, type: EventType): string {
  return (typeof work === "string" ? work : work?.[type]) ?? REACTING;
}

/** A reactor with settings, which is loaded only if an opening pins some for it. */
export type LazyReactor = { readonly name: string; load(): Promise<AnyReactor> };

export type Reactors = readonly (AnyReactor | LazyReactor)[];

/** Loads the wanted lazy reactors, all by default, and returns them with the loaded ones in order. @throws Fault `reactor-loops` */
export async function loadReactors(
  reactors: Reactors,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly AnyReactor[]> {
  const loaded = await Promise.all(
    reactors.map(async (reactor) => {
      if (!("load" in reactor)) return reactor;
      return isWanted(reactor.name) ? reactor.load() : undefined;
    }),
  );
  const wanted = loaded.filter((reactor) => reactor !== undefined);
  refuseCircles(wanted);
  return wanted;
}
