import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openStore } from "./index.ts";

const run = promisify(execFile);

/** What a process prints that opens a store and lists the modules it has loaded for it. */
async function driversOf(target: string): Promise<string> {
  const script = `
    import { createRequire } from "node:module";
    const { openStore } = await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
    await openStore(${JSON.stringify(target)}).then((store) => store[Symbol.asyncDispose](), () => undefined);
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    const has = (name) => loaded.some((path) => path.includes("/node_modules/" + name + "/"));
    console.log(["libsql", "pg"].filter(has).join(" and "));`;
  const { stdout } = await run(process.execPath, [
    "--import",
    "tsx",
    "--input-type=module",
    "--eval",
    script,
  ]);
  return stdout.trim();
}

it("loads only the driver that the store needs", async () => {
  expect(await driversOf(":memory:")).toBe("libsql");
  expect(await driversOf("postgres://nobody@127.0.0.1:1/none")).toBe("pg");
});

it("takes what is not an address for a path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-open-"));
  const path = join(folder, "parley.db");
  const store = await openStore(path);
  expect(store.location).toBe(path);
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
