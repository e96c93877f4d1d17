import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { centralText } from "./text-similarity.ts";

const named = (texts: readonly string[]) => texts.map((text, index) => ({ id: `t${index}`, text }));

describe("centralText", () => {
  it("chooses the text that shares most with the others", () => {
    expect(
      centralText(
        named([
          "Bananas are yellow",
          "The capital of France is Paris, on the Seine",
          "Paris is the capital of France",
          "France has its capital in Paris and its cheese everywhere",
        ]),
      ),
    ).toBe("t2");
  });
  it("is not won by length: what the others do not say counts against a text", () => {
    expect(
      centralText(named(["apple banana", "apple banana", `apple banana ${"x1 x2 x3 x4 x5 x6 x7"}`])),
    ).toBe("t0");
    expect(centralText(named(["apple banana x1 x2 x3 x4 x5", "apple banana", "banana apple"]))).toBe("t1");
  });
  it("takes the first of equals, and the only one", () => {
    expect(centralText(named(["apple", "banana"]))).toBe("t0");
    expect(centralText(named(["banana", "apple kiwi", "apple kiwi"]))).toBe("t1");
    expect(centralText(named(["", ""]))).toBe("t0");
    expect(centralText(named(["", "apple"]))).toBe("t1");
    expect(centralText(named(["one"]))).toBe("t0");
    expect(centralText([])).toBeNull();
  });
  it("does not depend on order, equals aside, nor on the names", () => {
    const text = fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 6 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
        const all = named(texts);
        const mean = (id: string | null) =>
          all.reduce((sum, { id: other, text: words }) => {
            if (other === id) return sum;
            const own = new Set(
              (all.find((one) => one.id === id)?.text ?? "")
                .split(" ")
                .filter((w) => w !== "" && !"ad".includes(w)),
            );
            const its = new Set(words.split(" ").filter((w) => w !== "" && !"ad".includes(w)));
            const both = [...own].filter((word) => its.has(word)).length;
            return sum + (both === 0 ? 0 : (2 * both) / (own.size + its.size));
          }, 0);
        const best = mean(centralText(all));
        for (const { id } of all) expect(mean(id)).toBeLessThanOrEqual(best + 1e-9);
        expect(mean(centralText(all.toReversed()))).toBeCloseTo(best, 9);
      }),
    );
  });
});
