import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isEvent, type Entry } from "../src/kernel/index.ts";
import { progressView } from "../src/views/progress.ts";
import { resultFold, resultOf } from "../src/views/result.ts";
import { spending } from "../src/views/spending.ts";
import { sampleRuns, type SampleRun } from "./support/sample-runs.ts";

// The folds that a page runs: entry by entry, and read at any of them.

let runs: readonly SampleRun[] = [];
beforeAll(async () => {
  runs = await sampleRuns();
});

const countsOf = (entries: readonly unknown[]): number[] =>
  Array.from({ length: entries.length + 1 }, (_, count) => count);

/** As JSON: what a page compares, and `--json` prints. */
const texts = (results: readonly unknown[]): string[] => results.map((one) => JSON.stringify(one) ?? "none");

describe("a result that is folded once", () => {
  it("is read at any number of entries as it is folded from these alone", () => {
    for (const { entries, view } of runs) {
      const fold = resultFold(view);
      for (const entry of entries) fold.take(entry);
      const counts = countsOf(entries);
      expect(texts(counts.map((count) => fold.read(count)))).toEqual(
        texts(counts.map((count) => resultOf(entries.slice(0, count), view))),
      );
    }
  });

  it("is so for any journal of these events, and while it grows", () => {
    const journal = fc.nat(runs.length - 1).chain((nth) => {
      const { entries = [], view } = runs[nth] ?? {};
      const kept = fc.subarray([...entries], { minLength: 1 });
      return kept.map((some) => ({ entries: some, view }));
    });
    fc.assert(
      fc.property(journal, fc.array(fc.nat(), { maxLength: 5 }), ({ entries, view }, reads) => {
        const fold = resultFold(view);
        entries.forEach((entry, index) => {
          fold.take(entry);
          const whole = resultOf(entries.slice(0, index + 1), view);
          expect(texts([fold.read()])).toEqual(texts([whole]));
        });
        for (const read of reads) {
          const count = read % (entries.length + 1);
          expect(texts([fold.read(count)])).toEqual(texts([resultOf(entries.slice(0, count), view)]));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("tells every state of a run: open, waiting and ended, what is missing, and grades", () => {
    const statuses = runs.flatMap(({ entries, view }) => {
      const fold = resultFold(view);
      for (const entry of entries) fold.take(entry);
      return countsOf(entries).map((count) => fold.read(count));
    });
    const told = (of: (result: NonNullable<(typeof statuses)[number]>) => unknown) =>
      new Set(statuses.flatMap((result) => (result ? [of(result)] : [])));
    expect(told(({ status }) => status)).toEqual(
      new Set(["open", "waiting", "answered", "answered-degraded", "cancelled"]),
    );
    expect(told(({ degraded }) => degraded.length > 0)).toEqual(new Set([true, false]));
    expect(told(({ control }) => control?.kind ?? null).size).toBeGreaterThan(1);
    expect(told(({ simulated }) => simulated)).toEqual(new Set([true, false]));
  });

  it("leaves what has ended as it was when reactions come after it", () => {
    const council = runs.find(({ name }) => name === "a degraded council");
    const [opened] = council?.entries ?? [];
    const closed = council?.entries.at(-1);
    const answer = council?.entries.find((entry) => isEvent(entry, "synthesis-given"));
    if (!council || !opened || !closed || !answer) throw new Error("there is no sample");
    const grade = (score: number): Entry =>
      ({
        ...{ ...closed, seq: closed.seq + 1, type: "grade-given" },
        origin: { by: "reactor", reactor: "critic", event: answer.id, step: "grade", digest: "0", after: [] },
        data: { of: answer.id, score, feedback: "", rubric: "r" },
      }) as unknown as Entry; // the fields that the folds read
    const fold = resultFold(council.view);
    for (const entry of [...council.entries, grade(2), grade(4)]) fold.take(entry);
    const { length } = council.entries;
    const scores = [0, 1, 2].map((more) => fold.read(length + more)?.grade?.score);
    expect(scores).toEqual([undefined, 2, 4]);
  });
});

describe("a live view", () => {
  it("tells what was spent as the entries do, at every one of them", () => {
    for (const { entries } of runs) {
      const view = progressView();
      entries.forEach((entry, index) => {
        view.event(entry);
        expect(view.read().spent).toEqual(spending(entries.slice(0, index + 1)).total);
      });
    }
  });

  it("keeps what it gave", () => {
    const view = progressView();
    const { entries = [] } = runs.find(({ name }) => name === "council") ?? {};
    const reads = entries.map((entry) => {
      view.event(entry);
      const read = view.read();
      return { read, text: JSON.stringify(read) };
    });
    expect(reads.length).toBeGreaterThan(5);
    for (const { read, text } of reads) expect(JSON.stringify(read)).toBe(text);
  });
});
