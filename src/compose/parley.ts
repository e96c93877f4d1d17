import { createEngine, localFrames, systemWorld, type Engine, type LocalFrames } from "../engine/index.ts";
import type { Embeddings, Models, Store, World } from "../kernel/index.ts";
import { loadSettings, type LoadedSettings } from "../config/index.ts";
import { createMemory, type EngramMemory } from "../memory/index.ts";
import { createModels, resolve, type Price } from "../models/index.ts";
import { createSim, type Sim } from "../sim/index.ts";
import { openStore, type OpenedStore } from "../stores/index.ts";
import { secondAnswered, turnsBefore } from "./conversation.ts";
import { openEmbeddings } from "./embeddings.ts";
import { factsLoader } from "./facts-loader.ts";
import { refuseKeyLeaks } from "./key-leaks.ts";
import { openPorts } from "./ports.ts";
import { protocols, reactors } from "./registry.ts";

export type Settings = LoadedSettings["settings"];
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a command stands: its flags by setting, its environment and its folder. */
export type Place = {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly cwd: string;
};

/** Everything that a command works with, over one open store. */
export interface Parley {
  readonly settings: Settings;
  /** Whether the command line gave this setting, named as files write it. */
  readonly given: (name: string) => boolean;
  readonly env: Environment;
  readonly cwd: string;
  readonly store: Store;
  readonly memory: EngramMemory;
  readonly engine: Engine;
  readonly models: Models;
  /** null where the settings name no embedding model. */
  readonly embeddings: Embeddings | null;
  /** Why the embedding model of this name, or the settings' own, cannot be used; told before any call. */
  readonly embeddingProblem: (model: string | undefined) => string | undefined;
  readonly frames: LocalFrames;
  readonly world: World;
  /** This process, in leases. */
  readonly worker: string;
  /** Why a reference cannot work, told before any call. */
  readonly troubleWith: (ref: string) => Trouble | undefined;
  close(): Promise<void>;
}

export type Trouble = { readonly code: "configuration" | "authentication"; readonly why: string };

/** Opens the store and gets models ready; nothing is called. @throws Fault */
export async function openParley(place: Place): Promise<Parley> {
  const loaded = loadSettings(place);
  refuseKeyLeaks(loaded);
  return parleyOver(await openStore(loaded.settings.store), place, loaded);
}

/** The store alone, for what only reads. @throws Fault */
export async function openPlaceStore(
  place: Place,
): Promise<{ readonly store: OpenedStore; readonly settings: Settings }> {
  const { settings } = loadSettings(place);
  return { store: await openStore(settings.store), settings };
}

function parleyOver(store: OpenedStore, { env, cwd }: Place, { settings, sources }: LoadedSettings): Parley {
  const { compatible, families } = settings;
  const sim = createSim({ loadFacts: factsLoader({ env, cwd }) });
  const models = createModels({
    env,
    compatible,
    families: familiesOf(settings),
    prices: declaredPrices(settings),
    locals: { sim },
  });
  const embedding = openEmbeddings(settings, env);
  const ports = openPorts({ env, compatible }, embedding.embeddings);
  const frames = localFrames();
  const world = systemWorld;
  const memory = createMemory({ store: store.engrams, embeddings: embedding.embeddings, world });
  const engine = createEngine({
    store,
    models,
    frames,
    world,
    protocols,
    reactors,
    ports: {
      ...ports.ports,
      memory,
      async turns({ previous, organization }, by, { recorded, signal }) {
        if (by === "B" && !recorded) await secondAnswered(store, previous, { sleep: world.sleep, signal });
        const bounds = recorded
          ? { most: Infinity, mostCharacters: Infinity }
          : { most: settings.historyTurns };
        return turnsBefore(store, { previous, organization }, { by, ...bounds });
      },
    },
  });
  return {
    settings: { ...settings, families: familiesOf({ compatible, families }) },
    given: (key) => sources[key]?.from === "flag",
    env,
    cwd,
    store,
    memory,
    engine,
    models,
    embeddings: embedding.embeddings,
    embeddingProblem: (model) => {
      if (model !== undefined) return ports.problemWith(model);
      return embedding.embeddings
        ? embedding.trouble?.why
        : "no embedding model is set (embedding in parley.yaml)";
    },
    frames,
    world,
    worker: `${process.pid}-${world.id()}`,
    troubleWith: (ref) => troubleWith(ref, { env, compatible, sim }),
    async close() {
      await Promise.all([models.close(), embedding.close(), ports.close()]);
      await store[Symbol.asyncDispose]();
    },
  };
}

type Reaching = { readonly env: Environment; readonly compatible: Settings["compatible"]; readonly sim: Sim };

function troubleWith(ref: string, { env, compatible, sim }: Reaching): Trouble | undefined {
  if (ref.startsWith("sim/")) {
    const prepared = sim.prepare(ref);
    return prepared.ok ? undefined : { code: "configuration", why: prepared.reason };
  }
  const resolution = resolve(ref, env, compatible);
  if (resolution.ok) return undefined;
  return {
    code: resolution.code === "unauthorised" ? "authentication" : "configuration",
    why: resolution.reason,
  };
}

/** What is declared of families, beside an endpoint or in the list of its own. */
const familiesOf = ({
  compatible,
  families,
}: Pick<Settings, "compatible" | "families">): Settings["families"] => ({
  ...Object.fromEntries(
    Object.entries(compatible).flatMap(([name, { family }]) =>
      family === undefined ? [] : [[`compatible/${name}`, family]],
    ),
  ),
  ...families,
});

export const declaredPrices = ({ prices }: Pick<Settings, "prices">): Price[] =>
  Object.entries(prices).map(([model, { in: input, out, cached }]) => ({
    model,
    in: input,
    out,
    ...(cached === undefined ? {} : { cached }),
    date: "declared",
    source: "your settings",
  }));
