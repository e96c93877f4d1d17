import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { Json } from "../kernel/index.ts";
import { once } from "../kernel/once.ts";
import { random } from "../stats/numbers.ts";
import { FUEL_EXPORT, METER_IMPORT, meterModule } from "./functions/meter.ts";
import { failedRun, MAX_DETAIL, parseJson, type Executed, type FailedRun } from "./outcome.ts";

// SCRIPT-1. A script reaches the language alone: no host, no clock, no file, no module; text goes in and text comes out. Else: code that a
//     model wrote reads this machine.
// Whatever a script does, native loops included, it ends at its limits of time, work and memory.
// A realm has a WebAssembly instance of its own. After a stop nothing is called in it any more; it is dropped whole.
// What a script gives, and the work that it counts, follows from source, input and seed: there is no clock, and `Math.random` is seeded.

export type ScriptLimits = {
  /** For the realm's whole life from when it was opened, in milliseconds of a clock. */
  readonly timeMs: number;
  readonly memoryBytes: number;
  /** Of a result, in bytes of JSON. */
  readonly maxOutput: number;
  /** The most instructions of the interpreter, a limit that is the same on every machine; without it time alone limits. */
  readonly maxWork?: number;
  /** The interpreter's own stack; by default 192 KB, which is about 1,000 calls. The thread's needs several times as much. */
  readonly stackBytes?: number;
};

export type ScriptRun = ScriptLimits & {
  readonly source: string;
  /** The name of a function that `source` declares at its top level. */
  readonly entry: string;
  readonly input: Json;
  /** Decides `Math.random`; the empty text by default. */
  readonly seed?: string;
};

/** A world of its own for one script. It can be called until something stopped it. */
export type Realm = {
  /** Runs source text at the top level; the value is null. */
  run(source: string): Executed;
  /** Reads arguments for the next call, before a source has run that could meddle with the reading. */
  prepare(args: readonly Json[]): Executed;
  /**
   * Calls a function that a source declared, with these arguments or with the prepared ones. A promise is awaited as far as
   * it settles by itself.
   */
  call(entry: string, args?: readonly Json[]): Executed;
  /** Makes a function of the host a global of the realm. It gets its arguments, and gives its result, as copies. */
  provide(name: string, work: (args: readonly Json[]) => Executed): void;
  /** Whether a text parses as a script; it is not run. */
  parse(source: string): Executed;
  /** How many instructions of the interpreter have been executed since the realm was opened. */
  readonly work: number;
  /** Those of the last call alone, with writing its result, and without reading its arguments. */
  readonly callWork: number;
  /** False once a limit has stopped it. */
  readonly isOpen: boolean;
};

/** How much is done between two looks at the clock: about a millisecond. */
const SLICE = 5_000_000;
const DEFAULT_STACK_BYTES = 192 * 1024;
const PAGE = 65_536;
/** What an instance has beside the script's own memory. */
const MIN_PAGES = 256;
const MAX_PAGES = 32_768;
const MAX_JOBS = 1_000;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * Runs in the realm before the script. What it keeps is out of the script's reach: a script that replaces `JSON.stringify`
 * changes its own world only. The generator is that of `stats/numbers.ts`.
 */
const PRELUDE = `(words) => {
  const { parse, stringify } = JSON, { apply } = Reflect, text = String, Failure = Error;
  let [a, b, c, counter] = words;
  Math.random = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  return {
    parse: (json) => parse(json),
    call: (work, args) => apply(work, undefined, args),
    stringify: (value) => stringify(value),
    describe: (error) => {
      try { return error instanceof Failure ? text(error.name) + ": " + text(error.message) : "it threw " + text(error); }
      catch { return "it threw something that cannot be shown"; }
    },
    bind: (host) => (...args) => {
      const given = parse(host(stringify(args)));
      if (given.ok) return given.value;
      throw new Failure(given.detail);
    },
  };
}`;

/** Thrown through the interpreter by the meter. Nothing in between catches it. */
class RealmStop extends Error {}

/** The part of WebAssembly that is used here: the types of Node know it not, and those of a browser bring all of the DOM. */
type WasmModules = {
  readonly compile: (bytes: Uint8Array) => Promise<WebAssembly.Module>;
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => object;
  readonly Instance: new (module: WebAssembly.Module, imports: object) => WasmInstance;
};
type WasmInstance = { readonly exports: Record<string, unknown> };
type Fuel = { value: number };
const wasm = (globalThis as unknown as { readonly WebAssembly: WasmModules }).WebAssembly;

/** Its types describe the CommonJS form of the package, in which the variant is one level deeper. */
const quickjs = variant as unknown as QuickJSSyncVariant;

const loadEngine = once(async () => {
  const path = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  return wasm.compile(meterModule(readFileSync(path)));
});

type MeteredEngine = { readonly context: QuickJSContext; readonly meter: Meter };

/** Counts the work of an instance, and stops it. */
class Meter {
  readonly #limits: ScriptLimits;
  readonly #deadline: number;
  #fuel: Fuel | undefined;
  #paid = 0;

  constructor(limits: ScriptLimits) {
    this.#limits = limits;
    this.#deadline = performance.now() + limits.timeMs;
  }

  /** From here on the limits count. */
  start(fuel: Fuel): void {
    this.#fuel = fuel;
    this.#paid = SLICE;
    fuel.value = SLICE;
  }

  get work(): number {
    return this.#paid - (this.#fuel?.value ?? 0);
  }

  tick(): void {
    if (this.#fuel === undefined) return;
    const { maxWork = Infinity, timeMs } = this.#limits;
    if (this.work > maxWork) throw new RealmStop(`it did more work than ${maxWork} instructions`);
    if (performance.now() > this.#deadline) throw new RealmStop(`it did not end within ${timeMs} ms`);
    this.#paid += SLICE;
    this.#fuel.value += SLICE;
  }
}

async function openEngine(limits: ScriptLimits): Promise<MeteredEngine> {
  const compiled = await loadEngine();
  const meter = new Meter(limits);
  const pages = MIN_PAGES + Math.ceil(limits.memoryBytes / PAGE);
  let exports: WasmInstance["exports"] = {};
  const metered = newVariant(quickjs, {
    wasmMemory: new wasm.Memory({ initial: MIN_PAGES, maximum: Math.min(MAX_PAGES, pages) }),
    emscriptenModule: {
      instantiateWasm: (imports, onSuccess) => {
        const meterImports = { [METER_IMPORT]: { tick: () => meter.tick() } };
        const instance = new wasm.Instance(compiled, { ...imports, ...meterImports });
        exports = instance.exports;
        onSuccess(instance);
        return exports;
      },
    },
  });
  const module = await newQuickJSWASMModuleFromVariant(metered);
  const { memoryBytes: memoryLimitBytes, stackBytes: maxStackSizeBytes = DEFAULT_STACK_BYTES } = limits;
  const runtime = module.newRuntime({ memoryLimitBytes, maxStackSizeBytes });
  const context = runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
  // meterModule has added this export.
  meter.start(exports[FUEL_EXPORT] as Fuel);
  return { context, meter };
}

/** A realm in which nothing has run yet. @throws Error where the interpreter itself cannot be started */
export async function openRealm(limits: ScriptLimits, seed = ""): Promise<Realm> {
  const { context, meter } = await openEngine(limits);
  const draw = random(seed);
  const words = Array.from({ length: 4 }, () => Math.floor(draw() * 2 ** 32) | 0);
  const prelude = context.unwrapResult(context.evalCode(`(${PRELUDE})([${words.join()}])`));
  const helper = (name: string) => context.getProp(prelude, name);
  const [parse, call, stringify] = [helper("parse"), helper("call"), helper("stringify")];
  const [describe, bind] = [helper("describe"), helper("bind")];
  const { runtime } = context;
  let stopped: FailedRun | undefined;
  let callWork = 0;
  let prepared: QuickJSHandle | undefined;

  const read = (value: QuickJSHandle): string => context.getString(value);
  const apply = (work: QuickJSHandle, ...args: readonly QuickJSHandle[]) =>
    context.callFunction(work, context.undefined, ...args);

  /**
   * What a script threw, in words. The interpreter throws null where it has not even the memory for an error, so that a
   * script that throws null itself counts as one without memory.
   */
  const explain = (error: QuickJSHandle): FailedRun => {
    const described = apply(describe, error);
    const detail = described.error ? "" : read(described.value).slice(0, MAX_DETAIL);
    if (described.error || detail === "InternalError: out of memory" || detail === "it threw null")
      return failedRun("memory", `it needed more than ${limits.memoryBytes} bytes of memory`);
    return failedRun("error", detail);
  };

  /** Runs what touches the realm, and closes the realm for good when that was stopped from outside. */
  const guard = (work: () => Executed): Executed => {
    if (stopped) return stopped;
    try {
      return work();
    } catch (error) {
      stopped =
        error instanceof RealmStop
          ? failedRun("time-limit", error.message)
          : error instanceof RangeError
            ? failedRun("error", "its calls are nested too deeply")
            : failedRun("error", `the interpreter failed: ${String(error).slice(0, MAX_DETAIL)}`);
      return stopped;
    }
  };

  /** What a promise has come to once all jobs are done; anything else as it is. */
  const settle = (value: QuickJSHandle): FailedRun | QuickJSHandle => {
    const before = context.getPromiseState(value);
    if (before.type === "fulfilled" && before.notAPromise) return value;
    while (runtime.hasPendingJob()) {
      const done = runtime.executePendingJobs(MAX_JOBS);
      if (done.error) return explain(done.error);
    }
    const after = context.getPromiseState(value);
    if (after.type === "rejected") return explain(after.error);
    if (after.type === "pending") return failedRun("error", "it gave a promise that never settles");
    return after.value;
  };

  const write = (value: QuickJSHandle): Executed => {
    const written = apply(stringify, value);
    if (written.error) return explain(written.error);
    if (context.typeof(written.value) !== "string")
      return failedRun("error", "it gave nothing that JSON can say (undefined, a function or a symbol)");
    const tooLong = failedRun("output", `its result has more than ${limits.maxOutput} bytes`);
    // Before it is copied: every UTF-16 unit takes at least one byte.
    if (context.getProp(written.value, "length").consume(context.getNumber) > limits.maxOutput)
      return tooLong;
    const text = read(written.value);
    if (Buffer.byteLength(text) > limits.maxOutput) return tooLong;
    return parseJson(text) ?? failedRun("error", "its result is not JSON");
  };

  const readArgs = (args: readonly Json[]): FailedRun | undefined => {
    const text = JSON.stringify(args);
    // A string takes two bytes a unit at worst, beside what it is parsed into.
    if (text.length * 4 > limits.memoryBytes)
      return failedRun("memory", `its input needs more than ${limits.memoryBytes} bytes of memory`);
    const parsed = apply(parse, context.newString(text));
    if (parsed.error) return explain(parsed.error);
    prepared = parsed.value;
    return undefined;
  };

  return {
    prepare: (args) => guard(() => readArgs(args) ?? { ok: true, value: null }),
    run: (source) =>
      guard(() => {
        const ran = context.evalCode(source, "script.js", { type: "global" });
        return ran.error ? explain(ran.error) : { ok: true, value: null };
      }),
    parse: (source) =>
      guard(() => {
        const parsed = context.evalCode(source, "script.js", { type: "global", compileOnly: true });
        if (parsed.error) return explain(parsed.error);
        parsed.value.dispose();
        return { ok: true, value: null };
      }),
    call: (entry, args) =>
      guard(() => {
        if (!IDENTIFIER.test(entry)) return failedRun("error", `"${entry}" is not the name of a function`);
        const work = context.evalCode(`(${entry})`, "entry.js", { type: "global" });
        if (work.error) return explain(work.error);
        if (context.typeof(work.value) !== "function")
          return failedRun("error", `the script declares no function ${entry}`);
        const failure = args === undefined ? undefined : readArgs(args);
        if (failure) return failure;
        if (prepared === undefined) return failedRun("error", "it was called without arguments");
        const given = prepared;
        prepared = undefined;
        const before = meter.work;
        try {
          const called = apply(call, work.value, given);
          if (called.error) return explain(called.error);
          const settled = settle(called.value);
          return "cause" in settled ? settled : write(settled);
        } finally {
          callWork = meter.work - before;
        }
      }),
    provide(name, work) {
      const host = context.newFunction(name, (handle) => {
        const outcome = work(JSON.parse(read(handle)) as Json[]);
        return context.newString(JSON.stringify(outcome));
      });
      context.setProp(context.global, name, context.unwrapResult(apply(bind, host)));
    },
    get work() {
      return meter.work;
    },
    get callWork() {
      return callWork;
    },
    get isOpen() {
      return stopped === undefined;
    },
  };
}

/** Runs a function of an untrusted script on an input, in a realm that exists for this call alone. */
export async function runScript({ source, entry, input, seed, ...limits }: ScriptRun): Promise<Executed> {
  const realm = await openRealm(limits, seed);
  const read = realm.prepare([input]);
  const ran = read.ok ? realm.run(source) : read;
  return ran.ok ? realm.call(entry) : ran;
}
