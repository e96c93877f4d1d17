import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ParticipantId } from "../../../kernel/index.ts";
import { weighLeftOut, compareAnswers, type AnswerDifference, measureOverlaps } from "./contributions.ts";

const said = (text: string, value: string | null = null) => ({
  text,
  final: value === null ? null : ({ kind: "number", value } as const),
});

describe("a difference", () => {
  it.each([
    { by: "no final answer", given: null, again: "1", changed: null, effect: 0 },
    { by: "the same final answer", given: "1,000", again: "1000", changed: false, effect: 0 },
    { by: "another final answer", given: "1", again: "2", changed: true, effect: 1 },
    { by: "a lost final answer", given: "1", again: null, changed: true, effect: 1 },
  ])("is told by $by", ({ given, again, changed, effect }) => {
    expect(compareAnswers(said("same words", given), said("same words", again))).toMatchObject({
      changed,
      effect,
      gone: 0,
    });
  });

  it("is the part of an open text that is gone, whatever was added", () => {
    const given = said("Apples keep cool. Pears ripen fast.");
    expect(compareAnswers(given, said("Pears ripen fast. Plums bruise."))).toMatchObject({
      gone: expect.closeTo(0.5),
      effect: expect.closeTo(0.5),
    });
    expect(compareAnswers(given, said(`${given.text} Plums bruise.`)).gone).toBe(0);
    expect(compareAnswers(given, said("")).gone).toBe(1);
    expect(compareAnswers(said(""), given).gone).toBe(0);
  });

  it("is nothing at all between a text and itself, whatever its fractions sum to", () => {
    const word = fc.constantFrom("apple", "pear", "plum", "fig", "quince", "cherry", "peach");
    const sentence = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `${words.join(" ")}.`);
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 9 }), (sentences) => {
        const text = sentences.join("\n\n");
        expect(compareAnswers(said(text), said(text)).gone).toBe(0);
      }),
    );
  });

  it("takes the mark of a simulated model for no part of the text", () => {
    expect(compareAnswers(said("[simulated 0a1b2c]\nPears."), said("[simulated ffffff]\nPears.")).gone).toBe(
      0,
    );
    expect(compareAnswers(said("[simulated 0a1b2c]\nPears."), said("[simulated 0a1b2c]\nPlums.")).gone).toBe(
      1,
    );
  });
});

const effect = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map((value): AnswerDifference => ({ changed: null, gone: value, effect: value }));

describe("leave-one-out", () => {
  it("weighs what exceeds the largest noise, in shares of 1", () => {
    fc.assert(
      fc.property(
        fc.array(effect, { minLength: 1, maxLength: 6 }),
        fc.array(effect, { maxLength: 3 }),
        (all, again) => {
          const without = new Map(all.map((one, index) => [`m${index}`, one]));
          const { noise, of } = weighLeftOut(without, again);
          const rows = [...of.values()];
          const total = rows.reduce((sum, { weight }) => sum + weight, 0);
          const above = all.some((one) => one.effect > (noise ?? 0) + 1e-9);
          if (above) expect(total).toBeCloseTo(1);
          else expect(total).toBe(0);
          for (const row of rows) {
            expect(row.withinNoise).toBe(noise === null ? null : row.effect <= noise + 1e-9);
            if (row.withinNoise) expect(row.weight).toBe(0);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("takes what differs from the noise by rounding alone for noise", () => {
    const one = (value: number): AnswerDifference => ({ changed: null, gone: value, effect: value });
    const { of } = weighLeftOut(new Map([["m", one(0.1 + 0.2)]]), [one(0.3)]);
    expect(of.get("m")).toMatchObject({ weight: 0, withinNoise: true });
  });

  it("knows no noise where nothing was asked again, and takes the largest where more was", () => {
    const one: AnswerDifference = { changed: null, gone: 0.5, effect: 0.5 };
    expect(weighLeftOut(new Map([["m", one]]), [])).toMatchObject({ noise: null });
    const again = [0.1, 0.3, 0.2].map((value) => ({ ...one, effect: value }));
    expect(weighLeftOut(new Map([["m", one]]), again).noise).toBe(0.3);
  });
});

describe("overlaps", () => {
  const drafter = (id: string, text: string) => ({
    id: ParticipantId.parse(id),
    first: said("what was written first"),
    last: said(text),
  });

  it("say what of the answer stands in each draft as it was worked with, and what of it is lost", () => {
    const overlaps = measureOverlaps("[simulated 0a1b2c]\nApples keep cool. Pears ripen fast.", [
      drafter("ada", "[simulated 0a1b2c]\nApples keep cool. Plums bruise."),
      drafter("bob", "Figs are sweet."),
      drafter("cyd", "---"),
    ]);
    expect(overlaps).toEqual([
      { id: "ada", share: expect.closeTo(0.5, 1), kept: 0.5, lost: ["Plums bruise."] },
      { id: "bob", share: 0, kept: 0, lost: ["Figs are sweet."] },
      { id: "cyd", share: 0, kept: null, lost: [] },
    ]);
  });
});
