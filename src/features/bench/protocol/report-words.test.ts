import { describe, expect, it } from "vitest";
import { CHANGES, changeOf, rowsOf, verdictOf } from "./report-words.ts";

type Row = Parameters<typeof changeOf>[0] & { readonly arm: string; readonly id: string };
type Scored = Row["control"];
const right = { answer: "1", right: true };
const wrong = { answer: "2", right: false };
const none = { answer: null, right: false };

const row = (control: Scored, answer: NonNullable<Scored>, more: Partial<Row> = {}): Row => ({
  ...{ arm: "council", id: "x", finished: true, control },
  ...answer,
  ...more,
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
    const [flip, kept] = [row(right, wrong), row(right, right, { id: "y" })];
    const other = row(right, wrong, { arm: "ask" });
    expect(rowsOf([flip, kept, other], "council", undefined)).toEqual([flip, kept]);
    expect(rowsOf([flip, kept, other], "council", "right-wrong")).toEqual([flip]);
    expect(rowsOf([flip, kept, other], "nobody", undefined)).toEqual([]);
  });
});
