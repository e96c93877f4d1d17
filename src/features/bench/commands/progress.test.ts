import { describe, expect, it } from "vitest";
import type { BenchRow } from "../contract.ts";
import { createBenchScreen, type BenchScreenOptions } from "./progress.ts";

const row = (arm: string, task: number, changes: Partial<BenchRow> = {}): BenchRow => ({
  arm,
  task: String(task),
  kind: null,
  deliberations: ["x"],
  openedAt: "",
  outcome: "answered",
  finished: true,
  failed: null,
  answer: "1",
  right: true,
  control: null,
  drafts: [],
  calls: 2,
  tokens: { in: 1, out: 1 },
  latencyMs: 200,
  steps: [],
  usd: 0.01,
  simulated: false,
  ...changes,
});

/** A screen on a clock that a test moves, and what it wrote. */
function screen(options: Partial<BenchScreenOptions> = {}) {
  const written: string[] = [];
  let ms = 0;
  const shown = createBenchScreen({
    output: { write: (text) => written.push(text) > 0, columns: 80, rows: 24 },
    terminal: false,
    color: false,
    arms: ["single", "council"],
    tasks: 10,
    now: () => ms,
    lifecycle: { on: () => undefined, off: () => undefined, suspend: () => undefined },
    ...options,
  });
  return { shown, written, pass: (by: number) => void (ms += by) };
}

describe("the progress of a bench", () => {
  it("is a line for every tenth where there is no terminal, and says how long the rest takes once that can be told", () => {
    const { shown, written, pass } = screen();
    for (let task = 0; task < 10; task += 1) {
      pass(1_000);
      shown.row(row("single", task), true);
    }
    expect(written).toEqual([
      "1 of 20 done, 2 calls, $0.0100\n",
      "2 of 20 done, 4 calls, $0.0200\n",
      "4 of 20 done, 8 calls, $0.0400\n",
      "6 of 20 done, 12 calls, $0.0600, about 14.0 s left\n",
      "8 of 20 done, 16 calls, $0.0800, about 12.0 s left\n",
      "10 of 20 done, 20 calls, $0.1000, about 10.0 s left\n",
    ]);
  });
  it("is a line an arm on a terminal, and one line when it is over", () => {
    const { shown, written, pass } = screen({ terminal: true });
    shown.row(row("single", 0), false);
    pass(200);
    shown.row(row("council", 0, { right: false, answer: null, usd: null }), true);
    expect(written.join("")).toContain("2 of 20 done, 4 calls, cost unknown");
    expect(written.join("")).toContain("council  1/10  0 right  1 without an answer");
    written.length = 0;
    shown.stop();
    expect(written.join("")).toContain("2 of 20 done");
    expect(written.join("")).not.toContain("single");
    written.length = 0;
    shown.stop();
    shown.row(row("single", 1), true);
    expect(written).toEqual([]);
  });
  it("counts what failed as done, and apart from what has no answer", () => {
    const { shown, written } = screen({ terminal: true, tasks: 2 });
    const nothing = { finished: false, answer: null, right: false, outcome: "failed", failed: "network: no" };
    shown.row(row("single", 0, nothing), true);
    expect(written.join("")).toContain("1 of 4 done");
    expect(written.join("")).toContain("single   1/2  0 right  1 failed");
  });
  it("counts a row once, however often it is told, and not before it is finished", () => {
    const { shown, written } = screen({ tasks: 1 });
    shown.row(row("single", 0, { finished: false, outcome: "open" }), true);
    expect(written.at(-1)).toBe("0 of 2 done, 2 calls, $0.0100\n");
    shown.row(row("single", 0), true);
    shown.row(row("single", 0), true);
    expect(written.at(-1)).toBe("1 of 2 done, 2 calls, $0.0100\n");
  });
});
