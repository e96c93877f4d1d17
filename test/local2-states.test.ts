import { expect, it } from "vitest";
import { critic } from "../src/features/judging/reactor/critic.ts";
import { memory } from "../src/features/memory/reactor/index.ts";
import { pairwise } from "../src/features/judging/reactor/pairwise.ts";
import { respondentB } from "../src/features/respond/reactor/index.ts";
import { workOn } from "../src/engine/index.ts";
import { LOCAL2_STATES, Local2WatchReport, withLocal2States } from "../src/cli/commands/watch.ts";

it("has a state of LoCAL2's for every work of the reactors that LoCAL2 has, too", () => {
  const words = [
    ...critic.on.map((type) => workOn(critic, type)),
    ...memory.on.map((type) => workOn(memory, type)),
    ...pairwise.on.map((type) => workOn(pairwise, type)),
    ...respondentB.on.map((type) => workOn(respondentB, type)),
  ];
  expect(words.filter((word) => LOCAL2_STATES[word] === undefined)).toEqual([]);
  expect(workOn(memory, "feedback-given")).toBe("annotating");
});

it("names LoCAL2's state beside ours, and none where it has none", () => {
  const reactor = {
    reactor: "r",
    at: null,
    behind: 0,
    passed: 0,
    oldestMs: null,
    servedBy: { worker: null, drains: 0 },
    said: 0,
    lastSaid: null,
    lastError: null,
    cursor: null,
  };
  const report = Local2WatchReport.parse(
    withLocal2States({
      at: "2026-01-02T03:04:05.000Z",
      end: 0 as never,
      deliberations: 0,
      reactors: ["grading", "reacting", "error"].map((state) => ({ ...reactor, state })),
    }),
  );
  expect(report.reactors.map(({ local2 }) => local2)).toEqual(["GRADING", null, "ERROR"]);
});
