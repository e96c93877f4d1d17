import { defineProtocol } from "../../../src/engine/index.ts";
import { StepKey } from "../../../src/kernel/index.ts";
import { answerOf, TOY, toyRequest } from "../../../src/testing/kit.ts";

/** One turn of a conversation: what it asks depends on its place in the series. */
export const serial = defineProtocol({
  ...TOY,
  name: "toy-serial",
  async deliberate({ question, opening, seats, run }) {
    const [ada] = seats("member");
    if (!ada) throw new RangeError("a member is needed");
    const turn = opening.series ? `turn ${opening.series.index}: ` : "";
    await run.call(
      {
        key: "answer",
        outcomes: ["answer-given", "degradation-noted"],
        request: toyRequest(ada, `${turn}${question}`),
      },
      answerOf(ada.id, "response"),
    );
    return { outcome: "answered", answer: StepKey.parse("answer"), control: null };
  },
});
