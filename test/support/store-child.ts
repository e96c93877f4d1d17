import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { afterAll } from "vitest";
import type { OpenInChild } from "../../src/testing/store-place.ts";
import { isLong } from "./long.ts";

const { resolve } = createRequire(import.meta.url);
const worker = fileURLToPath(new URL("../../src/testing/store-contract-worker.ts", import.meta.url));

/** What brings its own ways of finding modules stays where it is installed. */
const binaries: Plugin = {
  name: "binaries",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^(?:libsql|pg)(?:\/|$)/ }, ({ path }) => ({ path: resolve(path), external: true }));
  },
};

/**
 * A store's module and the contract's worker, bundled for the tests of this file. A child that loads the two bundles starts in a
 * fifth of the time that loading their sources takes.
 */
export async function bundledStore(store: URL): Promise<Omit<OpenInChild, "export" | "args">> {
  const folder = await mkdtemp(join(tmpdir(), "parley-child-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  await build({
    entryPoints: { store: fileURLToPath(store), worker },
    ...{ bundle: true, splitting: true, platform: "node", format: "esm", target: "node20" },
    ...{ outdir: folder, outExtension: { ".js": ".mjs" }, plugins: [binaries] },
  });
  return {
    module: pathToFileURL(join(folder, "store.mjs")).href,
    worker: join(folder, "worker.mjs"),
    processes: isLong ? 16 : 4,
  };
}
