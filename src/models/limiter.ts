// Of the calls that may go, the one that has waited longest goes first; a model that is full holds up no other.
// A place is given back exactly once, and every way out of a call gives it back.
// One wave of 429s halves a lane once: a 429 to a call that was sent before the last halving says nothing new.

import type { Clock } from "./clock.ts";

/** How many calls may be in flight with a provider in all, and with one of its models. */
export type ConcurrencyLimits = { readonly provider: number; readonly model: number };

type Lane = {
  readonly cap: number;
  /** Halved by a 429, and one more for every round of answers, up to the cap (additive increase, multiplicative decrease). */
  limit: number;
  inFlight: number;
  wave: number;
};

type Waiter = { readonly ticket: number; readonly grant: () => void };

type ModelLane = Lane & {
  readonly waiting: Set<Waiter>;
  pausedUntilMs: number;
  /** Cancels the timer that ends the pause; there is one only while somebody waits for that. */
  wake: (() => void) | null;
};
type ProviderLane = Lane & { readonly models: Map<string, ModelLane> };

export type AttemptOutcome = {
  /** The provider answered as asked, so that more may be tried. */
  readonly ok: boolean;
  /** Too much was in flight. */
  readonly crowded: boolean;
  /** The provider wants no call to this model for so long; null where it did not say. */
  readonly pauseMs: number | null;
};

export type Slot = { release(outcome: AttemptOutcome): void };

export type RateKey = {
  readonly provider: string;
  readonly model: string;
  readonly limits: ConcurrencyLimits;
  /** A crowded model says nothing about its provider's other models. */
  readonly router: boolean;
};

export type Limiter = ReturnType<typeof createLimiter>;

function newLane(cap: number): Lane {
  return { cap, limit: cap, inFlight: 0, wave: 0 };
}

function hasRoom(lane: Lane): boolean {
  return lane.inFlight < Math.floor(lane.limit);
}

function halve(lane: Lane, wave: number): void {
  // A call that was alone was not one too many: it came too soon.
  if (wave !== lane.wave || lane.inFlight <= 1) return;
  lane.limit = Math.max(1, Math.floor(Math.min(lane.inFlight, lane.limit) / 2));
  lane.wave += 1;
}

function raise(lane: Lane): void {
  lane.limit = Math.min(lane.cap, lane.limit + 1 / lane.limit);
}

export function createLimiter(clock: Clock) {
  const providers = new Map<string, ProviderLane>();
  let tickets = 0;

  const isPaused = (provider: ProviderLane, lane: ModelLane): boolean => {
    const leftMs = lane.pausedUntilMs - clock.now();
    if (leftMs <= 0) return false;
    lane.wake ??= clock.after(leftMs, () => {
      lane.wake = null;
      pump(provider);
    });
    return true;
  };

  const next = (provider: ProviderLane): ModelLane | null => {
    let best: ModelLane | null = null;
    let oldest = Number.POSITIVE_INFINITY;
    for (const lane of provider.models.values()) {
      const [waiter] = lane.waiting;
      if (waiter === undefined || waiter.ticket >= oldest) continue;
      if (!hasRoom(lane) || isPaused(provider, lane)) continue;
      best = lane;
      oldest = waiter.ticket;
    }
    return best;
  };

  const pump = (provider: ProviderLane): void => {
    while (hasRoom(provider)) {
      const lane = next(provider);
      const [waiter] = lane?.waiting ?? [];
      if (lane === null || waiter === undefined) return;
      lane.waiting.delete(waiter);
      lane.inFlight += 1;
      provider.inFlight += 1;
      waiter.grant();
    }
  };

  const forget = (provider: ProviderLane, model: string, lane: ModelLane): void => {
    const idle = lane.inFlight === 0 && lane.waiting.size === 0;
    if (idle && lane.limit >= lane.cap && lane.pausedUntilMs <= clock.now()) provider.models.delete(model);
  };

  const lanesOf = ({ provider: name, model, limits: caps }: RateKey) => {
    let provider = providers.get(name);
    if (provider === undefined) {
      provider = { ...newLane(caps.provider), models: new Map() };
      providers.set(name, provider);
    }
    let lane = provider.models.get(model);
    if (lane === undefined) {
      lane = { ...newLane(caps.model), waiting: new Set(), pausedUntilMs: 0, wake: null };
      provider.models.set(model, lane);
    }
    return { provider, lane };
  };

  const slotIn = (place: RateKey, { provider, lane }: ReturnType<typeof lanesOf>): Slot => {
    const waves = { provider: provider.wave, model: lane.wave };
    let held = true;
    return {
      release: ({ ok, crowded, pauseMs }) => {
        if (!held) return;
        held = false;
        if (crowded) {
          halve(lane, waves.model);
          if (!place.router) halve(provider, waves.provider);
        } else if (ok) {
          raise(lane);
          raise(provider);
        }
        lane.inFlight -= 1;
        provider.inFlight -= 1;
        if (pauseMs !== null && pauseMs > 0)
          lane.pausedUntilMs = Math.max(lane.pausedUntilMs, clock.now() + pauseMs);
        pump(provider);
        forget(provider, place.model, lane);
      },
    };
  };

  return {
    /** A place for one attempt, in turn; null when `signal` aborted first, and then no place is held. */
    acquire: (place: RateKey, signal: AbortSignal): Promise<Slot | null> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const lanes = lanesOf(place);
        const leave = (): void => {
          const { waiting } = lanes.lane;
          waiting.delete(waiter);
          if (waiting.size === 0) {
            lanes.lane.wake?.();
            lanes.lane.wake = null;
          }
          forget(lanes.provider, place.model, lanes.lane);
          resolve(null);
        };
        const waiter: Waiter = {
          ticket: (tickets += 1),
          grant: () => {
            signal.removeEventListener("abort", leave);
            resolve(slotIn(place, lanes));
          },
        };
        lanes.lane.waiting.add(waiter);
        pump(lanes.provider);
        // Most go at once and have nothing to listen for.
        if (lanes.lane.waiting.has(waiter)) signal.addEventListener("abort", leave);
      }),
  };
}
