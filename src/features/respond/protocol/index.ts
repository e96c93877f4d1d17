import * as z from "zod";
import { closeWithoutClient, stoppedByBudget } from "../../../protocols/phases/reply.ts";
import { defineProtocol } from "../../../engine/index.ts";
import { callOf } from "../../../kernel/index.ts";
import { withLostTools } from "../../../protocols/phases/tools.ts";
import { respond as answer, RespondentSettings, respondTemplate } from "./answer.ts";

export { RespondentSettings as RespondSettings } from "./answer.ts";

/** Settings that a request may give for the models that answer; settings.ts of the configuration checks them. */
const RespondFlags = z.object({
  temperature: z
    .number()
    .optional()
    .meta({ flag: "--temperature <t>", description: "temperature, 0 to 2 (default: the provider's)" }),
  respondentB: z
    .boolean()
    .optional()
    .meta({ flag: "--respondent-b", description: "answer with a second model too (A/B comparison)" }),
  modelB: z
    .string()
    .optional()
    .meta({ flag: "--model-b <ref>", description: "second model (default: the same model)" }),
  temperatureB: z
    .number()
    .optional()
    .meta({ flag: "--temperature-b <t>", description: "temperature of the second model (default: 0.5)" }),
});

/**
 * One respondent answers at once, with the conversation so far and what memory recalls. Whatever
 * else happens to the answer, a second one beside it included, is reactors' work, and nothing waits for it.
 */
export const respond = defineProtocol<RespondentSettings>({
  name: "respond",
  version: 1,
  summary: "Ask one model, with the conversation so far and memory",
  seats: [{ name: "respondent", filledBy: "models", min: 1, max: 1, persona: "respondent" }],
  settings: RespondentSettings,
  request: RespondFlags,
  templates: [respondTemplate],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  opening: async () => (await import("./opening.ts")).openRespond,
  async deliberate(context) {
    const [by] = context.seats("respondent");
    if (!by) return { outcome: "failed", why: "nobody sits in the respondent's seat" };
    let lost = 0;
    const onLost = () => void (lost += 1);
    const turn = { by, respondent: "A", history: context.history, onLost } as const;
    const event = await answer(context, turn).catch(closeWithoutClient);
    if ("outcome" in event) return event;
    if (event.type === "answer-given" && "step" in event.origin)
      return withLostTools({ outcome: "answered", answer: event.origin.step, control: null }, lost);
    const call = callOf(event);
    const why = event.type === "degradation-noted" ? event.data.why : "there is no answer";
    return call?.ok === false && call.failure.code === "over-budget"
      ? stoppedByBudget(why, call.failure.cap, null)
      : { outcome: "failed", why };
  },
});
