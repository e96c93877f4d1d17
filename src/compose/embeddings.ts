import type { LoadedSettings } from "../config/index.ts";
import type { Embeddings } from "../kernel/index.ts";
import { createEmbeddings, type EmbeddingsOptions } from "../models/index.ts";
import { simEmbeddings } from "../sim/index.ts";

export type OpenedEmbeddings = {
  /** null where no model is set. One that cannot work rejects every call with the reason why. */
  readonly embeddings: Embeddings | null;
  /** Why the model that is set cannot work, told before any call. */
  readonly trouble: { readonly code: "configuration" | "authentication"; readonly why: string } | undefined;
  close(): Promise<void>;
};

/** The embedding model of the settings; nothing is called. */
export function openEmbeddings(
  { embedding: ref, compatible }: Pick<LoadedSettings["settings"], "embedding" | "compatible">,
  env: EmbeddingsOptions["env"],
): OpenedEmbeddings {
  if (ref === undefined) return { embeddings: null, trouble: undefined, close: async () => {} };
  const opened = createEmbeddings({ ref, env, compatible, locals: { sim: simEmbeddings } });
  if (opened.ok) {
    const { embeddings } = opened;
    return { embeddings, trouble: undefined, close: () => embeddings.close() };
  }
  const { code, reason } = opened;
  return {
    embeddings: { model: ref, embed: () => Promise.reject(new Error(reason)) },
    trouble: { code: code === "unauthorised" ? "authentication" : "configuration", why: reason },
    close: async () => {},
  };
}
