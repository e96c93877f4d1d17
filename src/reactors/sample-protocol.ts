import { defineProtocol } from "../engine/index.ts";
import { StepKey } from "../kernel/index.ts";
import { respond, RespondentSettings } from "../phases/respond.ts";

/** For tests: what reactors meet of the protocol `respond`, which is tested where it stands. */
export const responding = defineProtocol({
  name: "respond",
  version: 1,
  settings: RespondentSettings,
  templates: ["respond"],
  async deliberate(floor) {
    const [by] = floor.seats("respondent");
    if (by) await respond(floor, { by, respondent: "A", history: floor.history });
    return { outcome: "answered", answer: StepKey.parse("answer/A"), control: null };
  },
});
