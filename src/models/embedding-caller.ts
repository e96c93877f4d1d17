import { keyHeaders, urlAt, type Endpoint } from "./endpoint.ts";
import { toCount, toItems, toObject, parseJson } from "./loose.ts";
import { wires } from "./wires/index.ts";
import type { CallServices, RetryPolicy } from "./caller.ts";
import { createWatch, type Watch, type Clock } from "./clock.ts";
import { finalProblem, networkProblem, problemFromBody, problemFromStatus } from "./failures.ts";
import type { CallProblem } from "./failures.ts";
import { exchangeWhole, type Http, type Exchange } from "./http.ts";
import { waitBefore } from "./retry.ts";

/** Google takes 100 texts a request, OpenAI 2,048. */
const MAX_TEXTS = 96;
/**
 * UTF-16 units of all texts of a request together. Mistral takes 16,384 tokens a request and OpenAI 300,000; a token
 * is 3 characters of Latin text or more.
 */
const MAX_TOGETHER_LENGTH = 32_000;
/** Of one text: OpenAI's and Mistral's models take 8,192 tokens. */
const MAX_TEXT_LENGTH = 24_000;

/** A text as an embedding model can take it: none is empty, and of one that is too long its beginning stands for it. */
function fitText(text: string): string {
  if (text === "") return " ";
  return text.length <= MAX_TEXT_LENGTH
    ? text
    : text.slice(0, MAX_TEXT_LENGTH).replace(/[\uD800-\uDBFF]$/, "");
}

/** The texts in their order, in as many requests as the limits above want. */
export function textBatches(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let together = 0;
  for (const text of texts.map(fitText)) {
    if (batch.length === MAX_TEXTS || (batch.length > 0 && together + text.length > MAX_TOGETHER_LENGTH)) {
      batches.push(batch);
      batch = [];
      together = 0;
    }
    batch.push(text);
    together += text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** More than any model gives; it bounds what a reply may cost. */
const MAX_DIMENSIONS = 16_384;

function isVector(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((component) => Number.isFinite(component))
  );
}

/** Whether all have as many numbers as the first. */
export function haveEqualLengths(vectors: readonly (readonly number[])[]): boolean {
  return vectors.every(({ length }) => length === vectors[0]?.length);
}

/** How vectors are asked for. Every wire takes `{model, input}`, the input a list of texts. */
export type EmbeddingWire = {
  /** Where requests go, from an endpoint's base URL. */
  readonly path: string;
  /** What stands for vectors in a reply, in the order of the texts and not yet checked; null where that cannot be told. */
  read(reply: unknown): readonly unknown[] | null;
};

/** `POST /embeddings` as OpenAI defines it and many servers speak it. Items carry the index of their text, in any order. */
const openaiCompatible: EmbeddingWire = {
  path: "/embeddings",
  read: (reply) => {
    const items = toItems(toObject(reply)["data"]);
    const placed = new Map<number, unknown>();
    for (const [position, item] of items.entries()) {
      const { index, embedding } = toObject(item);
      const place = index === undefined ? position : toCount(index);
      if (place === null || place >= items.length || placed.has(place)) return null;
      placed.set(place, embedding);
    }
    return items.map((_, place) => placed.get(place));
  },
};

/** Ollama's own `POST /api/embed`, which also cuts what is too long for the model. */
const ollama: EmbeddingWire = { path: "/api/embed", read: (reply) => toItems(toObject(reply)["embeddings"]) };

/** The wire over which an endpoint gives vectors, or null where it has none to give. */
export function findEmbeddingWire({ wire }: Endpoint): EmbeddingWire | null {
  if (wire === wires.ollama) return ollama;
  return wire === wires.openai ? openaiCompatible : null;
}

/** `attempts` are those at one request at most, the first included. */
export type EmbeddingRetryPolicy = RetryPolicy & {
  /** How long one attempt may take in all. */
  readonly attemptMs: number;
};

export type EmbeddingServices = CallServices & {
  readonly http: Http;
  readonly persistence: EmbeddingRetryPolicy;
};

/** The problem's words may hold what the other side said: they are neither bounded nor cleaned. */
export type EmbeddingAttempt =
  | { readonly ok: true; readonly vectors: readonly (readonly number[])[] }
  | { readonly ok: false; readonly problem: CallProblem };

function unreadable(words: string): EmbeddingAttempt {
  return { ok: false, problem: finalProblem("unreadable", words) };
}

/** `items` as vectors of finite numbers: one for each of `count` texts. */
function readVectors(items: readonly unknown[] | null, count: number): EmbeddingAttempt {
  if (items === null) return unreadable("the reply does not say which vector is whose");
  if (items.length !== count) return unreadable(`the reply has ${items.length} vectors for ${count} texts`);
  const vectors = items.filter(isVector);
  return vectors.length === count
    ? { ok: true, vectors }
    : unreadable("the reply has a vector that is no list of finite numbers");
}

/** Requests at once, over all that ask: whoever embeds has many texts and others are waiting for replies. */
const caps = { provider: 2, model: 2 };

/**
 * Asks for the vectors of one batch until there are some, it may not be asked again, or the watch has ended. An attempt
 * holds one place while it is being made and none while it waits. Does not reject.
 */
export function createEmbeddingCaller(
  { endpoint, wire }: { readonly endpoint: Endpoint; readonly wire: EmbeddingWire },
  { http, clock, random, limiter, persistence }: EmbeddingServices,
): (texts: readonly string[], watch: Watch) => Promise<EmbeddingAttempt> {
  const { provider, model, router } = endpoint;
  const url = urlAt(endpoint, wire.path);
  const headers = { ...endpoint.options.headers, ...keyHeaders(endpoint) };

  const send = async (texts: readonly string[], signal: AbortSignal): Promise<EmbeddingAttempt> => {
    const body = JSON.stringify({ model, input: texts });
    const answer = await exchangeJson(http, { url, headers, body, signal }, clock);
    if (!answer.ok) return answer;
    return readVectors(wire.read(answer.value), texts.length);
  };

  const attempt = async (texts: readonly string[], watch: Watch): Promise<EmbeddingAttempt> => {
    const slot = await limiter.acquire({ provider, model, limits: caps, router }, watch.signal);
    if (slot === null) return { ok: false, problem: finalProblem("cancelled", "given up") };
    const own = createWatch(clock, { signal: watch.signal, timeoutMs: persistence.attemptMs });
    const outcome = { ok: false, crowded: false, pauseMs: null as number | null };
    try {
      const answered = await send(texts, own.signal);
      outcome.ok = answered.ok;
      if (answered.ok) return answered;
      if (own.stopped() === "timed-out") {
        const words = `no reply from ${url.origin} within ${persistence.attemptMs / 1000} s`;
        return { ok: false, problem: networkProblem(words) };
      }
      const { crowded, waitMs } = answered.problem;
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
      const { retry, waitMs: namedMs } = answered.problem;
      if (watch.stopped() !== null || retry === "never" || made >= persistence.attempts) return answered;
      const waitMs = waitBefore(made, namedMs, { ...persistence, random });
      if (waitMs >= watch.leftMs()) return answered;
      await watch.sleep(waitMs);
      if (watch.stopped() !== null) return answered;
    }
  };
}

/** 96 vectors of 16,384 numbers, at 20 characters each. */
const MAX_REPLY_BYTES = 32 * 2 ** 20;

type JsonAnswer =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: CallProblem };

function fail(problem: CallProblem): JsonAnswer {
  return { ok: false, problem };
}

function readValue(body: string): JsonAnswer {
  const value = parseJson(body);
  if (value === undefined) {
    const what = body.trimStart().startsWith("<") ? "a page instead of a reply" : "the reply is not JSON";
    return fail(finalProblem("unreadable", what));
  }
  const { error } = toObject(value);
  return error === undefined || error === null ? { ok: true, value } : fail(problemFromBody(value));
}

/** POSTs once and reads the whole answer as JSON. The problem's words are the other side's, neither bounded nor cleaned. */
async function exchangeJson(
  http: Http,
  exchange: Omit<Exchange, "receiver">,
  clock: Clock,
): Promise<JsonAnswer> {
  const { exchanged, head, body, isFine, isLong } = await exchangeWhole(http, exchange, MAX_REPLY_BYTES);
  if (exchanged.how === "aborted") return fail(finalProblem("cancelled", "given up"));
  if (exchanged.how === "broken") {
    const { message } = exchanged.error;
    const what = head.status === 0 ? `no connection to ${exchange.url.origin}` : "the connection broke off";
    return fail(networkProblem(`${what}${message === "" ? "" : `: ${message}`}`));
  }
  if (head.status === 0) return fail(networkProblem("the connection ended without an answer"));
  if (!isFine) return fail(problemFromStatus(head, body.toString("utf8"), clock.now()));
  return isLong
    ? fail(finalProblem("unreadable", "the reply is longer than any answer"))
    : readValue(body.toString("utf8"));
}
