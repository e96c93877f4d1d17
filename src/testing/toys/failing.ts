import { defineProtocol } from "../../engine/index.ts";
import { StepKey } from "../../kernel/index.ts";
import { answerOf, noSettings, toyRequest } from "./kit.ts";

/** One member after the other, until one answers: a failure for good is a step like any other. */
export const failing = defineProtocol({
  name: "toy-failing",
  version: 1,
  settings: noSettings,
  templates: [],
  async deliberate({ question, seats, run }) {
    for (const who of seats("member")) {
      const key = `answer/${who.id}`;
      const ended = await run.call(
        { key, ends: ["answer-given", "degradation-noted"], request: toyRequest(who, question) },
        answerOf(who.id, "response"),
      );
      if (ended.type === "answer-given")
        return { outcome: "answered", answer: StepKey.parse(key), control: null };
    }
    return { outcome: "failed", why: "nobody could answer" };
  },
});
