import type { LoadedSettings } from "../config/sources.ts";
import type { Ports } from "../engine/protocol.ts";
import { ModelRef, type Embeddings, type Executor, type World } from "../kernel/index.ts";
import type { EmbeddingsOptions, EmbeddingsOpening } from "../models/embeddings.ts";
import type { ToolServers } from "../tools/mcp.ts";
import { loadDateTime } from "./named-tools.ts";
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

type Endpoints = Pick<LoadedSettings["settings"], "compatible"> & {
  readonly providers?: LoadedSettings["settings"]["providers"] | undefined;
};
type Reaching = Endpoints &
  Pick<EmbeddingsOptions, "env"> &
  Pick<World, "now"> & { readonly folders: Folders; readonly servers: ToolServers };

/**
 * Opens the ports of protocols: a named or the configured embedding model, and tools: the time, those of the configured
 * servers, and the file tools of an opening's folder, where this process may read it.
 */
export function openPorts(
  { compatible, providers, env, folders, servers, now }: Reaching,
  usual: Embeddings | null,
) {
  const opened = new Map<string, OpenedEmbeddings>();
  const named = (model: string): OpenedEmbeddings | undefined => {
    // A name without a provider is an OpenAI model, as in imported files.
    const ref = ModelRef.safeParse(model.includes("/") ? model : `openai/${model}`);
    if (!ref.success) return undefined;
    const one = opened.get(ref.data) ?? openEmbeddings({ embedding: ref.data, compatible, providers }, env);
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

/** Why a model cannot be called, known without a call. */
export type ModelProblem = {
  readonly code: "configuration" | "authentication";
  readonly reason: string;
  /** What to do about it, where that is more than to choose another model. */
  readonly next?: string;
  /** The provider whose key is missing. */
  readonly needsKeyOf?: string | undefined;
};

type OpenedEmbeddings = {
  /** null if no model is set. A model that cannot work rejects every call with the reason. */
  readonly embeddings: Embeddings | null;
  /** Returns why the model cannot work, without a call. */
  readonly problem: () => Promise<ModelProblem | undefined>;
  close(): Promise<void>;
};

/** Opens the embedding model of the settings without a call. Its code is loaded on first use. */
export function openEmbeddings(
  { embedding: ref, ...configured }: Endpoints & Pick<LoadedSettings["settings"], "embedding">,
  env: EmbeddingsOptions["env"],
): OpenedEmbeddings {
  if (ref === undefined) return { embeddings: null, problem: async () => undefined, close: async () => {} };
  let opening: Promise<EmbeddingsOpening> | undefined;
  const open = () => (opening ??= load({ ref, env, ...configured }));
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

/** The folders that a process may read for models. An opening on a shared store names a folder of whoever opened it. */
export type Folders = {
  add(folder: string): void;
  /** True if a folder is allowed, links followed. */
  allows(folder: string): Promise<boolean>;
};

export function createFolders(): Folders {
  const allowed = new Set<string>();
  return {
    add: (folder) => void allowed.add(resolve(folder)),
    async allows(folder) {
      const asked = await realpath(folder).catch(() => undefined);
      if (asked === undefined) return false;
      for (const one of allowed) {
        const root = await realpath(one).catch(() => undefined);
        if (root !== undefined && isWithin(root, asked)) return true;
      }
      return false;
    },
  };
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

// GROUND-1. A process runs gates only of forests that it was told to: a deliberation on a shared store names a soil, and no code. Else:
//     whoever writes to a shared store runs code on this machine.

/** The soils whose gates this process runs. */
export type GateGrounds = {
  readonly executor: Executor;
  /** Runs the gates of this soil from now on. */
  add(soil: string, ground: Executor): void;
};

export function createGrounds(): GateGrounds {
  const known = new Map<string, Executor>();
  return {
    add: (soil, ground) => void known.set(soil, ground),
    executor: {
      execute(check, signal) {
        const soil =
          typeof check === "object" && check !== null && !Array.isArray(check) ? check["soil"] : undefined;
        const ground = typeof soil === "string" ? known.get(soil) : undefined;
        return (
          ground?.execute(check, signal) ??
          Promise.resolve({
            ok: false,
            reason: "this process has not opened the forest whose gates are asked for",
          })
        );
      },
    },
  };
}
