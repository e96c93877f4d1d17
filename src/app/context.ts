import type { Resources } from "../config/resources.ts";
import type { LoadedSettings } from "../config/sources.ts";
import { configFolder, type Environment, type FileContext } from "../config/paths.ts";
import { createEngine, type Engine, type OrganizationEngine } from "../engine/engine.ts";
import {
  localFrames,
  textDigest,
  type AnyReactor,
  type LazyReactor,
  type LocalFrames,
  type Registry,
} from "../engine/index.ts";
import type { AnyProtocol } from "../engine/protocol.ts";
import type { Note } from "../engine/opening-part.ts";
import { systemWorld } from "../engine/world.ts";
import {
  Fault,
  ModelRef,
  nameWithoutProvider,
  personOf,
  UserId,
  type Budget,
  type Embeddings,
  type Models,
  refusal,
  type Digest,
  type Entry,
  type OrganizationStore,
  type Principal,
  type Store,
  type World,
} from "../kernel/index.ts";
import { once } from "../kernel/once.ts";
import type { Transport } from "../kernel/transport.ts";
import type { EngramMemory } from "../memory/memory.ts";
import { resolveEndpoint } from "../models/endpoint.ts";
import { providers, SDK } from "../models/providers.ts";
import { agentPrograms, findProgram } from "../models/programs.ts";
import { createModels, type ClosableModels } from "../models/models.ts";
import type { SdkModel } from "../models/sdk-package.ts";
import type { ModelCatalog } from "../models/model-list.ts";
import type { LoadRecorded } from "../sim/recorded.ts";
import type { SimOptions } from "../sim/sim.ts";
import type { RunProjection } from "../stores/projection.ts";
import type { Credentials } from "../stores/credentials.ts";
import type { OpenedStore } from "../stores/store.ts";
import { findMeant } from "../text/words.ts";
import type { ToolServers } from "../tools/mcp.ts";
import { waitForReactor, turnsBefore, WHOLE_CONVERSATION } from "./conversation.ts";
import {
  createFolders,
  createGrounds,
  openEmbeddings,
  openPorts,
  type Folders,
  type GateGrounds,
  type ModelProblem,
} from "./ports.ts";
import { openCatalog } from "./listed-models.ts";
import { openToolServers } from "./named-tools.ts";
import { usualTimes, type UsualTimes } from "./usual-times.ts";

export type EffectiveSettings = LoadedSettings["settings"];

/** What a client may have of each run: at most this, and of these models alone (`provider/model`). */
export type Ceiling = {
  readonly budget?: Budget | undefined;
  readonly models?: readonly string[] | undefined;
};

export type ClientBounds = {
  readonly ceiling: Ceiling;
  /** The caps of any run. */
  readonly most: Budget;
  readonly owner: Omit<EffectiveSettings, "organization" | "user">;
};

/** The resources that all callers of a process share: store, models and engine. */
export interface Process {
  readonly env: Environment;
  readonly store: Store;
  /** Of the clients of servers over this store. */
  readonly credentials: Credentials;
  /** Loaded on first use. */
  readonly memory: () => Promise<EngramMemory>;
  readonly engine: Engine;
  readonly models: Models;
  /** Prices and what else lists say of models. */
  readonly catalog: ModelCatalog;
  readonly protocols: Registry<AnyProtocol>;
  /** How features export their own runs. */
  readonly exports: readonly FeatureExports[];
  readonly reactors: readonly (AnyReactor | AppReactor)[];
  /** null if the settings name no embedding model. */
  readonly embeddings: Embeddings | null;
  /** Returns why the named or configured embedding model cannot be used; undefined if it can. */
  readonly embeddingProblem: (model: string | undefined) => Promise<string | undefined>;
  readonly frames: LocalFrames;
  readonly usual: UsualTimes;
  /** The folders that it may read for models: none, unless it is told. */
  readonly folders: Folders;
  /** The digest of the folder in which it asks; undefined where it asks for others. */
  readonly askedIn: Digest | undefined;
  readonly servers: ToolServers;
  /** The forests whose gates it runs: none, unless it is told. */
  readonly grounds: GateGrounds;
  readonly world: World;
  /** What to do where no model is configured, which is then an error; without it, simulated ones answer. */
  readonly withoutModels?: string | undefined;
  /** The name of this process in leases. */
  readonly worker: string;
  /** Returns why this model cannot be called; undefined if no problem is known. */
  readonly checkModel: (ref: string) => Promise<ModelProblem | undefined>;
  close(): Promise<void>;
}

/** A process as one caller sees it: with a principal, settings, and the store and engine of the principal's organization. */
export interface AppContext extends Omit<Process, "store" | "engine"> {
  readonly store: OrganizationStore;
  /** What is known over the organization's deliberations. */
  readonly projection: RunProjection;
  readonly engine: OrganizationEngine;
  /** The process across all organizations, for background workers. */
  readonly process: Process;
  readonly principal: Principal;
  readonly settings: EffectiveSettings;
  /** The names of the settings that the caller set itself. */
  readonly requested: ReadonlySet<string>;
  /** What bounds it, where it is a server's client. */
  readonly client?: ClientBounds | undefined;
  readonly resources: Resources;
}

/** What an opening asks of reactors. */
export type ReactionsAsked = {
  /** The models whose answers are graded. */
  readonly answering: readonly ModelRef[];
  /** Whether a judge compares two answers. */
  readonly pairwise: boolean;
  /** The owner of what is kept. */
  readonly user: UserId;
};

/** What an opening pins for a reactor, if anything, and notes about it. */
export type ReactorPlan = { readonly pinned?: unknown; readonly notes?: readonly Note[] };

/** A reactor of a feature, loaded if an opening pins settings for it. */
export type AppReactor = LazyReactor & {
  /** What an opening pins for it by settings of its own, which its schema can read. @throws Fault for settings that cannot work */
  readonly plan?: (context: AppContext, asked: ReactionsAsked) => Promise<ReactorPlan>;
};

export type ProcessParts = {
  readonly store: OpenedStore;
  readonly settings: EffectiveSettings;
  readonly env: Environment;
  readonly protocols: Registry<AnyProtocol>;
  readonly reactors: Process["reactors"];
  /** The folder in which it asks, an absolute path; absent where it asks for others. */
  readonly cwd?: string | undefined;
  /** Replaces the models from the settings and the environment. */
  readonly models?: Models | undefined;
  /** Models beside these, by reference. */
  readonly ownModels?: ReadonlyMap<string, SdkModel> | undefined;
  readonly withoutModels?: Process["withoutModels"];
  readonly exports: Process["exports"];
  /** What simulated models say to prompts of features. */
  readonly scripts?: SimOptions["scripts"];
  readonly loadFacts?: SimOptions["loadFacts"];
  /** Reads a file of recorded answers. */
  readonly loadRecorded?: LoadRecorded | undefined;
};

/** A transport that is loaded with its first request. */
function lazily(load: () => Promise<Transport>): Transport {
  const loaded = once(load);
  return { send: async (...request) => (await loaded()).send(...request) };
}

/** Creates models, memory and the engine over an open store, without a call. */
export function openProcess(parts: ProcessParts): Process {
  const { store, settings, env, protocols, reactors, scripts, loadFacts, loadRecorded, ownModels } = parts;
  const { callsAtOnce, requestsPerMinute, tokensPerMinute } = settings;
  const places = { compatible: settings.compatible, providers: settings.providers };
  const sim = once(async () => (await import("../sim/sim.ts")).createSim({ loadFacts, scripts }));
  const recorded = once(async () => {
    const cannot = () => ({ ok: false as const, reason: "recorded answers cannot be read here" });
    return (await import("../sim/recorded.ts")).createRecorded({ load: loadRecorded ?? cannot });
  });
  const home = configFolder({ env, cwd: process.cwd() });
  const catalog = openCatalog(settings, { env, cwd: process.cwd() });
  const packages = lazily(async () =>
    (await import("../models/sdk-transport.ts")).createSdkTransport({ env, home, own: ownModels }),
  );
  const programs = lazily(async () =>
    (await import("../models/program-transport.ts")).createProgramTransport(env, settings.programs),
  );
  const own: ClosableModels | undefined = parts.models
    ? undefined
    : createModels({
        env,
        ...places,
        openrouter: settings.openrouter,
        families: declaredFamilies(settings),
        catalog,
        atHome: async (ref) => (await import("./reachable.ts")).factsAtHome(ref, env),
        limits: { callsAtOnce, requestsPerMinute, tokensPerMinute },
        locals: { sim: lazily(sim), recorded: lazily(recorded) },
        programs,
        remotes: Object.fromEntries(
          [SDK, ...(ownModels?.keys() ?? [])].map((ref) => [ref.split("/", 1)[0], packages]),
        ),
      });
  const models = parts.models ?? own;
  if (!models) throw new RangeError("there are neither models nor settings for them");
  const embedding = openEmbeddings(settings, env);
  const folders = createFolders();
  const grounds = createGrounds();
  const world = systemWorld;
  const servers = openToolServers({ servers: settings.mcpServers, env });
  const { now } = world;
  const ports = openPorts({ env, ...places, folders, servers, now }, embedding.embeddings);
  const frames = localFrames();
  const usual = usualTimes(() => world.now());
  const memory = once(async () => {
    const { createMemory } = await import("../memory/memory.ts");
    return createMemory({ store: store.engrams, embeddings: embedding.embeddings, world });
  });
  const engine = createEngine({
    store,
    models,
    frames: { emit: (frame) => frames.emit(usual.expected(frame)) },
    world,
    protocols,
    reactors,
    ports: {
      ...ports.ports,
      executor: grounds.executor,
      memory: {
        recall: async (...query) => (await memory()).recall(...query),
        find: async (...query) => (await memory()).find(...query),
        pinTold: async (fact) => (await memory()).pinTold(fact),
        write: async (...answer) => (await memory()).write(...answer),
        annotate: async (...annotation) => (await memory()).annotate(...annotation),
      },
      async turns({ previous, organization, again }, by, { after, signal }) {
        const own = store.for(organization);
        if (after !== null && previous !== undefined)
          await waitForReactor({ store: own, progress: store }, previous, {
            reactor: after,
            sleep: world.sleep,
            signal,
          });
        const bounds =
          after === null ? { most: Infinity, mostCharacters: Infinity, all: true } : WHOLE_CONVERSATION;
        return turnsBefore(own, previous, { by, again, ...bounds });
      },
    },
  });
  return {
    env,
    store,
    credentials: store.credentials,
    ...{ memory, engine, models, catalog, protocols },
    exports: parts.exports,
    reactors,
    embeddings: embedding.embeddings,
    embeddingProblem: async (model) => {
      if (model !== undefined) return ports.problemWith(model);
      return embedding.embeddings
        ? (await embedding.problem())?.reason
        : "no embedding model is configured (setting: embedding)";
    },
    ...{ frames, usual },
    folders,
    askedIn: parts.cwd === undefined ? undefined : textDigest(parts.cwd),
    servers,
    grounds,
    world,
    withoutModels: parts.withoutModels,
    worker: `${process.pid}-${world.id()}`,
    async checkModel(ref) {
      if (parts.models) return undefined;
      const local = ref.startsWith("sim/") ? sim : ref.startsWith("recorded/") ? recorded : undefined;
      if (local) {
        const prepared = (await local()).prepare(ref);
        return prepared.ok ? undefined : { code: "configuration", reason: prepared.reason };
      }
      const brought = ownModels && (await import("../models/own-model.ts")).findOwnModel(ownModels, ref);
      if (brought) return brought.ok ? undefined : { code: "configuration", ...brought };
      if (ref.startsWith(`${SDK}/`)) {
        const found = (await import("../models/sdk-package.ts")).findSdkPackage(ref, home);
        return found.ok ? undefined : { code: "configuration", reason: found.reason, next: found.next };
      }
      const program = findProgram(ref, env);
      if (program) return "reason" in program ? { code: "configuration", ...program } : undefined;
      const resolution = resolveEndpoint(ref, env, places);
      if (resolution.ok) return undefined;
      const code = resolution.code === "unauthorised" ? "authentication" : "configuration";
      const { reason, next, needsKeyOf } = resolution;
      return { code, reason, needsKeyOf, ...(next === undefined ? {} : { next }) };
    },
    async close() {
      await Promise.all([own?.close(), embedding.close(), ports.close(), servers.close()]);
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The model families that the settings declare, with an endpoint or in `families`. */
export const declaredFamilies = ({
  compatible,
  families,
}: Pick<EffectiveSettings, "compatible" | "families">): EffectiveSettings["families"] => ({
  ...Object.fromEntries(
    Object.entries(compatible).flatMap(([name, { family }]) =>
      family === undefined ? [] : [[`compatible/${name}`, family]],
    ),
  ),
  ...families,
});

/** The tag that Ollama takes where none is said: `ollama/x:latest` is the model `ollama/x`. */
const OLLAMA_LATEST = /^(ollama\/[^?]*):latest(?=\?|$)/;

/** @throws Fault `configuration` for text that is not provider/model */
export function parseModelRef(ref: string): ModelRef {
  const parsed = ModelRef.safeParse(ref.replace(OLLAMA_LATEST, "$1"));
  if (parsed.success) return parsed.data;
  throw refusal(
    `${JSON.stringify(ref.slice(0, 200))} is not a model reference`,
    "write provider/model, for example openai/gpt-6.1-terra or sim/ada",
  );
}

/** @throws Fault `configuration`, `authentication` for a model that cannot work, as far as is known without a call */
export async function checkModelRef(
  {
    checkModel,
    env,
    settings,
  }: Pick<AppContext, "checkModel"> & Partial<Pick<AppContext, "env" | "settings">>,
  ref: string,
): Promise<ModelRef> {
  const bare = nameWithoutProvider(ref.trim());
  if (bare !== undefined && env && settings && /^[a-z0-9][\w.:-]{0,199}(?:\?\S*)?$/i.test(bare))
    return (await import("./bare-names.ts")).findBareModel({ env, settings }, bare);
  const model = parseModelRef(ref);
  const person = personOf(model);
  if (person !== undefined && UserId.safeParse(person).success) return model;
  const problem = await checkModel(model);
  if (!problem) return model;
  const [provider = "", ...name] = model.split("/");
  const places = [...Object.keys(providers), ...agentPrograms.keys(), SDK, "sim"];
  const meant = places.includes(provider) ? undefined : findMeant(provider, places);
  const usual = problem.next ?? "choose a model that can be reached";
  const next = meant === undefined || meant === provider ? usual : `${meant}/${name.join("/")}`;
  const { needsKeyOf } = problem;
  throw new Fault(problem.code, {
    why: problem.reason,
    next,
    ...(needsKeyOf === undefined || meant !== undefined ? {} : { needsKeyOf }),
  });
}

/** A run that is exported. `place`: where `config` is, a file that says what participants are called where a run does not. */
export type ExportedRun = {
  readonly entries: readonly Entry[];
  readonly store: Pick<OrganizationStore, "text">;
  readonly config?: string | undefined;
  readonly place?: FileContext | undefined;
};

/** A format as a server sends it. `whole`: what it is, if it can be written of a run in place of the record. */
export type ExportForm = { readonly type: string; readonly ending: string; readonly whole?: string };

/** How a feature exports the runs of a protocol of its own, where that is not how every run is exported. */
export type FeatureExports = {
  readonly protocol: string;
  /** The formats that it adds; `record` is the one that has the whole of a run, and is read back. */
  readonly formats: Readonly<Record<string, ExportForm>>;
  readonly record: string;
  /** What its document shows, in two or three words. */
  readonly shows: string;
  /** Sentences about its formats and files, for help. */
  readonly help: string;
  readonly load: () => Promise<RunExports>;
};

/** What exports these runs. */
export type RunExports = {
  /** A run of its protocol as Markdown, or in one of its formats. @throws Fault for a format that this run has not */
  text(run: ExportedRun, format: string): Promise<string>;
  /** What a file holds in a format, where `name` is a file's; else undefined. @throws Fault for what is no run of its own */
  inFile(
    name: string,
    naming: Pick<ExportedRun, "config"> & { readonly place: FileContext },
  ): ((format: string) => string) | undefined;
};
