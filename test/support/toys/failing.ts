import { defineProtocol } from "../../../src/engine/index.ts";
import { StepKey } from "../../../src/kernel/index.ts";
import { answerOf, TOY, toyRequest } from "../../../src/testing/kit.ts";

/** One member after the other, until one answers: a failure for good is a step like any other. */
export const failing = defineProtocol({
  ...TOY,
  name: "toy-failing",
  async deliberate({ question, seats, run }) {
    for (const who of seats("member")) {
      const key = `answer/${who.id}`;
      const ended = await run.call(
        { key, outcomes: ["answer-given", "degradation-noted"], request: toyRequest(who, question) },
        answerOf(who.id, "response"),
      );
      if (ended.type === "answer-given")
        return { outcome: "answered", answer: StepKey.parse(key), control: null };
    }
    return { outcome: "failed", why: "nobody could answer" };
  },
});
