import { describe, expect, it } from "vitest";
import { EventId } from "../kernel/index.ts";
import { decideRetirement, retirementEventId } from "./annotate.ts";
import { grade, outcome, preference, said, thumb } from "../../test/support/memory-samples.ts";

const rules = { against: 2 };

describe("retirementOf", () => {
  it("counts every way of being against", () => {
    const against = [grade(2), thumb("down"), preference("lost"), outcome("bad")];
    const reason = "4 against, 0 for: graded 2, thumb down, a comparison lost, outcome bad";
    expect(
      decideRetirement(
        against.map((what, index) => said(index, what, { by: `judge-${index}` })),
        { against: 4 },
      ),
    ).toBe(reason);
    expect(
      decideRetirement(
        against.slice(1).map((what, index) => said(index, what, { by: `judge-${index}` })),
        { against: 4 },
      ),
    ).toBeNull();
  });
  it.each([grade(4), thumb("up"), preference("won"), outcome("good")])("sets %j against it", (what) => {
    const two = [said(1, grade(1)), said(2, outcome("bad"), { by: "ann" })];
    expect(decideRetirement(two, rules)).not.toBeNull();
    expect(decideRetirement([...two, said(3, what, { by: "another" })], rules)).toBeNull();
    expect(decideRetirement([...two, said(3, what, { by: "another" })], { against: 1 })).toBe(
      "2 against, 1 for: graded 1, outcome bad",
    );
  });
  it.each([grade(3), preference("tied"), preference("lost", { orderSensitive: true })])(
    "counts %j neither way",
    (what) => {
      expect(decideRetirement([said(1, outcome("bad")), said(2, what)], rules)).toBeNull();
      expect(
        decideRetirement(
          [said(1, outcome("bad")), said(2, thumb("down"), { by: "ann" }), said(3, what, { by: "bob" })],
          rules,
        ),
      ).not.toBeNull();
    },
  );
  it("hears each judge once of a kind: the last time", () => {
    const same = [said(1, grade(1)), said(2, grade(2))];
    expect(decideRetirement(same, rules)).toBeNull();
    expect(decideRetirement([said(1, grade(1)), said(2, grade(1), { by: "another" })], rules)).not.toBeNull();
    const back = [said(1, outcome("bad"), { by: "ann" }), said(3, grade(5)), said(2, grade(1))];
    expect(decideRetirement(back, { against: 1 })).toBeNull();
  });
  it.each([
    ["a grade and a comparison", [grade(1), preference("lost")]],
    ["a grade, a comparison and an outcome", [grade(2), preference("lost"), outcome("bad")]],
    ["a thumb and an outcome", [thumb("down"), outcome("bad")]],
    ["everything", [grade(1), preference("lost"), thumb("down"), outcome("bad")]],
  ])("counts one judge once, whatever it says: %s", (_, verdicts) => {
    const alone = verdicts.map((what, index) => said(index, what));
    expect(decideRetirement(alone, rules)).toBeNull();
    expect(decideRetirement(alone, { against: 1 })).toMatch(/^1 against, 0 for: /);
    expect(decideRetirement([...alone, said(9, grade(2), { by: "another" })], rules)).toMatch(/^2 against/);
  });
  it("hears a judge that contradicts itself neither way", () => {
    const torn = [said(1, grade(5)), said(2, preference("lost"))];
    expect(decideRetirement(torn, { against: 1 })).toBeNull();
    expect(decideRetirement([...torn, said(3, grade(1), { by: "ann" })], { against: 1 })).toBe(
      "1 against, 0 for: graded 1",
    );
  });
  it("never speaks while nothing is against it", () => {
    expect(decideRetirement([], { against: 0 })).toBeNull();
    expect(decideRetirement([said(1, grade(5))], { against: -5 })).toBeNull();
  });
});

describe("retiringEvent", () => {
  it("is named by what retired it, within the length of a name", () => {
    expect(retirementEventId(EventId.parse("d1/grade#0"))).toBe("d1/grade#0/retired");
    const long = [
      retirementEventId(EventId.parse("x".repeat(2_000))),
      retirementEventId(EventId.parse("y".repeat(1_999))),
    ];
    expect(new Set(long).size).toBe(2);
    expect(long.every((name) => name.endsWith("/retired"))).toBe(true);
  });
});
