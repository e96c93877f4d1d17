import { defineConfig } from "tsdown";
import manifest from "./package.json" with { type: "json" };

type Entry = readonly [output: string, source: string];

/** `./kernel` in package.json's exports is src/kernel/index.ts, `.` is src/index.ts. */
const library = Object.keys(manifest.exports)
  .filter((subpath) => !subpath.endsWith(".json"))
  .map((subpath): Entry => {
    const folder = subpath.slice(2);
    return folder === "" ? ["index", "src/index.ts"] : [folder, `src/${folder}/index.ts`];
  });
/** What runs as a process of its own: the command, and what the published store contract starts beside itself. */
const programs: readonly Entry[] = [
  ["cli", "src/cli/main.ts"],
  ["store-contract-worker", "src/testing/store-contract-worker.ts"],
];

export default defineConfig({
  entry: Object.fromEntries([...programs, ...library]),
  format: "esm",
  platform: "node",
  target: "node20.20",
  checks: { pluginTimings: false },
  dts: { entry: library.map(([, source]) => source) },
});
