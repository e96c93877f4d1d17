import type { LoadedSettings } from "../config/sources.ts";
import type { Ports } from "../engine/protocol.ts";
import { ModelRef, type Embeddings } from "../kernel/index.ts";
import type { EmbeddingsOptions } from "../models/embeddings.ts";
import type { Folders } from "./folders.ts";
import { openEmbeddings, type OpenedEmbeddings } from "./embeddings.ts";

type Reaching = Pick<LoadedSettings["settings"], "compatible"> &
  Pick<EmbeddingsOptions, "env"> & { readonly folders: Folders };

/** Opens the ports of protocols: a named or the configured embedding model, and the file tools of an opening's folder, where this process may read it. */
export function openPorts({ compatible, env, folders }: Reaching, usual: Embeddings | null) {
  const opened = new Map<string, OpenedEmbeddings>();
  const named = (model: string): OpenedEmbeddings | undefined => {
    // A name without a provider is an OpenAI model, as in imported files.
    const ref = ModelRef.safeParse(model.includes("/") ? model : `openai/${model}`);
    if (!ref.success) return undefined;
    const one = opened.get(ref.data) ?? openEmbeddings({ embedding: ref.data, compatible }, env);
    opened.set(ref.data, one);
    return one;
  };
  const ports: Ports = {
    embeddings: (model) => (model === null ? usual : (named(model)?.embeddings ?? null)),
    async tools({ settings: { contextFolder } }) {
      if (typeof contextFolder !== "string" || !(await folders.allows(contextFolder))) return null;
      const { createFileTools } = await import("../tools/file-tools.ts");
      return createFileTools(contextFolder);
    },
  };
  return {
    ports,
    /** Returns why this embedding model cannot work, without a call. */
    problemWith: async (model: string): Promise<string | undefined> => {
      const one = named(model);
      return one ? (await one.problem())?.reason : `${JSON.stringify(model.slice(0, 100))} is no model`;
    },
    close: async (): Promise<void> =>
      void (await Promise.all([...opened.values()].map((one) => one.close()))),
  };
}
