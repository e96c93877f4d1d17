import { defineProtocol } from "../../../src/engine/index.ts";
import { StepKey } from "../../../src/kernel/index.ts";
import { answerOf, TOY, toyRequest } from "../../../src/testing/kit.ts";

/** Asks the person back, and waits for what they say. */
export const waiting = defineProtocol({
  ...TOY,
  name: "toy-waiting",
  async deliberate({ question, seats, run }) {
    const [ada, bob] = seats("member");
    if (!ada || !bob) throw new RangeError("two members are needed");
    await run.call(
      { key: "clarify", outcomes: ["clarification-asked"], request: toyRequest(ada, `unclear: ${question}`) },
      (call) => ({
        type: "clarification-asked",
        data: { by: ada.id, questions: [{ id: "q1", text: call.ok ? call.reply : "what do you mean?" }] },
      }),
    );
    // Something else goes on while the person thinks.
    const aside = run.call(
      {
        key: "aside",
        outcomes: ["answer-given", "degradation-noted"],
        request: toyRequest(bob, `meanwhile: ${question}`),
      },
      answerOf(bob.id),
    );
    const [said] = await Promise.all([run.awaits("clarification"), aside]);
    const meant = said.type === "clarification-answered" ? (said.data.answers[0]?.text ?? "") : "nothing";
    await run.call(
      {
        key: "answer",
        outcomes: ["answer-given", "degradation-noted"],
        request: toyRequest(ada, `${question} ${meant}`),
      },
      answerOf(ada.id, "response"),
    );
    return { outcome: "answered", answer: StepKey.parse("answer"), control: null };
  },
});
