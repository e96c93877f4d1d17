import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compiledHome, createLoader } from "./compiled-code.ts";

it.each([
  [{}, "/home/ada/.cache/parley/compiled"],
  [{ XDG_CACHE_HOME: "/caches" }, "/caches/parley/compiled"],
  [{ XDG_CACHE_HOME: "relative" }, "/home/ada/.cache/parley/compiled"],
  [{ XDG_CACHE_HOME: "/caches", PARLEY_HOME: "/p" }, "/p/compiled"],
  [{ PARLEY_HOME: "" }, "/home/ada/.cache/parley/compiled"],
])("keeps compiled code with %j in %s", (env, folder) => {
  expect(compiledHome(env, "/home/ada")).toBe(folder);
});

it.each([
  [{}, ""],
  [{}, "relative"],
  [{ XDG_CACHE_HOME: "relative" }, ""],
  [{ PARLEY_HOME: "relative" }, "/home/ada"],
  [{ PARLEY_HOME: "~/p" }, "/home/ada"],
])("keeps none in the working directory: %j, home %j", (env, home) => {
  expect(compiledHome(env, home)).toBeUndefined();
});

describe("a loader", () => {
  let dist = "";
  let folder = "";

  beforeEach(async () => {
    dist = await mkdtemp(join(tmpdir(), "parley-compiled-"));
    folder = join(dist, "cache");
    await writeFile(
      join(dist, "cli-start.cjs"),
      'exports.total = require("./cli-part-aaaaaaaa.cjs").add(2, 3);',
    );
    await writeFile(
      join(dist, "cli-part-aaaaaaaa.cjs"),
      // Never the same source twice: V8 would find it in memory.
      `exports.add = (a, b) => a + b; exports.own = require("./cli-start.cjs"); // ${dist}`,
    );
  });

  afterEach(() => rm(dist, { recursive: true, force: true }));

  /** As another process would. */
  const start = () => {
    const { cache } = createRequire(import.meta.url);
    for (const path of Object.keys(cache).filter((one) => one.startsWith(dist)))
      Reflect.deleteProperty(cache, path);
    const loader = createLoader(dist, folder);
    const loaded = loader.load("cli-start.cjs");
    loader.keep();
    return loaded;
  };

  it("keeps the compiled files whose names follow their contents, and starts from them", async () => {
    expect(start()).toEqual({ total: 5 });
    const [kept = "", ...others] = await readdir(folder);
    expect(kept).toBe(`cli-part-aaaaaaaa.cjs.${process.version}-${process.arch}`);
    expect(others).toEqual([]);
    const { mtimeMs } = await stat(join(folder, kept));
    expect(start()).toEqual({ total: 5 });
    expect((await stat(join(folder, kept))).mtimeMs).toBe(mtimeMs); // V8 took it, or it would have been written again
  });

  it("compiles again what is damaged, and removes what no start has written for a month", async () => {
    await mkdir(folder);
    const kept = join(folder, `cli-part-aaaaaaaa.cjs.${process.version}-${process.arch}`);
    await writeFile(kept, "not compiled code");
    const old = join(folder, "cli-gone-bbbbbbbb.cjs.v1");
    await writeFile(old, "");
    await utimes(old, new Date(0), new Date(0));
    expect(start()).toEqual({ total: 5 });
    expect((await readFile(kept)).length).toBeGreaterThan(100);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("imports as it runs, on every start, without a warning, and gives what is imported its own files", async () => {
    const url = pathToFileURL(join(dist, "package.mjs")).href;
    const itself =
      'import all from "./cli-part-aaaaaaaa.cjs"; export const answer = all.add() === all.add() ? 42 : 0;';
    await writeFile(join(dist, "package.mjs"), itself);
    await writeFile(
      join(dist, "cli-part-aaaaaaaa.cjs"),
      `let imported; exports.add = () => (imported ??= import ("${url}"));`,
    );
    const loader = pathToFileURL(join(import.meta.dirname, "compiled-code.ts")).href;
    const program = `const { createLoader } = await import("${loader}");
      const made = createLoader(...${JSON.stringify([dist, folder])});
      console.log((await made.load("cli-start.cjs").total).answer);
      made.keep();`;
    const tsx = createRequire(import.meta.url).resolve("tsx");
    const args = ["--import", pathToFileURL(tsx).href, "--input-type=module", "--eval", program];
    // A process each: within one, V8 takes the script from memory.
    for (const time of ["first", "second", "third"])
      expect(await promisify(execFile)(process.execPath, args), time).toEqual({ stdout: "42\n", stderr: "" });
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("needs no folder that it can write", async () => {
    await writeFile(folder, "a file");
    expect(start()).toEqual({ total: 5 });
  });
});
