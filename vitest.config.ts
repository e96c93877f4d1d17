import { defineConfig } from "vitest/config";

const timeouts = { testTimeout: 20_000, hookTimeout: 20_000 };

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", "./scripts/tally-reporter.mjs"],
    projects: [
      // A unit test changes nothing outside of itself, so that the modules are loaded once for all of them.
      { test: { ...timeouts, name: "src", include: ["src/**/*.test.ts"], isolate: false } },
      { test: { ...timeouts, name: "test", include: ["test/**/*.test.ts"] } },
    ],
  },
});
