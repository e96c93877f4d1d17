import type { DeliberationId, Store, World } from "../kernel/index.ts";
import { Halt } from "./halt.ts";

export const LEASE_MS = 15_000;

/** Names the one worker that runs a reactor for the whole store; with a deliberation, the one that drains it there. */
export const leaseName = (reactor: { readonly name: string }, id?: DeliberationId): string =>
  `reactor/${reactor.name}${id === undefined ? "" : `/${id}`}`;

export type Held = {
  /** Aborts when the lease is lost, or with the worker. */
  readonly signal: AbortSignal;
  lose(): void;
  /** Stops renewing. */
  end(): Promise<void>;
};

/** Renews a lease that is held; to lose it, or not to reach the store, is to stop. */
export function hold(
  { store, world }: { readonly store: Pick<Store, "lease">; readonly world: World },
  { name, ttlMs }: { readonly name: string; readonly ttlMs: number },
  { worker, signal: outer }: { readonly worker: string; readonly signal: AbortSignal },
): Held {
  const own = new AbortController();
  const lose = () => own.abort(new Halt("interrupted"));
  const signal = AbortSignal.any([outer, own.signal]);
  const renewing = (async () => {
    for (;;) {
      await world.sleep(ttlMs / 3, signal);
      if (signal.aborted) return;
      if (!(await store.lease(name, worker, ttlMs).catch(() => false))) return lose();
    }
  })();
  return {
    signal,
    lose,
    end() {
      lose();
      return renewing;
    },
  };
}
