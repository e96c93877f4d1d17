import { admitWithinBudget, defineProtocol, reserveFor, phase } from "../../../src/engine/index.ts";
import { StepKey } from "../../../src/kernel/index.ts";
import { answerOf, TOY, toyRequest } from "../../../src/testing/kit.ts";

/** Keeps the chair's share back, admits as many members as the rest pays for, then the chair, then a clerk. */
export const thrifty = defineProtocol({
  ...TOY,
  name: "toy-thrifty",
  async deliberate({ question, seats, run }) {
    const [chair] = seats("chair");
    if (!chair) throw new RangeError("a chair is needed");
    const members = seats("member").map((who) => ({ id: who.id, who, request: toyRequest(who, question) }));
    reserveFor(run, "chair", () => toyRequest(chair, "the worst case"));
    const { in: admittedIds } = await admitWithinBudget(run, { name: "draft", members });
    const drafts = await phase<string>(run, { name: "draft", members: admittedIds }, async (id, part) => {
      const member = members.find((one) => one.id === id);
      if (!member) throw new RangeError("no such member");
      const ended = await part.call(
        { key: `draft/${id}`, outcomes: ["answer-given", "degradation-noted"], request: member.request },
        answerOf(member.who.id),
      );
      return ended.type === "answer-given"
        ? { in: true, value: ended.data.text }
        : { in: false, why: ended.data.why };
    });
    const heard = drafts.in.map(({ value }) => value).join("+");
    const spoke = await run.call(
      {
        key: "chair",
        outcomes: ["answer-given", "degradation-noted"],
        request: toyRequest(chair, `of ${heard}`),
        share: "chair",
      },
      answerOf(chair.id, "response"),
    );
    const why = drafts.out.length + (members.length - admittedIds.length) > 0;
    if (spoke.type !== "answer-given")
      return { outcome: "stopped-by-budget", why: spoke.data.why, best: null };
    await run.call(
      {
        key: "clerk",
        outcomes: ["answer-given", "degradation-noted"],
        request: toyRequest(chair, `write down ${spoke.data.text}`),
      },
      answerOf(chair.id, "response"),
    );
    return { outcome: why ? "answered-degraded" : "answered", answer: StepKey.parse("chair"), control: null };
  },
});
