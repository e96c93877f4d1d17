import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Caches are nobody's data: they have a folder of their own, by the same rules as the others (`dataFolder`). undefined where
 * no absolute path says where: what is read there is run, so the working directory's own files must not stand for it.
 */
export function compiledHome(env: EnvironmentVariables, home = systemHome()): string | undefined {
  const { PARLEY_HOME = "", XDG_CACHE_HOME = "" } = env;
  if (PARLEY_HOME !== "") return isAbsolute(PARLEY_HOME) ? join(PARLEY_HOME, "compiled") : undefined;
  if (isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "parley", "compiled");
  return isAbsolute(home) ? join(home, ".cache", "parley", "compiled") : undefined;
}

/** Empty where `HOME` is, and for a user whom the system does not know. */
function systemHome(): string {
  try {
    return homedir();
  } catch {
    return "";
  }
}

/**
 * Requires a CommonJS file beside this one, as the build puts them, and keeps what V8 compiles for the next start, which then takes
 * three quarters of the time. Node does that itself from 22.8 on; `NODE_DISABLE_COMPILE_CACHE=1` forbids it. The folder is the
 * user's own and not the one for temporary files, as by default: whoever writes there first would say what we run.
 * @public The build calls it: see `compiledStart` in tsdown.config.ts.
 */
export function requireCompiled(name: string, env: EnvironmentVariables): unknown {
  const forbidden = (env["NODE_DISABLE_COMPILE_CACHE"] ?? "") !== "";
  const enable: unknown = Reflect.get(module, "enableCompileCache");
  const folder = forbidden ? undefined : compiledHome(env);
  if (folder !== undefined && typeof enable === "function") Reflect.apply(enable, module, [folder]);
  if (folder === undefined || typeof enable === "function")
    return createRequire(import.meta.url)(`./${name}`);
  const loader = createLoader(import.meta.dirname, folder);
  process.once("exit", () => loader.keep());
  return loader.load(name);
}

const MAX_AGE_MS = 30 * 86_400_000;
/** Names that follow a file's contents: V8 compares the lengths of sources, and no more. */
const HASHED = /-[\w-]{8}\.cjs$/;
/** Compiled code is no module, so that it has nothing to import with: not at all from cached data, else with a warning of Node's. */
const IMPORT = /\bimport\s*\(/g;
const importHere = (id: string): Promise<unknown> => import(id);

/**
 * Files of one folder that require each other, each compiled from its cache in `folder` where that fits. They are in Node's own table,
 * so that a package that imports the library gets the copy that runs.
 */
export function createLoader(dist: string, folder: string) {
  const fresh: { readonly cache: string; readonly script: Script }[] = [];
  // V8 refuses what another version of it or other flags made.
  const cacheOf = (name: string) => join(folder, `${name}.${process.version}-${process.arch}`);

  function load(name: string): unknown {
    const filename = join(dist, name);
    const outside = createRequire(filename);
    const known = outside.cache[filename];
    if (known) return known.exports as unknown;
    const source = readFileSync(filename, "utf8").replaceAll(IMPORT, "require.import(");
    const cached = HASHED.test(name);
    const cachedData = cached ? readCache(cacheOf(name)) : undefined;
    const script = new Script(module.wrap(source), { filename, ...(cachedData ? { cachedData } : {}) });
    if (cached && (!cachedData || script.cachedDataRejected === true))
      fresh.push({ cache: cacheOf(name), script });
    const loaded = Object.assign(new module.Module(filename), { filename, exports: {} });
    outside.cache[filename] = loaded;
    const inside = (id: string): unknown => (/^\.\/[\w-]+\.cjs$/.test(id) ? load(id.slice(2)) : outside(id));
    const require = Object.assign(inside, { import: importHere });
    // Node's own wrapper around a CommonJS file.
    const run = script.runInThisContext() as (...given: unknown[]) => void;
    run.call(loaded.exports, loaded.exports, require, loaded, filename, dist);
    loaded.loaded = true;
    return loaded.exports;
  }

  return {
    load,
    /** Writes what was compiled anew, with the functions that have run. A cache that cannot be written is no error. */
    keep(): void {
      try {
        if (fresh.length === 0) return;
        makeFolder(folder);
        for (const { cache, script } of fresh) writeCache(cache, script.createCachedData());
        for (const name of readdirSync(folder)) {
          const old = join(folder, name);
          if (Date.now() - statSync(old).mtimeMs > MAX_AGE_MS) rmSync(old, { force: true });
        }
      } catch {
        // The next start compiles again.
      }
    },
  };
}

/** Makes a folder and those above it; with `recursive`, Node never ends below a folder such as /proc that takes none. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Whole or not at all, even if the power fails: V8 would trust a file that was half written. */
function writeCache(path: string, data: Buffer): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, data, { mode: 0o600, flush: true });
  renameSync(draft, path);
}
