import type { Entry, Event } from "./envelope.ts";
import type { EventType } from "./event.ts";

/** A view: a pure fold. No clock, no I/O, no randomness; the same events give the same state. */
export interface Projection<S> {
  readonly name: string;
  readonly initial: S;
  readonly on: { readonly [T in EventType]?: (state: S, event: Event<T>) => S };
}

export const defineProjection = <S>(projection: Projection<S>): Projection<S> => projection;

export function fold<S>(projection: Projection<S>, events: Iterable<Entry>, from: S = projection.initial): S {
  let state = from;
  for (const event of events) state = apply(projection, state, event);
  return state;
}

/** One event's worth of `fold`; live views use it on each arriving event. */
export function apply<S>(projection: Projection<S>, state: S, event: Entry): S {
  if (event.type === "unknown") return state;
  // TypeScript cannot correlate `on[event.type]` with `event`; the mapped type above guarantees it.
  const handler = projection.on[event.type] as ((state: S, event: Event) => S) | undefined;
  return handler ? handler(state, event) : state;
}
