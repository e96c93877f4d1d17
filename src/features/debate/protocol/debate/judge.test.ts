import { describe, expect, it } from "vitest";
import { debateAsked, debaters, debateTaskOf, textOf } from "../../../../../test/support/debate-table.ts";
import { stage } from "../../../../testing/stage.ts";
import { debate } from "./index.ts";

describe("what a judge below its threshold sees", () => {
  const judged = async (settings: object, agents = ["ada", "bob"], fails = false) => {
    const script = debaters({
      ada: { critique: () => "It loses jobs." },
      ...(fails ? { judge: { "judge-summary": () => ({ fail: "refused" }) } } : {}),
    });
    const on = stage({ protocols: [debate], script });
    await on.play(debateAsked({ agents, settings: { rounds: 2, ...settings } }));
    const call = on.models.calls.find(({ request }) => debateTaskOf(request) === "synthesis");
    return call ? textOf(call.request) : "";
  };
  const labelsOf = (text: string) =>
    [...text.matchAll(/^\[BEGIN critique ([^#]*) #/gm)].map(([, label]) => label);

  it("is the critiques of all rounds, by label, between proposals and refinements", async () => {
    const text = await judged({ critiquesForJudge: true });
    expect(labelsOf(text)).toEqual(["of A by B", "of B by A", "of A by B", "of B by A"]);
    expect(text).toContain("It loses jobs.");
    expect(text).toMatch(/BEGIN proposal B[^]*BEGIN critique of A[^]*BEGIN refinement A[^]*# Round 2/);
  });
  it.each<[string, object, string[], number]>([
    ["three agents", {}, ["ada", "bob", "cyd"], 12],
    ["a ring", { topology: "ring" }, ["ada", "bob", "cyd"], 6],
    ["one round", { rounds: 1 }, ["ada", "bob"], 2],
    ["fresh proposals", { proposals: "fresh" }, ["ada", "bob"], 4],
  ])("has as many as there were: %s", async (_, ...row) => {
    const [settings, agents, count] = row;
    expect(labelsOf(await judged({ ...settings, critiquesForJudge: true }, agents))).toHaveLength(count);
  });
  it("has none where an opening does not say so, and where the judge summarizes", async () => {
    expect(labelsOf(await judged({}))).toEqual([]);
    const summarization = { threshold: 1 };
    expect(labelsOf(await judged({ critiquesForJudge: true, summarization }))).toEqual([]);
  });
  it("is everything, as if nothing were summarized, where its own summary fails", async () => {
    const whole = await judged({ critiquesForJudge: true });
    const summarization = { threshold: 1, enabled: true };
    const marks = (text: string) => text.replaceAll(/#[0-9a-f]{16}\]|\b[0-9a-f]{6}\b/g, "#");
    expect(marks(await judged({ critiquesForJudge: true, summarization }, undefined, true))).toBe(
      marks(whole),
    );
  });
});
