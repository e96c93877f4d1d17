import type { Clock } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EmbeddingWire } from "./embedding-wires.ts";
import { finalTrouble, networkTrouble, type Trouble } from "./failures.ts";
import type { Http } from "./http.ts";
import { exchangeJson } from "./json-exchange.ts";
import type { Limiter } from "./limiter.ts";
import { waitBefore, type Backoff } from "./retry.ts";
import { readVectors, type VectorsReading } from "./vectors.ts";
import { createWatch, type Watch } from "./watch.ts";

export type EmbeddingPersistence = Backoff & {
  /** Attempts at one request at most, the first included. */
  readonly attempts: number;
  /** How long one attempt may take in all. */
  readonly attemptMs: number;
};

export type EmbeddingSurroundings = {
  readonly http: Http;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly limiter: Limiter;
  readonly persistence: EmbeddingPersistence;
};

type Vectors = Extract<VectorsReading, { ok: true }>;
type Answered = Vectors | { readonly ok: false; readonly trouble: Trouble };

/** Why there are no vectors, in words that may hold what the other side said: neither bounded nor cleaned. */
export type Embedded = Vectors | { readonly ok: false; readonly reason: string };

/** Requests at once, over all that ask: whoever embeds has many texts and others are waiting for replies. */
const caps = { provider: 2, model: 2 };

/**
 * Asks for the vectors of one batch until there are some, it may not be asked again, or the watch has ended. An attempt
 * holds one place while it is being made and none while it waits. Does not reject.
 */
export const createEmbeddingCaller = (
  { endpoint, wire }: { readonly endpoint: Endpoint; readonly wire: EmbeddingWire },
  { http, clock, random, limiter, persistence }: EmbeddingSurroundings,
): ((texts: readonly string[], watch: Watch) => Promise<Embedded>) => {
  const { provider, model, key, router } = endpoint;
  const url = wire.url(endpoint.url);
  const headers = key === null ? {} : endpoint.wire.authorize(key);

  const send = async (texts: readonly string[], signal: AbortSignal): Promise<Answered> => {
    const body = JSON.stringify({ model, input: texts });
    const answer = await exchangeJson(http, { url, headers, body, signal }, clock);
    if (!answer.ok) return answer;
    const items = wire.read(answer.value);
    const read: VectorsReading =
      items === null
        ? { ok: false, reason: "the reply does not say which vector is whose" }
        : readVectors(items, texts.length);
    return read.ok ? read : { ok: false, trouble: finalTrouble("unreadable", read.reason) };
  };

  const attempt = async (texts: readonly string[], watch: Watch): Promise<Answered> => {
    const slot = await limiter.acquire({ provider, model, caps, router }, watch.signal);
    if (slot === null) return { ok: false, trouble: finalTrouble("cancelled", "given up") };
    const own = createWatch(clock, { signal: watch.signal, timeoutMs: persistence.attemptMs });
    const outcome = { ok: false, crowded: false, pauseMs: null as number | null };
    try {
      const answered = await send(texts, own.signal);
      outcome.ok = answered.ok;
      if (answered.ok) return answered;
      if (own.stopped() === "timed-out") {
        const words = `no reply from ${url.origin} within ${persistence.attemptMs / 1000} s`;
        return { ok: false, trouble: networkTrouble(words) };
      }
      const { crowded, waitMs } = answered.trouble;
      outcome.crowded = crowded;
      if (waitMs !== null && waitMs < watch.leftMs()) outcome.pauseMs = waitMs;
      return answered;
    } finally {
      own.dispose();
      slot.release(outcome);
    }
  };

  return async (texts, watch) => {
    for (let made = 1; ; made += 1) {
      const answered = await attempt(texts, watch);
      if (answered.ok) return answered;
      const { retry, waitMs: namedMs, words } = answered.trouble;
      const given = { ok: false, reason: words } as const;
      if (watch.stopped() !== null || retry === "never" || made >= persistence.attempts) return given;
      const waitMs = waitBefore(made, namedMs, { ...persistence, random });
      if (waitMs >= watch.leftMs()) return given;
      await watch.sleep(waitMs);
      if (watch.stopped() !== null) return given;
    }
  };
};
