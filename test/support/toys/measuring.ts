import { defineProtocol } from "../../../src/engine/index.ts";
import { TOY } from "../../../src/testing/kit.ts";

/** An effect on the outside, then a conclusion that only depends on what was recorded of it. */
export const measuring = (measure: () => Promise<number>) =>
  defineProtocol({
    ...TOY,
    name: "toy-measuring",
    async deliberate({ question, run }) {
      const gate = await run.effect(
        { key: "gate", outcomes: ["gate-decided"], input: question },
        async () => {
          const measured = await measure();
          return {
            type: "gate-decided",
            data: {
              gate: "size",
              hard: true,
              outcome: measured > 0 ? "passed" : "failed",
              metrics: { measured },
              mode: "tool_executed",
              because: "it was measured",
            },
          };
        },
      );
      const measured = gate.data.metrics["measured"] ?? 0;
      const note = await run.derive(
        { key: "conclusion", outcomes: ["note-taken"], input: { measured } },
        () => ({
          type: "note-taken",
          data: { topic: "conclusion", reason: "toy", body: { twice: Number(measured) * 2 } },
        }),
      );
      return { outcome: "inconclusive", why: JSON.stringify(note.data.body), best: null };
    },
  });
