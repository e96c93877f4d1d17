import { defineReactor } from "../../../src/engine/index.ts";
import { ModelRef } from "../../../src/kernel/index.ts";
import { toyRequest } from "../../../src/testing/kit.ts";

const judge = { model: ModelRef.parse("sim/judge") };

/** Grades every answer with two calls, each a step of its own: a score, then its reason. */
export const critic = defineReactor({
  name: "critic",
  on: ["answer-given"],
  emits: ["note-taken", "grade-given"],
  async react(event, { run }) {
    const scored = await run.call(
      {
        key: "score",
        outcomes: ["note-taken"],
        request: toyRequest(judge, `score of ${event.id}: ${event.data.text}`),
      },
      (call) => ({
        type: "note-taken",
        data: { topic: "score", reason: "toy", body: call.ok ? call.reply : null },
      }),
    );
    await run.call(
      {
        key: "grade",
        outcomes: ["grade-given"],
        request: toyRequest(judge, `reason for ${JSON.stringify(scored.data.body)} of ${event.id}`),
      },
      (call) => ({
        type: "grade-given",
        data: { of: event.id, score: call.ok ? 4 : null, feedback: call.ok ? call.reply : "", rubric: "toy" },
      }),
    );
  },
});
