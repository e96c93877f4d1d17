import { describe, expect, it } from "vitest";
import { UserId } from "../../../../kernel/index.ts";
import { expectFit, HOSTILE } from "../../../../../test/support/hostile-texts.ts";
import type { MemoryAblation } from "./report.ts";
import { memoryAblationText } from "./text.ts";

const plain = { color: false, width: 80 };
const user = UserId.parse("ann");

type Pairs = MemoryAblation["right"]["all"];
const pairs = (changes: Partial<Pairs> = {}): Pairs => ({
  n: 24,
  both: 4,
  onlyWith: 12,
  onlyWithout: 1,
  neither: 7,
  difference: { value: 0.4583, low: 0.2, high: 0.65 },
  p: 0.0034,
  ...changes,
});
const graded = (changes: Partial<MemoryAblation["grades"]["all"]> = {}) => ({
  n: 24,
  with: 4.2,
  without: 3.1,
  higher: 15,
  alike: 6,
  lower: 3,
  difference: { value: 1.1, low: 0.4, high: 1.8 },
  ...changes,
});
const ungraded = { ...graded({ n: 0, with: null, without: null, difference: null }) };
const unpaired = pairs({ n: 0, both: 0, onlyWith: 0, onlyWithout: 0, neither: 0, difference: null, p: 1 });
const side: MemoryAblation["with"] = {
  finished: 24,
  failed: 0,
  accuracy: { value: 2 / 3, n: 24, low: 0.46, high: 0.82 },
  grade: { mean: 4.2, n: 24 },
  calls: 24,
  tokens: { in: 12_345, out: null },
  usd: 0.0123,
};
const ablation = (changes: Partial<MemoryAblation> = {}): MemoryAblation => ({
  simulated: false,
  complete: true,
  tasks: { file: "t.jsonl", count: 24, known: 24 },
  user,
  model: "lab/model",
  seed: null,
  startedAt: null,
  recalled: { n: 24, engrams: 20, facts: 0, any: 20, how: ["full text alone"] },
  with: side,
  without: side,
  right: { all: pairs(), recalled: pairs({ n: 20 }) },
  grades: { all: ungraded, recalled: ungraded },
  judge: null,
  rows: [],
  ...changes,
});
const verdictOf = (changes: Partial<MemoryAblation>): string =>
  memoryAblationText(ablation(changes), { ...plain, width: 300 }).split("\n")[0] ?? "";

describe("an ablation", () => {
  it("shows pairs, differences with their intervals, and what each side took", () => {
    const judge = {
      id: "j1",
      status: "answered",
      simulated: false,
      model: "lab/judge",
      family: null,
      form: "json",
      rubric: "quality",
      calls: 47,
      unknown: 0,
      tokens: { in: 1, out: 2, cached: null, thinking: null },
      cost: { usd: 0, source: "free" },
      answers: 48,
      read: 47,
      why: HOSTILE,
    };
    const grades = { all: graded(), recalled: graded({ n: 20 }) };
    const text = memoryAblationText(ablation({ grades, judge, simulated: true }), plain);
    expect(text).toMatch(/^By known answers, memory helps; by the judge, memory helps\.\nSimulated models/);
    expect(text).toMatch(
      /n +both +only with +only without +neither\n +all +24 +4 +12 +1 +7\n +where retrieved +20 /,
    );
    expect(text).toContain("all: difference in points +45.8 (+20.0 to +65.0), p 0.003");
    expect(text).toMatch(/all +24 +4\.20 +3\.10 +15 +6 +3\n/);
    expect(text).toContain("all: mean difference +1.10 (+0.40 to +1.80)");
    expect(text).toMatch(/with +24 +66\.7 % \(46\.0–82\.0\) +24 +12,345 +unknown +\$0\.0123/);
    expect(text).toContain("47 grades of 48 distinct");
    expect(text).toContain("1 answer without a grade: evil line");
    expect(text.replaceAll(/\s+/g, " ")).toContain("a result for 20 of 24 questions (answers for 20)");
    expectFit(text, 80);
  });

  it("claims what is told, and nothing of few questions or where nothing was recalled", () => {
    const by = (right: Partial<Pairs>) => verdictOf({ right: { all: pairs(right), recalled: pairs() } });
    expect(by({})).toBe("By known answers, memory helps.");
    expect(by({ onlyWith: 1, onlyWithout: 12 })).toBe("By known answers, memory harms.");
    expect(by({ p: 0.2 })).toBe("By known answers, no significant difference.");
    expect(by({ p: 1, onlyWith: 2, onlyWithout: 1 })).toBe(
      "By known answers, underpowered: only 3 discordant questions.",
    );
    expect(by({ n: 19 })).toBe("By known answers, 19 questions are not enough (20 required).");
    const graders = (all: Parameters<typeof graded>[0]) =>
      verdictOf({
        right: { all: unpaired, recalled: unpaired },
        grades: { all: graded(all), recalled: ungraded },
      });
    expect(graders({})).toBe("By the judge, memory helps.");
    expect(graders({ difference: { value: -1, low: -2, high: -0.1 } })).toBe("By the judge, memory harms.");
    expect(graders({ difference: { value: 1, low: 0, high: 2 } })).toBe(
      "By the judge, no significant difference.",
    );
    expect(graders({ n: 19 })).toMatch(/19 questions are not enough/);
    const nothing = { n: 24, engrams: 0, facts: 0, any: 0, how: ["nothing is remembered yet"] };
    expect(verdictOf({ recalled: nothing })).toMatch(
      /^Memory retrieved nothing .* any difference is chance\.$/,
    );
    const empty = { all: unpaired, recalled: unpaired };
    expect(verdictOf({ right: empty })).toBe("There is nothing to compare yet.");
  });

  it("says what is missing", () => {
    const text = memoryAblationText(
      ablation({ complete: false, without: { ...side, finished: 20, failed: 4 } }),
      { ...plain, width: 200 },
    );
    expect(text).toContain("Not complete: finished with memory 24, without 20 of 24; 4 answers failed");
  });
});
