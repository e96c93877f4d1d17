import {
  createEngine,
  localFrames,
  type AnyProtocol,
  type AnyReactor,
  type Engine,
  type Ports,
} from "../../engine/index.ts";
import {
  canonical,
  originKey,
  type DeliberationId,
  type Entry,
  type ModelRequest,
  type Quote,
  type Store,
} from "../../kernel/index.ts";
import { mortal, type CrashPoint, type Mortal } from "../crash.ts";
import { memoryStore } from "../memory-store.ts";
import { scripted, type Script } from "../scripted-models.ts";
import { stepClock, type StepClock } from "../step-clock.ts";

export type StageOptions = {
  readonly protocols: readonly AnyProtocol[];
  readonly reactors?: readonly AnyReactor[];
  readonly script?: Script;
  readonly quote?: (request: ModelRequest) => Quote;
  readonly ports?: Ports;
  /** Instead of a fresh memory store. */
  readonly store?: (clock: StepClock) => Store;
};

export type Process = Mortal & { readonly engine: Engine };

/** One store, one clock and one provider, and as many processes over them as a test starts. */
export function stage({
  protocols,
  reactors = [],
  script = {},
  quote,
  ports = {},
  store: open = (clock) => memoryStore(clock.now),
}: StageOptions) {
  const clock = stepClock();
  const store = open(clock);
  const models = scripted(script, { clock, ...(quote ? { quote } : {}) });
  const frames = localFrames();
  const start = (point?: CrashPoint): Process => {
    const process = mortal({ store, models, world: clock }, point);
    const { store: seen, models: asked, world } = process;
    const engine = createEngine({ store: seen, models: asked, world, frames, protocols, reactors, ports });
    return Object.assign(process, { engine });
  };
  const alone = new AbortController();
  const { engine } = start();
  return {
    clock,
    store,
    models,
    frames,
    engine,
    start,
    /** Drives to the drive's end, whatever time it takes. */
    drive: (id: DeliberationId, by: Engine = engine) => clock.settle(by.drive(id, { signal: alone.signal })),
    lines: async (id: DeliberationId) => (await store.read(id)).map(lineOf),
    facts: async (id: DeliberationId) => factsOf(await store.read(id)),
  };
}

export type Stage = ReturnType<typeof stage>;

/** `type < origin`, with what a degradation or an adoption needs to be told from others. */
const lineOf = (entry: Entry): string =>
  `${entry.type} < ${entry.origin.by === "adopted" ? "adopted: " : ""}${originKey(entry.origin)}`;

/** All that two runs of one deliberation have to agree on: types, whole origins and data, in the origins' order. */
export const factsOf = (entries: readonly Entry[]): string[] =>
  entries.map(({ type, data, origin }) => `${originKey(origin)} ${canonical({ type, data, origin })}`).sort();
