import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "../src/kernel/index.ts";
import { neededTexts } from "../src/views/needed-texts.ts";
import { progressView } from "../src/views/progress.ts";
import { publicEntry, readPublicEntry, type EventTexts } from "../src/views/public-entry.ts";
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
    const { entries, view } = runs.find(({ name }) => name === "a degraded council") ?? {};
    if (!entries) throw new Error("there is no sample");
    const fold = resultFold(view);
    for (const entry of entries) fold.take(entry);
    const [before, after] = [fold.read(entries.length - 1), fold.read()];
    expect([before?.grade ?? null, after?.grade?.score]).toEqual([null, 4]);
    expect({ ...after, grade: null }).toEqual(before);
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

  it("is read at any number of entries as it is folded from these alone", () => {
    for (const { entries } of runs) {
      const view = progressView();
      for (const entry of entries) view.event(entry);
      for (const count of countsOf(entries)) {
        const cut = progressView();
        for (const entry of entries.slice(0, count)) cut.event(entry);
        expect(view.read(count)).toEqual(cut.read());
      }
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

/** The run with prose that is longer than any head: whatever has a space in it goes on, and no two texts go on alike. */
function atLength(value: unknown): unknown {
  if (typeof value === "string")
    return value.includes(" ") ? `${value}${` and so on, as ${value.slice(0, 60)}`.repeat(8)}` : value;
  if (Array.isArray(value)) return value.map(atLength);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, atLength(one)]));
}

/** As a page has an entry: given out, carried as JSON, and read. */
const carried = (entry: Entry, texts: EventTexts): Entry =>
  readPublicEntry(JSON.parse(JSON.stringify(publicEntry(entry, texts))) as Record<string, unknown>);

describe("entries with the heads of their texts", () => {
  const long = () =>
    runs.map(({ entries, ...run }) => ({
      ...run,
      // Lengthening texts changes no other field.
      entries: entries.map((entry) => ({ ...entry, data: atLength(entry.data) }) as Entry),
    }));

  it("whole ones give the result that the recorded ones give", () => {
    for (const { entries, view } of [...runs, ...long()]) {
      const given = entries.map((entry) => carried(entry, "full"));
      for (const count of countsOf(entries))
        expect(texts([resultOf(given.slice(0, count), view)])).toEqual(
          texts([resultOf(entries.slice(0, count), view)]),
        );
    }
  });

  it("give the whole result at any seq once those that it needs are whole, and these are few", () => {
    const shares = new Map<string, number>();
    for (const { name, entries, view } of long()) {
      const heads = entries.map((entry) => carried(entry, "head"));
      for (const count of countsOf(entries)) {
        const some = heads.slice(0, count);
        const needed = new Set(neededTexts(some));
        const loaded = some.map((head, index) => {
          const whole = entries[index];
          return whole && needed.has(head.seq) ? carried(whole, "full") : head;
        });
        expect(texts([resultOf(loaded, view)])).toEqual(texts([resultOf(entries.slice(0, count), view)]));
        expect(neededTexts(loaded)).toEqual([]);
      }
      expect(texts([resultOf(heads, view)])).not.toEqual(texts([resultOf(entries, view)]));
      shares.set(name, neededTexts(heads).length / entries.length);
    }
    expect(shares.get("debate")).toBeLessThan(0.25);
    expect(shares.get("council")).toBeLessThan(0.6);
  });

  it("names nothing of whole entries", () => {
    for (const { entries } of long()) expect(neededTexts(entries)).toEqual([]);
  });

  it.each([7, null, "seven", [7], { by: "analyst", text: "seven" }])(
    "reads an event of an unknown type as one: %j",
    (recorded) => {
      const entry = {
        ...runs[0]?.entries[0],
        type: "unknown",
        data: { type: "later-thing", data: recorded },
      };
      expect(carried(entry as unknown as Entry, "full")).toMatchObject({
        ...{ type: "unknown", data: { type: "later-thing", data: recorded } },
      });
    },
  );
});
