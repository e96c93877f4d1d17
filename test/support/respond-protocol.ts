import { defineProtocol } from "../../src/engine/index.ts";
import { StepKey } from "../../src/kernel/index.ts";
import { respondTemplate, respond, RespondentSettings } from "../../src/features/respond/protocol/answer.ts";

/** For tests: what reactors meet of the protocol `respond`, which is tested where it stands. */
export const responding = defineProtocol({
  name: "respond",
  version: 1,
  settings: RespondentSettings,
  summary: "answers",
  seats: [{ name: "respondent", filledBy: "models", min: 1 }],
  templates: [respondTemplate],
  async deliberate(context) {
    const [by] = context.seats("respondent");
    if (by) await respond(context, { by, respondent: "A", history: context.history });
    return { outcome: "answered", answer: StepKey.parse("answer/A"), control: null };
  },
});
