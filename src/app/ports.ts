import type { LoadedSettings } from "../config/sources.ts";
import type { Ports } from "../engine/protocol.ts";
import { ModelRef, type Embeddings, type World } from "../kernel/index.ts";
import type { EmbeddingsOptions } from "../models/embeddings.ts";
import type { Folders } from "./folders.ts";
import type { ToolServers } from "../tools/mcp.ts";
import { openEmbeddings, type OpenedEmbeddings } from "./embeddings.ts";
import { loadDateTime } from "./named-tools.ts";

type Reaching = Pick<LoadedSettings["settings"], "compatible"> &
  Pick<EmbeddingsOptions, "env"> &
  Pick<World, "now"> & { readonly folders: Folders; readonly servers: ToolServers };

/**
 * Opens the ports of protocols: a named or the configured embedding model, and tools: the time, those of the configured
 * servers, and the file tools of an opening's folder, where this process may read it.
 */
export function openPorts({ compatible, env, folders, servers, now }: Reaching, usual: Embeddings | null) {
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
    async tools({ settings: { contextFolder } }, specs) {
      const allowed = typeof contextFolder === "string" && (await folders.allows(contextFolder));
      const files = allowed
        ? await (await import("../tools/file-tools.ts")).createFileTools(contextFolder)
        : undefined;
      return {
        async call(name, input, signal) {
          const spec = specs.find((one) => one.name === name);
          if (spec?.name.includes("__")) return servers.call(spec, input, signal);
          if (name === "get_datetime") return (await loadDateTime(now)).call(input, signal);
          if (files) return files.call(name, input, signal);
          return { ok: false, reason: "there is no folder that this process may read" };
        },
      };
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
