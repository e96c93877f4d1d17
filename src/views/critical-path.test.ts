import { expect, it } from "vitest";
import type { Entry } from "../kernel/index.ts";
import { criticalPathMs, criticalPathSeqs } from "./critical-path.ts";

type Step = {
  readonly step: string;
  readonly ms: number;
  readonly after: readonly string[];
  readonly by?: string;
};

/** Entries of steps in the order given, each with what the path is read from. */
const entriesOf = (steps: readonly Step[]): readonly Entry[] =>
  steps.map(({ step, ms, after, by = "protocol" }, index) => {
    const data = { call: { latencyMs: ms } };
    return { seq: index + 1, type: "answer-given", origin: { by, step, after }, data } as unknown as Entry; // what the fold reads
  });

const RUN: readonly Step[] = [
  { step: "draft/a", ms: 100, after: [] },
  { step: "draft/b", ms: 300, after: [] },
  { step: "review", ms: 50, after: ["draft/a", "draft/b"] },
  { step: "aside", ms: 320, after: [] },
  { step: "synthesis", ms: 10, after: ["review"] },
];

it("names the steps of the chain whose time it tells", () => {
  expect(criticalPathMs(entriesOf(RUN))).toBe(360);
  expect([...criticalPathSeqs(entriesOf(RUN))].toSorted((one, other) => one - other)).toEqual([2, 3, 5]);
});

it("takes no time for what a fork adopted, and none of a reaction", () => {
  const forked = RUN.map((one) => (one.step === "draft/b" ? { ...one, by: "adopted" } : one));
  expect(criticalPathMs(entriesOf(forked))).toBe(320);
  expect([...criticalPathSeqs(entriesOf(forked))]).toEqual([4]);
  const reacted = [...RUN, { step: "grade", ms: 900, after: ["synthesis"], by: "reactor" }];
  expect(criticalPathMs(entriesOf(reacted))).toBe(360);
});
