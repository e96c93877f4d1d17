import type { Embeddings } from "../kernel/index.ts";
import { createChance } from "./chance.ts";
import { readReference, type SimParameters } from "./reference.ts";
import { systemWait, outageMessage, type Wait } from "./sim.ts";

export type SimEmbeddings =
  { readonly ok: true; readonly embeddings: Embeddings } | { readonly ok: false; readonly reason: string };

/** Whether an attempt at these texts fails, as often as the model's `fail` says. */
export const embeddingFails = (
  { name, seed, fail }: SimParameters,
  texts: readonly string[],
  attempt: number,
): boolean => fail > 0 && createChance(["embedding", name, seed, texts, attempt]).roll("fail") < fail;

/**
 * Vectors in this process for `sim/NAME?…`, without a network: see `textVector`. They are the same under every name and
 * skill; `latency` is how long a call takes, and `fail` how often one rejects, always the same ones.
 */
export function simEmbeddings(ref: string, wait: Wait = systemWait): SimEmbeddings {
  const read = readReference(ref);
  if (!read.ok) return read;
  const { parameters } = read;
  return {
    ok: true,
    embeddings: {
      model: ref,
      embed: async (texts, signal) => {
        if (texts.length === 0) return [];
        if (!signal.aborted && parameters.latency > 0)
          await wait(parameters.latency, signal).catch((error: unknown) => {
            if (!signal.aborted) throw error;
          });
        if (signal.aborted) throw new Error(`no embeddings from sim/${parameters.name}: cancelled`);
        if (embeddingFails(parameters, texts, 1))
          throw new Error(
            `no embeddings from sim/${parameters.name}: ${outageMessage({ code: "overloaded" })}`,
          );
        const { textVector } = await import("./text-vector.ts");
        return texts.map(textVector);
      },
    },
  };
}
