import { defineConfig } from "vitest/config";

const timeouts = { testTimeout: 20_000, hookTimeout: 20_000 };
/** For tests that start processes, on a machine that may be busy: the limit is for one that hangs. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

const IN_BROWSER = ["test/page/**/*.test.ts", "test/page-browser.test.ts", "test/page-file.test.ts"];

export default defineConfig({
  test: {
    pool: "forks",
    maxConcurrency: 3,
    reporters: ["default", "./scripts/tally-reporter.mjs"],
    projects: [
      // A unit test changes nothing outside of itself, so that the modules are loaded once for all of them.
      {
        test: {
          ...timeouts,
          ...{ name: "src", include: ["src/**/*.test.ts"], isolate: false },
          ...{ maxWorkers: 2, sequence: { groupOrder: 0 } },
        },
      },
      // These wait for processes and for time for more than half of theirs, so that two processors bear three at once.
      {
        test: {
          ...patience,
          ...{ name: "test", include: ["test/**/*.test.ts"], exclude: IN_BROWSER },
          ...{ maxWorkers: 3, sequence: { groupOrder: 1 } },
        },
      },
      // A browser takes both processors, and what waits for time beside it waits too long.
      {
        test: {
          ...patience,
          ...{ name: "page", include: IN_BROWSER },
          ...{ maxWorkers: 1, sequence: { groupOrder: 2 } },
        },
      },
    ],
  },
});
