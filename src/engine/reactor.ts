import { Fault, type Entry, type Event, type EventType } from "../kernel/index.ts";
import type { Run } from "./run.ts";

/** What a reaction may touch. Its steps' origins name the reactor and the event, so a redelivery recalls them. */
export interface Reaction {
  readonly run: Run;
  /** What the deliberation's journal holds at the time of the reaction. */
  readonly history: readonly Entry[];
}

/** Watches the journal and answers events with events, after the fact. Nothing waits for it. */
export interface Reactor<T extends EventType = EventType> {
  readonly name: string;
  readonly on: readonly T[];
  readonly emits: readonly EventType[];
  react(event: Event<T>, reaction: Reaction): Promise<void>;
}

/** A reactor of any event types, as a registry holds it; it is only given events of the types in `on`. */
export type AnyReactor = Omit<Reactor, "react"> & {
  react(event: Event<never>, reaction: Reaction): Promise<void>;
};

/** @throws Fault `reactor-loops` when it listens to a type that it emits */
export function defineReactor<const T extends EventType>(reactor: Reactor<T>): Reactor<T> {
  // `includes` is asked about a narrower type than the array's own.
  const loop = reactor.on.find((type) => (reactor.emits as readonly string[]).includes(type));
  if (loop !== undefined) throw new Fault("reactor-loops", { name: reactor.name, type: loop });
  return reactor;
}
