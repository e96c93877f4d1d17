import { describe, expect, it } from "vitest";
import { deskOf, say } from "../../../test/support/simulated.ts";
import { draftPrompt } from "../../protocols/phases/draft.ts";
import { parseComparison } from "../../replies/comparison.ts";
import { comparisonPrompt } from "./protocol/resolve-by-synthesis.ts";

const desk = deskOf("one");
const labels = ["A", "B", "C"];

describe("a simulated comparer", () => {
  const compared = (refs: readonly string[], question: string) => {
    const material = { question, context: [] };
    const answers = refs.map((ref, index) => ({
      label: labels[index] ?? "",
      text: say(ref, draftPrompt(desk, { material, persona: "P" })),
    }));
    return parseComparison(
      say("sim/chair", comparisonPrompt(desk, { material, persona: "P", answers })),
      labels,
    );
  };

  it("finds different results to be a contradiction, and equal ones an agreement", () => {
    expect(compared(["sim/a?skill=1", "sim/b?skill=0", "sim/c?skill=1"], "What is 17 * 23?")).toMatchObject({
      ok: true,
      contradictions: [{ topic: "the result", stances: [{ answers: ["A", "C"] }, { answers: ["B"] }] }],
    });
    expect(compared(["sim/a?skill=1", "sim/b?skill=1"], "What is 17 * 23?")).toMatchObject({
      ok: true,
      agreements: [{ claim: "It is 391.", answers: ["A", "B"] }],
      contradictions: [],
    });
  });

  it("finds leanings to contradict each other in an open question, and a point of each alone", () => {
    const question = "Should a team of five move from a monolith to microservices this year?";
    const read = compared(["sim/a", "sim/b?seed=2", "sim/c?seed=3"], question);
    expect(read).toMatchObject({ ok: true });
    expect(read.ok && read.unique.length).toBeGreaterThan(0);
  });
});
