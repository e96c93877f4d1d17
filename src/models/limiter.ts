// Of the calls that may go, the one that has waited longest goes first; a model that is full holds up no other.
// A place is given back exactly once, and every way out of a call gives it back.
// One wave of 429s halves a lane once: a 429 to a call that was sent before the last halving says nothing new.
// A lane whose limit nobody chose begins low and doubles with each round of answers until the first 429 (slow start, RFC 5681).
// What a minute may have is counted by provider, whoever asks: it is the provider that counts.

import type { Clock } from "./clock.ts";
import { createRateWindow, type RateLimits, type RateWindow } from "./rate-window.ts";

/** How many calls may be in flight with a provider in all, and with one of its models. */
export type ConcurrencyLimits = {
  readonly provider: number;
  readonly model: number;
  /** With how many of these a provider and a model begin; by default with all. */
  readonly first?: { readonly provider: number; readonly model: number } | undefined;
  /** How many different models may be at work at once, where the machine holds no more; any number by default. */
  readonly models?: number | undefined;
};

type Lane = {
  readonly cap: number;
  readonly first: number;
  /** Halved by a 429, and one more for every round of answers, up to the cap (additive increase, multiplicative decrease). */
  limit: number;
  inFlight: number;
  wave: number;
};

type Waiter = {
  readonly ticket: number;
  readonly sinceMs: number;
  readonly tokens: number;
  readonly grant: () => void;
};

type ModelLane = Lane & {
  readonly waiting: Set<Waiter>;
  pausedUntilMs: number;
  /** Cancels the timer that ends the pause; there is one only while somebody waits for that. */
  wake: (() => void) | null;
};
type ProviderLane = Lane & {
  readonly models: Map<string, ModelLane>;
  readonly together: number;
  readonly window: RateWindow | null;
  /** Cancels the timer that waits for the minute to have room. */
  wake: (() => void) | null;
};

export type AttemptOutcome = {
  /** The provider answered as asked, so that more may be tried. */
  readonly ok: boolean;
  /** Too much was in flight. */
  readonly crowded: boolean;
  /** The provider wants no call to this model for so long; null where it did not say. */
  readonly pauseMs: number | null;
  /** The tokens that it took; undefined where nobody knows, and then those that it could take count. */
  readonly tokens?: number | undefined;
};

export type Slot = { release(outcome: AttemptOutcome): void };

export type RateKey = {
  readonly provider: string;
  readonly model: string;
  readonly limits: ConcurrencyLimits;
  /** What a minute may have, and under which name it is counted: the provider's by default. */
  readonly rates?: (RateLimits & { readonly account: string }) | undefined;
  /** A crowded model says nothing about its provider's other models. */
  readonly router: boolean;
};

export type Limiter = ReturnType<typeof createLimiter>;

/** What a call says while it queues. */
type Queueing = {
  /** The tokens that it may take. */
  readonly tokens?: number;
  /** Called where it cannot go at once. */
  readonly onWait?: () => void;
};

/** So long a model is kept at work past one that has waited longer; to change it means to load it. */
const MAX_PASSED_MS = 120_000;

function newLane(cap: number, from = cap): Lane {
  const first = Math.min(cap, from);
  return { cap, first, limit: first, inFlight: 0, wave: 0 };
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
  const isStarting = lane.wave === 0 && lane.first < lane.cap;
  lane.limit = Math.min(lane.cap, lane.limit + (isStarting ? 1 : 1 / lane.limit));
}

export function createLimiter(clock: Clock) {
  const providers = new Map<string, ProviderLane>();
  const windows = new Map<string, RateWindow>();
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
    const { together } = provider;
    const isFull =
      together < provider.models.size &&
      [...provider.models.values()].filter(({ inFlight }) => inFlight > 0).length >= together;
    for (const lane of provider.models.values()) {
      const [waiter] = lane.waiting;
      if (waiter === undefined) continue;
      if (isFull && lane.inFlight === 0) {
        if (clock.now() - waiter.sinceMs > MAX_PASSED_MS) return null;
        continue;
      }
      if (waiter.ticket >= oldest || !hasRoom(lane) || isPaused(provider, lane)) continue;
      best = lane;
      oldest = waiter.ticket;
    }
    return best;
  };

  /** Whether the minute has room for a request; where not, it is looked at again when it has. */
  const isInTime = (provider: ProviderLane, tokens: number): boolean => {
    const waitMs = provider.window?.waitMs(tokens, clock.now()) ?? 0;
    if (waitMs <= 0) return true;
    provider.wake ??= clock.after(waitMs, () => {
      provider.wake = null;
      pump(provider);
    });
    return false;
  };

  const pump = (provider: ProviderLane): void => {
    while (hasRoom(provider)) {
      const lane = next(provider);
      const [waiter] = lane?.waiting ?? [];
      if (lane === null || waiter === undefined || !isInTime(provider, waiter.tokens)) return;
      lane.waiting.delete(waiter);
      lane.inFlight += 1;
      provider.inFlight += 1;
      waiter.grant();
    }
  };

  const forget = (provider: ProviderLane, model: string, lane: ModelLane): void => {
    const idle = lane.inFlight === 0 && lane.waiting.size === 0;
    if (idle && lane.limit >= lane.first && lane.pausedUntilMs <= clock.now()) provider.models.delete(model);
  };

  const windowOf = (rates: RateKey["rates"]): RateWindow | null => {
    if (rates?.requests === undefined && rates?.tokens === undefined) return null;
    const window = windows.get(rates.account) ?? createRateWindow(rates);
    windows.set(rates.account, window);
    return window;
  };

  const lanesOf = ({ provider: name, model, limits: caps, rates }: RateKey) => {
    let provider = providers.get(name);
    if (provider === undefined) {
      const [window, together] = [windowOf(rates), caps.models ?? Infinity];
      const lane = newLane(caps.provider, caps.first?.provider);
      provider = { ...lane, models: new Map(), together, window, wake: null };
      providers.set(name, provider);
    }
    let lane = provider.models.get(model);
    if (lane === undefined) {
      lane = { ...newLane(caps.model, caps.first?.model), waiting: new Set(), pausedUntilMs: 0, wake: null };
      provider.models.set(model, lane);
    }
    return { provider, lane };
  };

  const slotIn = (
    place: RateKey,
    { provider, lane }: ReturnType<typeof lanesOf>,
    tokensAtMost: number,
  ): Slot => {
    const waves = { provider: provider.wave, model: lane.wave };
    const correct = provider.window?.take(tokensAtMost, clock.now());
    let held = true;
    return {
      release: ({ ok, crowded, pauseMs, tokens }) => {
        if (!held) return;
        held = false;
        if (tokens !== undefined) correct?.(tokens);
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
        // What it did not take is there for others before the timer says so.
        provider.wake?.();
        provider.wake = null;
        pump(provider);
        forget(provider, place.model, lane);
      },
    };
  };

  return {
    /** A place for one attempt, in turn; null when `signal` aborted first, and then no place is held. */
    acquire: (
      place: RateKey,
      signal: AbortSignal,
      { tokens = 0, onWait }: Queueing = {},
    ): Promise<Slot | null> =>
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
          if ([...lanes.provider.models.values()].every((one) => one.waiting.size === 0)) {
            lanes.provider.wake?.();
            lanes.provider.wake = null;
          }
          forget(lanes.provider, place.model, lanes.lane);
          resolve(null);
        };
        const waiter: Waiter = {
          ...{ ticket: (tickets += 1), sinceMs: clock.now(), tokens },
          grant: () => {
            signal.removeEventListener("abort", leave);
            resolve(slotIn(place, lanes, tokens));
          },
        };
        lanes.lane.waiting.add(waiter);
        pump(lanes.provider);
        // Most go at once and have nothing to listen for.
        if (!lanes.lane.waiting.has(waiter)) return;
        signal.addEventListener("abort", leave);
        onWait?.();
      }),
  };
}
