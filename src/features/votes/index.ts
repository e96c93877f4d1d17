import { defineFeature } from "../feature.ts";

/** Who ranked whom over all runs, and who leads. */
export const votes = defineFeature({
  name: "votes",
  operations: async () => (await import("./api/index.ts")).operations,
  commands: [
    {
      name: "votes",
      summary: "Show who ranked whom, who leads, and who favors whom",
      heading: "Runs",
      meant: { list: "history", league: "league leaderboard ranking" },
      was: { history: ["list"], league: ["league"], audit: [] },
      load: async () => (await import("./commands/index.ts")).commands,
    },
  ],
});
