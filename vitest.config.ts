import { defineConfig } from "vitest/config";

const timeouts = { testTimeout: 20_000, hookTimeout: 20_000 };
/** For tests that start processes, on a machine that may be busy: the limit is for one that hangs. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };

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
          ...{ name: "test", include: ["test/**/*.test.ts"] },
          ...{ maxWorkers: 3, sequence: { groupOrder: 1 } },
        },
      },
    ],
  },
});
