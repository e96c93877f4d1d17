import { describe, expect, it } from "vitest";
import type { BenchRow } from "../../contract/bench.ts";
import { CHANGES, changeOf, rowsOf, verdictOf } from "./bench-rows.ts";

type Scored = BenchRow["control"];
const right = { answer: "1", right: true };
const wrong = { answer: "2", right: false };
const none = { answer: null, right: false };

const row = (control: Scored, answer: NonNullable<Scored>, more: Partial<BenchRow> = {}): BenchRow => ({
  ...{ arm: "council", task: "t", deliberations: ["x"], outcome: "answered", finished: true, failed: null },
  ...{ kind: null, openedAt: "2026-11-25T00:00:00.000Z", drafts: [], steps: [], simulated: true },
  ...{ tokens: { in: null, out: null }, latencyMs: 0 },
  ...{ calls: 1, usd: null, control, ...answer, ...more },
});

describe("the runs behind a bench", () => {
  it("changed where the answer is judged otherwise than what the drafts elect", () => {
    const changed = [row(right, wrong), row(wrong, right), row(right, none), row(none, right)];
    expect(changed.map(changeOf)).toEqual(CHANGES);
    const same = [row(right, right), row(wrong, wrong), row(wrong, none), row(none, none), row(null, right)];
    expect(same.map(changeOf)).toEqual(same.map(() => undefined));
    expect(changeOf(row(right, wrong, { finished: false }))).toBeUndefined();
    expect(verdictOf({ answer: "a text", right: null })).toBe("open");
  });

  it("are those of one arm, and of a change those alone", () => {
    const [flip, kept] = [row(right, wrong), row(right, right, { deliberations: ["y"] })];
    const other = row(right, wrong, { arm: "ask" });
    expect(rowsOf([flip, kept, other], "council", undefined)).toEqual([flip, kept]);
    expect(rowsOf([flip, kept, other], "council", "right-wrong")).toEqual([flip]);
    expect(rowsOf([flip, kept, other], "nobody", undefined)).toEqual([]);
  });
});
