import { tmpdir } from "node:os";
import { openConfigured } from "./opened.ts";
import type { AppContext } from "../../src/app/context.ts";
import { withReactors } from "../../src/app/registry.ts";
import { createEngine } from "../../src/engine/index.ts";
import { features } from "../../src/features.ts";
import type { Models, ModelRequest, Store } from "../../src/kernel/index.ts";
import { prepareBench, runBench, type BenchOptions } from "../../src/features/bench/app/bench.ts";
import type { BenchTask } from "../../src/app/tasks.ts";
import { memoryStore } from "../../src/testing/memory-store.ts";

export type Watched = { readonly parley: AppContext; readonly requests: readonly ModelRequest[] };

/** Everything over a store in memory, with the real simulated models behind a count. */
export async function watched(
  flags: Readonly<Record<string, unknown>>,
  { store = memoryStore(), answer }: { readonly store?: Store; readonly answer?: Models["complete"] } = {},
): Promise<Watched> {
  const folder = tmpdir();
  const env = { HOME: folder, PARLEY_HOME: folder, OPENROUTER_API_KEY: "sk-none" };
  const { context: whole } = await openConfigured({
    flags: { ...flags, store: ":memory:" },
    env,
    cwd: folder,
  });
  const { frames, protocols, world } = whole;
  const requests: ModelRequest[] = [];
  const models: Models = {
    quote: whole.models.quote,
    complete(request, options) {
      requests.push(request);
      return (answer ?? whole.models.complete)(request, options);
    },
  };
  const engine = createEngine({ store, models, frames, world, protocols, reactors: withReactors(features) });
  const { organization } = whole.principal;
  const parley = {
    ...whole,
    ...{ store: store.for(organization), models, engine: engine.for(organization) },
    process: { ...whole.process, store, models, engine },
  };
  return { parley, requests };
}

export type Running = Partial<BenchOptions> & {
  readonly arms: readonly string[];
  readonly samples?: number;
  readonly judge?: string;
};

/** Prepares and runs a bench over `tasks.jsonl`. */
export async function bench(
  { parley }: Watched,
  tasks: readonly BenchTask[],
  { arms, samples, judge, ...options }: Running,
) {
  const prepared = await prepareBench(parley, {
    file: "tasks.jsonl",
    tasks,
    arms,
    ...(samples === undefined ? {} : { samples }),
    judge,
  });
  return runBench(parley, prepared, {
    signal: new AbortController().signal,
    concurrency: 4,
    retryFailed: false,
    ...options,
  });
}
