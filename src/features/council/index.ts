import { defineFeature } from "../feature.ts";

/** Drafts, anonymous reviews, and one synthesis. */
export const council = defineFeature({
  name: "council",
  protocols: { council: async () => (await import("./protocol/index.ts")).council },
  asks: {
    council: {
      ...{ title: "Hold a council", place: 2, when: "for open questions and for reviews", isCore: true },
      summary: "Members draft, review each other's drafts blindly, and a chair writes one answer",
      ...{ takes: "7 calls (3 models), 1 to 2 min", fields: ["seats", "pack", "chair", "mode", "strategy"] },
    },
  },
  commands: [
    { name: "demo", heading: "Setup", load: async () => (await import("./commands/index.ts")).demo },
  ],
  surfaces: { council: { first: "Ask" } },
  chat: { council: "put the last question before a council" },
});
