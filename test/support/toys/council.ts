import * as z from "zod";
import { defineProtocol, phase, type PhaseResult, type StepRunner } from "../../../src/engine/index.ts";
import { StepKey, type Participant } from "../../../src/kernel/index.ts";
import { answerOf, failureOf, toyRequest } from "../../../src/testing/kit.ts";

const Settings = z.strictObject({
  strategy: z.string().default("balanced"),
  quorum: z.int().optional(),
  patienceMs: z.int().optional(),
});

/**
 * Drafts in parallel, each repaired once if it does not begin with a letter; then a chair, who alone knows the
 * strategy. With a quorum and patience it goes on without stragglers.
 */
export const council = defineProtocol({
  name: "toy-council",
  version: 1,
  settings: Settings,
  summary: "a council of a few lines",
  seats: [],
  templates: [],
  async deliberate({ question, settings, seats, run }) {
    const { strategy, quorum, patienceMs } = settings;
    const members = seats("member");
    const drafts = await phase<string>(
      run,
      {
        name: "draft",
        members: members.map(({ id }) => id),
        ...(quorum === undefined ? {} : { quorum }),
        ...(patienceMs === undefined ? {} : { patienceMs }),
      },
      (id, part) =>
        draft(
          part,
          question,
          members.find((member) => member.id === id),
        ),
    );
    const [chair] = seats("chair");
    if (!chair) throw new RangeError("a chair is needed");
    if (drafts.in.length === 0) return { outcome: "failed", why: "nobody drafted" };
    const heard = drafts.in.map(({ id, value }) => `${id}: ${value}`).join("\n");
    await run.call(
      {
        key: "synthesis",
        outcomes: ["synthesis-given", "degradation-noted"],
        request: toyRequest(chair, `${strategy}\n${heard}`),
      },
      (call) =>
        call.ok
          ? {
              type: "synthesis-given",
              data: {
                by: chair.id,
                text: call.reply,
                final: null,
                strategy,
                dissent: [],
                insights: [],
                vetoed: [],
                claims: { ok: false, reason: "not asked" },
              },
            }
          : failureOf(chair.id)(call.failure.code),
    );
    return {
      outcome: drafts.out.length > 0 ? "answered-degraded" : "answered",
      answer: StepKey.parse("synthesis"),
      control: null,
    };
  },
});

async function draft(
  run: StepRunner,
  question: string,
  who: Participant | undefined,
): Promise<PhaseResult<string>> {
  if (!who) throw new RangeError("no such member");
  const first = await run.call(
    {
      key: `draft/${who.id}`,
      outcomes: ["answer-given", "reply-received", "degradation-noted"],
      request: toyRequest(who, question),
    },
    (call) =>
      call.ok && !/^[a-z]/i.test(call.reply)
        ? { type: "reply-received", data: { by: who.id, why: "it does not begin with a letter" } }
        : answerOf(who.id)(call),
  );
  if (first.type === "degradation-noted") return { in: false, why: first.data.why };
  if (first.type === "answer-given") return { in: true, value: first.data.text };
  const repaired = await run.call(
    {
      key: `draft/${who.id}/repair`,
      outcomes: ["answer-given", "degradation-noted"],
      request: toyRequest(who, `again, with letters: ${question}`),
    },
    answerOf(who.id),
  );
  return repaired.type === "answer-given"
    ? { in: true, value: repaired.data.text }
    : { in: false, why: repaired.data.why };
}
