import type { Embeddings } from "../kernel/index.ts";
import { chanceOf } from "./chance.ts";
import { readReference, type Simulated } from "./reference.ts";
import { systemWait, wordsOf, type Wait } from "./sim.ts";
import { textVector } from "./text-vector.ts";

export type SimEmbeddings =
  { readonly ok: true; readonly embeddings: Embeddings } | { readonly ok: false; readonly reason: string };

/** Whether an attempt at these texts fails, as often as the model's `fail` says. */
export const embeddingFails = (
  { name, seed, fail }: Simulated,
  texts: readonly string[],
  attempt: number,
): boolean => fail > 0 && chanceOf(["embedding", name, seed, texts, attempt]).roll("fail") < fail;

/**
 * Vectors in this process for `sim/NAME?…`, without a network: see `textVector`. They are the same under every name and
 * skill; `latency` is how long a call takes, and `fail` how often one rejects, always the same ones.
 */
export function simEmbeddings(ref: string, wait: Wait = systemWait): SimEmbeddings {
  const read = readReference(ref);
  if (!read.ok) return read;
  const { simulated } = read;
  return {
    ok: true,
    embeddings: {
      model: ref,
      embed: async (texts, signal) => {
        if (texts.length === 0) return [];
        if (!signal.aborted && simulated.latency > 0)
          await wait(simulated.latency, signal).catch((error: unknown) => {
            if (!signal.aborted) throw error;
          });
        if (signal.aborted) throw new Error(`no embeddings from sim/${simulated.name}: cancelled`);
        if (embeddingFails(simulated, texts, 1))
          throw new Error(`no embeddings from sim/${simulated.name}: ${wordsOf({ code: "overloaded" })}`);
        return texts.map(textVector);
      },
    },
  };
}
