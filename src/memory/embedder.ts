import type { Embeddings, World } from "../kernel/index.ts";
import { shorten } from "../replies/gist.ts";
import type { Vector } from "./engram-store.ts";
import { unitVector } from "./vector.ts";
import { withTimeout, type TimedResult } from "./with-timeout.ts";

/** So long a model that failed is not asked for a question's vector again, milliseconds: an answer would wait for it each time. */
const AFTER_FAILURE_MS = 30_000;
/** The vectors of the last so many queries are kept: a question that is asked again costs no call. */
const KEPT_QUERIES = 32;
const MAX_REASON_LENGTH = 300;

type CallBounds = { readonly timeoutMs: number; readonly signal: AbortSignal };

export type EmbeddingResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** An embedding model as memory uses it: in its own words for questions and for documents, bounded in time, never rejecting. */
export interface Embedder {
  readonly model: string;
  /** Of a question. */
  query(text: string, bounded: CallBounds): Promise<EmbeddingResult<Vector>>;
  /** One for each text; null for a text whose vector has no direction. */
  documents(
    texts: readonly string[],
    bounded: CallBounds,
  ): Promise<EmbeddingResult<readonly (Vector | null)[]>>;
}

/** What a model wants before a text, by what the text is. https://huggingface.co/nomic-ai/nomic-embed-text-v1.5 */
function prefixesOf(model: string): { readonly query: string; readonly document: string } {
  return model.includes("nomic-embed")
    ? { query: "search_query: ", document: "search_document: " }
    : { query: "", document: "" };
}

export function createEmbedder(embeddings: Embeddings, world: World): Embedder {
  const { model } = embeddings;
  const prefixes = prefixesOf(model);
  const queries = new Map<string, Vector>();
  let failed: { readonly why: string; readonly untilMs: number } | undefined;

  const vectorsOf = async (texts: readonly string[], { timeoutMs, signal }: CallBounds) => {
    const asked = texts.map((text) => text.toWellFormed());
    const came = await withTimeout(async (own) => embeddings.embed(asked, own), {
      ms: timeoutMs,
      world,
      signal,
    });
    if (!came.ok) return { ok: false, why: whyOf(model, came, timeoutMs) } as const;
    if (came.value.length !== texts.length)
      return { ok: false, why: `${model} gave ${came.value.length} vectors for ${texts.length}` } as const;
    return { ok: true, value: came.value.map(unitVector) } as const;
  };

  const keep = (text: string, vector: Vector): void => {
    queries.delete(text);
    queries.set(text, vector);
    for (const oldest of queries.keys()) {
      if (queries.size <= KEPT_QUERIES) break;
      queries.delete(oldest);
    }
  };

  return {
    model,
    async query(text, bounded) {
      const known = queries.get(text);
      if (known) {
        keep(text, known);
        return { ok: true, value: known };
      }
      if (failed && world.now() < failed.untilMs) return { ok: false, why: failed.why };
      const came = await vectorsOf([prefixes.query + text], bounded);
      failed =
        came.ok || bounded.signal.aborted
          ? undefined
          : { why: came.why, untilMs: world.now() + AFTER_FAILURE_MS };
      if (!came.ok) return came;
      const [vector] = came.value;
      if (!vector) return { ok: false, why: `${model} gave a vector without a direction` };
      keep(text, vector);
      return { ok: true, value: vector };
    },
    documents: (texts, bounded) =>
      vectorsOf(
        texts.map((text) => prefixes.document + text),
        bounded,
      ),
  };
}

function whyOf(model: string, came: Extract<TimedResult<unknown>, { ok: false }>, timeoutMs: number): string {
  if ("error" in came) {
    const said = came.error instanceof Error ? came.error.message : String(came.error);
    return `${model} failed: ${shorten(said.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), MAX_REASON_LENGTH)}`;
  }
  if (came.why === "late") return `${model} did not answer within ${timeoutMs / 1_000} s`;
  return `${model} was not waited for`;
}
