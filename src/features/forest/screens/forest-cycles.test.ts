import { describe, expect, it } from "vitest";
import type { Entry } from "../../../kernel/index.ts";
import { Alignment, Alternatives, readStrictly } from "../protocol/replies.ts";
import type { ForestSection } from "../protocol/view.ts";
import type { ListedRun } from "../../../contract/runs.ts";
import {
  amendmentsIn,
  countKind,
  cyclesOf,
  forestKey,
  gatesIn,
  leafLines,
  listForests,
  readCycle,
  alignmentText,
  divergenceText,
  formulasIn,
  readPrompt,
  shownSeqs,
  slotLines,
  type ForestCycle,
} from "./forest-cycles.ts";

const run = (id: string, question: string, status = "answered"): ListedRun => ({
  ...{ id, question, status, protocol: "forest", openedAt: "2026-01-01T00:00:00Z", seq: 1, series: null },
});

type Candidate = ForestSection["candidates"][number];
const candidate = (classification: Candidate["classification"], ...gates: readonly string[]): Candidate => ({
  ...{ tree: "reversal", seed: "s", formula: "f", classification, reason: "", risks: [] },
  gates: gates.map((gate) => ({ gate, passed: true, detail: "" })),
});

const cycle = (number: number, changes: Partial<ForestSection> = {}, status = "answered"): ForestCycle => ({
  run: run(`r${number}${status}`, `Goal (cycle ${number})`, status),
  section: {
    ...{ cycle: number, domain: "factors", weather: [], candidates: [], fruits: 0, tested: 0, summary: null },
    ...changes,
  },
});

const weather = (tree: string, slots: number) => ({
  tree,
  slots,
  weather: "rain",
  status: "active",
  reason: "",
});

describe("the list of forests", () => {
  it("reads goal and cycle of a question, also of a goal with brackets", () => {
    expect(readCycle("Find (all)\nsignals (cycle 12)")).toEqual({ goal: "Find (all)\nsignals", cycle: 12 });
    expect(readCycle("Find signals")).toEqual({ goal: "Find signals", cycle: null });
  });

  it("has one row a goal, the newest run first, and says who waits", () => {
    const rows = listForests([
      run("3", "A (cycle 2)", "waiting"),
      run("2", "B (cycle 1)"),
      run("1", "A (cycle 1)"),
    ]);
    expect(rows.map(({ goal, newest, runs, waiting }) => [goal, newest.id, runs, waiting])).toEqual([
      ["A", "3", 2, 1],
      ["B", "2", 1, 0],
    ]);
  });
});

describe("which runs are of one forest (FOREST-PAGE-1)", () => {
  const opened = (question: string, domain: object, name = "forest") =>
    [
      { type: "deliberation-opened", data: { question, protocol: { name }, settings: { domain } } },
    ] as unknown as readonly Entry[];
  const soil = { name: "factors", soil: "s1", seed: "x" };

  it("are those of one goal, field, soil and seed", () => {
    const key = forestKey(opened("A (cycle 1)", soil));
    expect(forestKey(opened("A (cycle 2)", soil))).toBe(key);
    for (const other of [{ soil: "s2" }, { seed: "y" }, { name: "functions" }])
      expect(forestKey(opened("A (cycle 1)", { ...soil, ...other }))).not.toBe(key);
    expect(forestKey(opened("B (cycle 1)", soil))).not.toBe(key);
    expect(forestKey(opened("A (cycle 1)", soil, "council"))).toBeUndefined();
  });

  it("counts a cycle once: the newest run that ended well, else the newest", () => {
    const [failed, well] = [cycle(1, {}, "failed"), cycle(1)];
    expect(cyclesOf([cycle(2), failed, well]).map((one) => one.run.id)).toEqual(["r1answered", "r2answered"]);
    expect(cyclesOf([cycle(1, {}, "waiting"), failed]).map((one) => one.run.id)).toEqual(["r1waiting"]);
  });
});

describe("figures over cycles", () => {
  const cycles = [
    cycle(1, {
      candidates: [candidate("fruit"), candidate("dead_leaf"), candidate(null)],
      weather: [weather("a", 2)],
    }),
    cycle(2, { candidates: [candidate("fruit")] }),
    cycle(3, { weather: [weather("a", 0), weather("b", 3)] }),
  ];

  it("add up what was found so far", () => {
    const lines = leafLines(cycles, (kind) => kind);
    expect(lines.find(({ name }) => name === "fruit")?.values).toEqual([1, 2, 2]);
    expect(lines.find(({ name }) => name === "dead_leaf")?.values).toEqual([1, 1, 1]);
    expect(cycles.map(({ section }) => countKind(section, "fruit"))).toEqual([1, 1, 0]);
  });

  it("tell no slots from slots that are not known", () => {
    expect(slotLines(cycles)).toEqual([
      { name: "a", values: [2, null, 0] },
      { name: "b", values: [null, null, 3] },
    ]);
  });

  it("have each gate once", () => {
    const section = cycle(1, { candidates: [candidate("fruit", "G1", "G2"), candidate(null, "G2", "own")] });
    expect(gatesIn(section.section)).toEqual(["G1", "G2", "own"]);
  });
});

describe("what a skeptic proposes", () => {
  const critique = (text: string) => ({ seq: 1, type: "critique-given", data: { text } }) as unknown as Entry;

  it("is read of its critiques, and what is no proposal is left out", () => {
    const amendment = { gate: "G3", threshold: "percentile", value: 99.5, why: "too lax" };
    expect(
      amendmentsIn([
        critique(JSON.stringify({ gate_amendment: amendment })),
        critique(JSON.stringify({ gate_amendment: null })),
        critique(JSON.stringify({ gate_amendment: { ...amendment, value: "high" } })),
        critique('{"gate_amendm…'),
        critique("[]"),
      ]),
    ).toEqual([amendment]);
  });

  it("needs whole texts, as what a cycle's notes tell does", () => {
    const note = (topic: string) => ({ seq: 2, type: "note-taken", data: { topic } }) as unknown as Entry;
    expect(shownSeqs([critique("{}"), note("classify"), note("compile")])).toEqual([1, 2]);
  });
});

describe("the prompt of a hand-off", () => {
  it("is taken apart into its material and its task", () => {
    const prompt =
      "[BEGIN tree volume #aaaaaaaaaaaaaaaa]\nVolume\n[END goal #ff]\nx\n[END tree volume #aaaaaaaaaaaaaaaa]\n\n[BEGIN goal #5555555555555555]\nFind\n[END goal #5555555555555555]\n\n\n# Your task\nJudge.";
    expect(readPrompt(prompt)).toEqual({
      pieces: [
        { kind: "tree", label: "volume", text: "Volume\n[END goal #ff]\nx" },
        { kind: "goal", label: "", text: "Find" },
      ],
      task: "# Your task\nJudge.",
    });
    const open = "[BEGIN goal #aaaaaaaaaaaaaaaa]\n".repeat(20_000);
    expect(readPrompt(open).pieces).toEqual([]);
    expect(readPrompt("No material.")).toEqual({ pieces: [], task: "No material." });
  });
});

describe("answers to hand-offs", () => {
  it("are in the form that the protocol reads", () => {
    expect(readStrictly(alignmentText(2, " it fits\n"), Alignment)).toEqual({
      ok: true,
      value: { score: 2, reason: "it fits" },
    });
    const formulas = formulasIn(' neg(close) \n\n abs("x")');
    expect(readStrictly(divergenceText(formulas), Alternatives)).toEqual({
      ok: true,
      value: { candidates: [{ formula: "neg(close)" }, { formula: 'abs("x")' }] },
    });
    expect(readStrictly(divergenceText([]), Alternatives).ok).toBe(true);
    expect(formulasIn("x\n".repeat(30))).toHaveLength(20);
  });
});
