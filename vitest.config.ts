import { defineConfig } from "vitest/config";

const timeouts = { testTimeout: 20_000, hookTimeout: 20_000 };
/** For tests that start processes, on a machine that may be busy: the limit is for one that hangs. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

/** What the gate runs of the tests that start processes: one file each for kill and resume, MCP over stdio, and the page. */
const SMOKE = ["test/e2e/durability.test.ts", "test/page/server-page.test.ts"];

/** Of the program as a whole, too dear for the gate: `npm run test:all` has them. */
const PROGRAM = [
  "answer-stream",
  "bench",
  "bundle",
  "critic-load",
  "examples",
  "held-out",
  "hostile-requests",
  "mcp-agents",
  "new",
  "notices",
  "old-store",
  "package",
  "readers",
  "review",
  "server-contract",
  "start",
  "work-tree",
]
  .map((name) => `test/${name}.test.ts`)
  .concat(
    ["stores/postgres-faults", "features/bench/app/bench"].map((name) => `src/${name}.test.ts`),
    ["review/protocol/hostile", "server-watch/api/notices"].map((name) => `src/features/${name}.test.ts`),
  );
const DOCS = ["test/docs.test.ts"];
const PAGE = ["test/page/**/*.test.ts", "test/page-*.test.ts"];

/** Tests that start processes wait for more than half of their time, so that two processors bear three at once. */
const processes = { ...patience, maxWorkers: 3 };

export default defineConfig({
  test: {
    pool: "forks",
    // What one run has compiled, the next one and the other projects read.
    experimental: { fsModuleCache: true },
    maxConcurrency: 3,
    reporters: ["default", "./scripts/tally-reporter.mjs"],
    projects: [
      // A unit test changes nothing outside of itself, so that the modules are loaded once for all of them.
      {
        test: {
          ...timeouts,
          ...{ name: "src", include: ["src/**/*.test.ts"], exclude: PROGRAM, isolate: false },
          ...{ maxWorkers: 2, sequence: { groupOrder: 0 } },
        },
      },
      {
        test: {
          ...processes,
          ...{
            isolate: false,
            name: "gate",
            include: ["test/*.test.ts", "test/support/*.test.ts", ...SMOKE],
          },
          ...{ exclude: [...PROGRAM, ...DOCS, "test/page-*.test.ts"], sequence: { groupOrder: 1 } },
        },
      },
      { test: { ...processes, name: "program", include: PROGRAM, sequence: { groupOrder: 2 } } },
      {
        test: {
          // Its files run several programs at once themselves.
          ...{ ...processes, maxWorkers: 2 },
          ...{ name: "cli", include: ["test/e2e/**/*.test.ts"], exclude: SMOKE, sequence: { groupOrder: 3 } },
        },
      },
      { test: { ...processes, name: "docs", include: DOCS, sequence: { groupOrder: 4 } } },
      // A browser takes both processors, and what waits for time beside it waits too long.
      {
        test: {
          ...patience,
          ...{ name: "page", include: PAGE, exclude: SMOKE },
          ...{ maxWorkers: 1, sequence: { groupOrder: 5 } },
        },
      },
    ],
  },
});
