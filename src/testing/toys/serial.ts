import { defineProtocol } from "../../engine/index.ts";
import { StepKey } from "../../kernel/index.ts";
import { answerOf, noSettings, toyRequest } from "./kit.ts";

/** One turn of a conversation: what it asks depends on its place in the series. */
export const serial = defineProtocol({
  name: "toy-serial",
  version: 1,
  settings: noSettings,
  templates: [],
  async deliberate({ question, opening, seats, run }) {
    const [ada] = seats("member");
    if (!ada) throw new RangeError("a member is needed");
    const turn = opening.series ? `turn ${opening.series.index}: ` : "";
    await run.call(
      {
        key: "answer",
        ends: ["answer-given", "degradation-noted"],
        request: toyRequest(ada, `${turn}${question}`),
      },
      answerOf(ada.id, "response"),
    );
    return { outcome: "answered", answer: StepKey.parse("answer"), control: null };
  },
});
