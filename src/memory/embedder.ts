import { LRUCache } from "lru-cache";
import type { Embeddings, World } from "../kernel/index.ts";
import { shorten } from "../replies/gist.ts";
import type { Vector } from "./engram-store.ts";
import { unitVector } from "./vector.ts";

/** After a failure, no question is embedded for this time, so that answers do not wait for it. */
const AFTER_FAILURE_MS = 30_000;
/** The number of questions whose vectors are kept. */
const MAX_KEPT_QUERIES = 32;
const MAX_REASON_LENGTH = 300;

type CallBounds = { readonly timeoutMs: number; readonly signal: AbortSignal };

type EmbeddingResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** An embedding model as memory uses it: bounded in time, and never rejecting. */
export type Embedder = ReturnType<typeof createEmbedder>;

/** The prefixes that a model expects. https://huggingface.co/nomic-ai/nomic-embed-text-v1.5 */
function prefixesOf(model: string): { readonly query: string; readonly document: string } {
  return model.includes("nomic-embed")
    ? { query: "search_query: ", document: "search_document: " }
    : { query: "", document: "" };
}

export function createEmbedder(embeddings: Embeddings, world: World) {
  const { model } = embeddings;
  const prefixes = prefixesOf(model);
  const vectors = new LRUCache<string, Vector>({ max: MAX_KEPT_QUERIES });
  let failure: { readonly why: string; readonly untilMs: number } | undefined;

  const embed = async (texts: readonly string[], { timeoutMs: ms, signal }: CallBounds) => {
    const wellFormed = texts.map((text) => text.toWellFormed());
    const result = await withTimeout(async (own) => embeddings.embed(wellFormed, own), { ms, world, signal });
    if (!result.ok) return { ok: false, why: describeFailure(model, result, ms) } as const;
    const count = result.value.length;
    if (count !== texts.length)
      return { ok: false, why: `${model} gave ${count} vectors for ${texts.length}` } as const;
    return { ok: true, value: result.value.map(unitVector) } as const;
  };

  return {
    model,
    /** Embeds a question. */
    async query(text: string, bounds: CallBounds): Promise<EmbeddingResult<Vector>> {
      const known = vectors.get(text);
      if (known) return { ok: true, value: known };
      if (failure && world.now() < failure.untilMs) return { ok: false, why: failure.why };
      const result = await embed([prefixes.query + text], bounds);
      failure =
        result.ok || bounds.signal.aborted
          ? undefined
          : { why: result.why, untilMs: world.now() + AFTER_FAILURE_MS };
      if (!result.ok) return result;
      const [vector] = result.value;
      if (!vector) return { ok: false, why: `${model} gave a vector without a direction` };
      vectors.set(text, vector);
      return { ok: true, value: vector };
    },
    /** Embeds documents, in order; null for a text whose vector has no direction. */
    documents: (texts: readonly string[], bounds: CallBounds): Promise<EmbeddingResult<(Vector | null)[]>> =>
      embed(
        texts.map((text) => prefixes.document + text),
        bounds,
      ),
  };
}

type TimeLimit = { readonly ms: number; readonly world: World; readonly signal: AbortSignal };

type TimedFailure =
  | { readonly ok: false; readonly why: "late" | "given-up" }
  | { readonly ok: false; readonly why: "failed"; readonly error: unknown };

function describeFailure(model: string, failure: TimedFailure, timeoutMs: number): string {
  if (failure.why === "failed") {
    const { error } = failure;
    const message = error instanceof Error ? error.message : String(error);
    return `${model} failed: ${shorten(message.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), MAX_REASON_LENGTH)}`;
  }
  return failure.why === "late"
    ? `${model} did not answer within ${timeoutMs / 1_000} s`
    : `${model} was not waited for`;
}

/**
 * Gives the value of `work` if it ends within `ms`, or else why not. It never rejects, even where `work` throws or ignores its
 * signal, which is aborted once nobody waits any more.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ms, world, signal }: TimeLimit,
): Promise<{ readonly ok: true; readonly value: T } | TimedFailure> {
  if (signal.aborted) return { ok: false, why: "given-up" };
  const own = new AbortController();
  const giveUp = () => own.abort();
  signal.addEventListener("abort", giveUp, { once: true });
  const run = async () => {
    try {
      return { ok: true, value: await work(own.signal) } as const;
    } catch (error) {
      return own.signal.aborted
        ? ({ ok: false, why: "given-up" } as const)
        : ({ ok: false, why: "failed", error } as const);
    }
  };
  // Sleeping ends with the abort, too.
  const sleep = async () => {
    await world.sleep(ms, own.signal);
    return { ok: false, why: signal.aborted ? "given-up" : "late" } as const;
  };
  try {
    return await Promise.race([run(), sleep()]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    own.abort();
  }
}
