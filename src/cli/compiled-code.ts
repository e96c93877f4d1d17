import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Caches are nobody's data: they have a folder of their own, by the same rules as the others (`dataHome`). */
export function compiledHome(env: Environment, home: string = homedir()): string {
  const { PARLEY_HOME = "", XDG_CACHE_HOME = "" } = env;
  if (PARLEY_HOME !== "") return join(PARLEY_HOME, "compiled");
  return join(isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(home, ".cache"), "parley", "compiled");
}

/**
 * Keeps what Node compiles for the next start, where Node can (22.8 on; `NODE_DISABLE_COMPILE_CACHE=1` forbids it).
 * Not in the folder for temporary files, as by default: whoever writes there first would say what we run.
 */
export function keepCompiledCode(env: Environment): void {
  const enable: unknown = Reflect.get(module, "enableCompileCache");
  if (typeof enable === "function") Reflect.apply(enable, module, [compiledHome(env)]);
}
