import type { Embeddings } from "../kernel/ports.ts";
import { systemClock, createWatches, type Watch } from "./clock.ts";
import {
  createEmbeddingCaller,
  type EmbeddingRetryPolicy,
  findEmbeddingWire,
  textBatches,
  haveEqualLengths,
} from "./embedding-caller.ts";
import type { Variables } from "./proxy.ts";
import { resolveEndpoint, type Configured, type Endpoint } from "./endpoint.ts";
import { createHttp } from "./http.ts";
import { createLimiter } from "./limiter.ts";
import type { Substitutes } from "./models.ts";
import { findProvider } from "./providers.ts";
import { cleanMessage, createSecretFilter } from "./secret-filter.ts";

export type EmbeddingLimits = EmbeddingRetryPolicy & {
  /** The deadline of one `embed`, all its requests and waits included. */
  readonly timeoutMs: number;
};

const DEFAULT_LIMITS: EmbeddingLimits = {
  attempts: 3,
  baseMs: 500,
  capMs: 8_000,
  attemptMs: 60_000,
  timeoutMs: 300_000,
};

export type EmbeddingsOptions = Configured & {
  /** As everywhere: `openai/text-embedding-3-small`, `ollama/nomic-embed-text`, `compatible/NAME`. */
  readonly ref: string;
  /** Where keys and URLs are looked up. */
  readonly env: Variables;
  readonly limits?: Partial<EmbeddingLimits> | undefined;
  readonly substitutes?: Substitutes | undefined;
};

/** `close` ends what is under way, which then rejects, and closes every connection. */
export type ClosableEmbeddings = Embeddings & { close(): Promise<void> };

/** `reason` says what is missing and what to do about it; `code` is as in `resolve`. */
export type EmbeddingsOpening =
  | { readonly ok: true; readonly embeddings: ClosableEmbeddings }
  | { readonly ok: false; readonly code: "unauthorised" | "refused"; readonly reason: string };

function refuseProvider(provider: string): EmbeddingsOpening {
  const next = "use openai/text-embedding-3-small, mistral/mistral-embed, ollama/nomic-embed-text or sim/ada";
  return { ok: false, code: "refused", reason: `${provider} has no embedding models; ${next}` };
}

/** Of a reference in an error; the rest of the line is for what went wrong. */
const MAX_NAME_LENGTH = 120;

/**
 * The port over the network. Nothing is sent before `embed` is
 * called. `embed` sends texts in batches, two requests at once over all that call it; an empty text stands as a
 * space, one that is too long for its beginning. It rejects with an `Error` in one line and without keys where any
 * text stays without a vector: after its attempts or its deadline, on an abort, on vectors of several lengths.
 */
export function createEmbeddings(options: EmbeddingsOptions): EmbeddingsOpening {
  const { ref, env } = options;
  const provider = ref.slice(0, Math.max(0, ref.indexOf("/")));
  // Before its key is asked for, which would not help.
  if (findProvider(provider)?.embeddings === false) return refuseProvider(provider);
  const resolution = resolveEndpoint(ref, env, options);
  if (!resolution.ok) return resolution;
  const { endpoint } = resolution;
  const wire = findEmbeddingWire(endpoint);
  if (wire === null) return refuseProvider(endpoint.provider);
  return { ok: true, embeddings: createHttpEmbeddings(options, endpoint, wire) };
}

function createHttpEmbeddings(
  { ref, env, limits: given, substitutes = {} }: EmbeddingsOptions,
  endpoint: Endpoint,
  wire: Parameters<typeof createEmbeddingCaller>[0]["wire"],
): ClosableEmbeddings {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const clock = substitutes.clock ?? systemClock;
  const http = createHttp({ own: substitutes.dispatcher, env });
  const call = createEmbeddingCaller(
    { endpoint, wire },
    {
      http,
      clock,
      random: substitutes.random ?? Math.random,
      limiter: createLimiter(clock),
      persistence: limits,
    },
  );
  const filter = createSecretFilter(endpoint.key === null ? [] : [endpoint.key]);
  const failure = (reason: string): Error =>
    new Error(cleanMessage(`no embeddings from ${ref.slice(0, MAX_NAME_LENGTH)}: ${reason}`, filter));
  /** Ours, as a chat's. It stands behind the other side's words, where nothing is cut off. */
  const withRemedy = (error: Error, words: string): Error => {
    const remedy = endpoint.wire.remedy?.(words, endpoint.model) ?? undefined;
    return remedy === undefined ? error : new Error(`${error.message}; ${remedy}`);
  };
  const watches = createWatches(clock);

  const embedAll = async (texts: readonly string[], watch: Watch) => {
    const failed = (reason: string): Error => {
      const stopped = watch.stopped();
      if (stopped === null) return failure(reason);
      return failure(stopped === "cancelled" ? "cancelled" : `not all within ${limits.timeoutMs / 1000} s`);
    };
    const batch = async (some: readonly string[]) => {
      const embedded = await call(some, watch);
      if (embedded.ok) return embedded.vectors;
      const { words } = embedded.problem;
      const error = withRemedy(failed(words), words);
      // One batch without vectors makes the others useless. The first rejection is the one that counts.
      watch.cancel();
      throw error;
    };
    const vectors = (await Promise.all(textBatches(texts).map(batch))).flat();
    if (!haveEqualLengths(vectors)) throw failure("its vectors are not of one length");
    return vectors;
  };

  return {
    model: ref,
    embed: async (texts, signal) => {
      if (texts.length === 0) return [];
      return watches.run({ signal, timeoutMs: limits.timeoutMs }, (watch) => embedAll(texts, watch));
    },
    close: async () => {
      watches.close();
      await http.close();
    },
  };
}
