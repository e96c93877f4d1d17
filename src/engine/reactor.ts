import type * as z from "zod";
import { Fault, type Entry, type Event, type EventType, type Opening } from "../kernel/index.ts";
import type { Floor, Turn } from "./protocol.ts";
import type { Run } from "./run.ts";

/** What a reaction may touch. Its steps' origins name the reactor and the event, so a redelivery recalls them. */
export interface Reaction<S = unknown> extends Omit<Floor<S>, "history"> {
  readonly run: Run;
  /** As the opening pins them for this reactor. */
  readonly settings: S;
  /** What the deliberation's journal holds at the time of the reaction. */
  readonly history: readonly Entry[];
  /** What was asked and answered before in the conversation, as pinned, oldest first. */
  readonly turns: readonly Turn[];
}

/** Watches the journal and answers events with events, after the fact. Nothing waits for it. */
export interface Reactor<T extends EventType = EventType, S = unknown> {
  readonly name: string;
  readonly on: readonly T[];
  readonly emits: readonly EventType[];
  /** Of what an opening pins for it; it reacts where one does. Without a schema it reacts to every deliberation. */
  readonly settings?: z.ZodType<S>;
  /**
   * Which of these events it answers, from what the journal held by then; without it, all. Such an event is behind
   * until the journal holds something that this reactor said to it.
   */
  due?(event: Event<T>, before: readonly Entry[]): boolean;
  react(event: Event<T>, reaction: Reaction<S>): Promise<void>;
}

/** A reactor of any event types and settings, as a registry holds it; it is only given events of the types in `on`. */
export type AnyReactor = Omit<Reactor, "react" | "due" | "settings"> & {
  readonly settings?: z.ZodType;
  due?(event: Event<never>, before: readonly Entry[]): boolean;
  react(event: Event<never>, reaction: Reaction<never>): Promise<void>;
};

/** @throws Fault `reactor-loops` when it listens to a type that it emits */
export function defineReactor<const T extends EventType, S>(reactor: Reactor<T, S>): Reactor<T, S> {
  // `includes` is asked about a narrower type than the array's own.
  const loop = reactor.on.find((type) => (reactor.emits as readonly string[]).includes(type));
  if (loop !== undefined) throw new Fault("reactor-loops", { name: reactor.name, type: loop });
  return reactor;
}

/** Whether this reactor takes part in a deliberation that was opened like this. */
export const takesPart = (reactor: AnyReactor, { reactions }: Pick<Opening, "reactions">): boolean =>
  reactor.settings === undefined || reactions?.[reactor.name] !== undefined;

/**
 * Whether a reactor has to answer an entry, as far as the journal alone tells. An adopted event triggers nothing, nor do a
 * reactor's own, nor the notes of reactions that could not be made.
 * @param before what the deliberation's journal held up to and including the entry, in order
 */
export function owes(reactor: AnyReactor, entry: Entry, before: readonly Entry[]): boolean {
  const opened = before[0];
  if (!listensTo(reactor, entry) || opened?.type !== "deliberation-opened") return false;
  if (!takesPart(reactor, opened.data)) return false;
  // `listensTo` has admitted the entry's type, which is what the reactor's own functions take.
  return reactor.due?.(entry as Event<never>, before) ?? true;
}

/** The topic of the note that a reaction leaves which could not be made. */
export const FAILED_REACTION = "reaction-failed";

/** As `owes`, by the entry alone. */
export function listensTo(reactor: AnyReactor, entry: Entry): boolean {
  const { origin } = entry;
  // `includes` is asked about a wider type than the array's own.
  if (!(reactor.on as readonly string[]).includes(entry.type) || origin.by === "adopted") return false;
  if (origin.by !== "reactor") return true;
  const failed = entry.type === "note-taken" && entry.data.topic === FAILED_REACTION;
  return origin.reactor !== reactor.name && !failed;
}
