import { defineFeature } from "../feature.ts";

/** One model answers at once, and a conversation with it; a second one may answer beside it. */
export const respond = defineFeature({
  name: "respond",
  protocols: { respond: async () => (await import("./protocol/index.ts")).respond },
  reactors: [{ name: "respondent-b", load: async () => (await import("./reactor/index.ts")).respondentB }],
  script: async () => (await import("./sim.ts")).script,
  asks: {
    respond: {
      ...{ title: "Ask one model", place: 4, when: "for one model" },
      summary: "One model answers, with the conversation so far and what memory recalls",
      ...{ takes: "1 call, 5 to 30 s", fields: ["again"] },
    },
  },
  surfaces: {
    chat: { first: "Ask", load: async () => (await import("./commands/index.ts")).chat },
    respond: { first: "Ask", load: async () => (await import("./commands/index.ts")).respond },
  },
});
