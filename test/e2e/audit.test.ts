import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AnonymityFigures } from "../../src/features/judging/protocol/authorship/view.ts";
import { built, somewhere, type Somewhere } from "./parley.ts";

built();

const Audit = z.looseObject({
  figures: AnonymityFigures,
  audits: z.array(z.looseObject({ id: z.string(), run: z.string(), read: z.int() })),
});

const council = async (place: Somewhere, question: string) => {
  const ended = await place.run(["council", question, "--models", "sim/ada,sim/bo,sim/cy", "--json", "-q"]);
  return z.looseObject({ id: z.string() }).parse(JSON.parse(ended.stdout)).id;
};

describe("parley votes reviewers", () => {
  it("counts reviews by model, and claims nothing of few", async () => {
    await using place = somewhere();
    expect((await place.run(["votes", "reviewers"])).stdout).toContain("No reviews are recorded.");
    await council(place, "What is 17 * 23?");
    const { stdout } = await place.run(["votes", "reviewers", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      by: "model",
      reviewers: ["sim/ada", "sim/bo", "sim/cy"].map((key) => ({
        key,
        reviews: 1,
        positionLean: { value: null, n: 1, low: null, high: null },
      })),
    });
    const words = await place.run(["votes", "reviewers", "--by", "persona"]);
    expect(words.stdout).toMatch(/Analyst[^]*position +too few \(1\)/);
    const filtered = await place.run(["votes", "reviewers", "--protocol", "debate"]);
    expect(filtered.stdout).toBe("No such reviews. parley votes reviewers shows all\n");
  });
});

describe("parley votes anonymity", () => {
  it("guesses the authors of every draft, claims nothing of few, and asks nothing twice", async () => {
    await using place = somewhere();
    const first = await council(place, "What is 17 * 23?");
    const second = await council(place, "What is 18 * 23?");
    const audit = async (...args: string[]) => {
      const ended = await place.run(["votes", "anonymity", ...args, "--model", "sim/eva", "--json"]);
      expect(ended.code).toBe(0);
      return { ...Audit.parse(JSON.parse(ended.stdout)), stderr: ended.stderr };
    };
    const newest = await audit();
    expect(newest.audits.map(({ run }) => run)).toEqual([second]);
    expect(newest.figures).toMatchObject({ share: { n: 3 }, told: null });
    // An audit is not the newest run itself.
    const both = await audit(first, "last");
    expect(both.audits.map(({ run, read }) => [run, read])).toEqual([
      [first, 3],
      [second, 3],
    ]);
    expect(both.audits[1]?.id).toBe(newest.audits[0]?.id);
    expect(both.stderr.match(/3 of 3 prompts/g)).toHaveLength(1);
    const words = await place.run(["votes", "anonymity", first, "--model", "sim/eva", "-q"]);
    expect(words.stdout).toContain("Too few guesses for a claim: 20 are needed.");
    expect(words.stdout).toContain("simulated models");
  });

  it("says what it cannot audit", async () => {
    await using place = somewhere();
    const none = await place.run(["votes", "anonymity", "--model", "sim/eva"]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("there is no run yet")]);
    await place.run(["respond", "What is 2 + 2?", "--model", "sim/ada", "-q"]);
    const alone = await place.run(["votes", "anonymity", "--model", "sim/eva"]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("has no anonymous drafts")]);
  });
});
