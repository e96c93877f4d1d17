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

/** Drivers are loaded when a store needs them, and bring binaries or their own ways of finding modules. */
const DRIVERS = ["libsql", "pg"];

/** What of undici the command uses: loading all of it would take three times as long. */
const onlyAgent = {
  name: "undici-agent",
  resolveId: (id: string) => (id === "undici" ? "\0undici" : null),
  load: (id: string) =>
    id === "\0undici" ? 'import Agent from "undici/lib/dispatcher/agent.js"; export { Agent };' : null,
};

const common = {
  format: "esm",
  platform: "node",
  target: "node20.20",
  // Both write into one folder, which scripts/setup.mjs makes anew.
  clean: false,
  checks: { pluginTimings: false },
} as const;

export default defineConfig([
  {
    ...common,
    // The published store contract starts its worker as a process beside itself.
    entry: Object.fromEntries([
      ["store-contract-worker", "src/testing/store-contract-worker.ts"],
      ...library,
    ]),
    dts: { entry: library.map(([, source]) => source) },
  },
  {
    ...common,
    // With its libraries in its own files the command starts in two thirds of the time.
    entry: { cli: "src/cli/main.ts" },
    dts: false,
    deps: { alwaysBundle: (id: string) => !DRIVERS.some((name) => id === name || id.startsWith(`${name}/`)) },
    plugins: [onlyAgent],
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    outputOptions: { chunkFileNames: "cli-[name]-[hash].mjs" },
  },
]);
