import type { LoadedSettings } from "../config/sources.ts";
import type { Embeddings } from "../kernel/index.ts";
import type { EmbeddingsOpening, EmbeddingsOptions } from "../models/embeddings.ts";

/** Why a model cannot be called, known without a call. */
export type ModelProblem = {
  readonly code: "configuration" | "authentication";
  readonly reason: string;
  /** What to do about it, where that is more than to choose another model. */
  readonly next?: string;
  /** The provider whose key is missing. */
  readonly needsKeyOf?: string | undefined;
};

export type OpenedEmbeddings = {
  /** null if no model is set. A model that cannot work rejects every call with the reason. */
  readonly embeddings: Embeddings | null;
  /** Returns why the model cannot work, without a call. */
  readonly problem: () => Promise<ModelProblem | undefined>;
  close(): Promise<void>;
};

/** Opens the embedding model of the settings without a call. Its code is loaded on first use. */
export function openEmbeddings(
  { embedding: ref, compatible }: Pick<LoadedSettings["settings"], "embedding" | "compatible">,
  env: EmbeddingsOptions["env"],
): OpenedEmbeddings {
  if (ref === undefined) return { embeddings: null, problem: async () => undefined, close: async () => {} };
  let opening: Promise<EmbeddingsOpening> | undefined;
  const open = () => (opening ??= load({ ref, env, compatible }));
  return {
    embeddings: {
      model: ref,
      async embed(texts, signal) {
        const opened = await open();
        if (!opened.ok) throw new Error(opened.reason);
        return opened.embeddings.embed(texts, signal);
      },
    },
    async problem() {
      const opened = await open();
      if (opened.ok) return undefined;
      const { code, reason } = opened;
      return { code: code === "unauthorised" ? "authentication" : "configuration", reason };
    },
    async close() {
      const opened = await opening;
      if (opened?.ok) await opened.embeddings.close();
    },
  };
}

async function load(options: EmbeddingsOptions): Promise<EmbeddingsOpening> {
  if (!options.ref.startsWith("sim/"))
    return (await import("../models/embeddings.ts")).createEmbeddings(options);
  const opened = (await import("../sim/embeddings.ts")).simEmbeddings(options.ref);
  if (!opened.ok) return { ...opened, code: "refused" };
  return { ok: true, embeddings: { ...opened.embeddings, close: async () => {} } };
}
