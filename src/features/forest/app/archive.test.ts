import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { forest, leaf, record, result, seed, tree } from "../../../../test/support/sample-forest.ts";
import { scratch } from "../../../../test/support/scratch.ts";
import { validateForest } from "../protocol/validation.ts";
import { forestFiles, latestCycle, readForest, writeForest } from "./archive.ts";

const whole = forest({
  cycle_id: "cycle_007",
  data_soil: { ready: true, prices: 0.7 },
  trees: [
    tree("flow", {
      branches: [leaf("fruit"), leaf("dead_leaf", { cycle: 2 })],
      freeze_remaining: 1,
      notes: ["a: b", "#no"],
    }),
  ],
  seeds: [seed("s1", { novelty: 0.5 }, { seed_score: 0.125, evaluated_cycle: 3 })],
  weather_events: [
    { target: "flow", target_type: "tree", weather: "rain", allocation: 0.25, reason: "solid" },
  ],
  results: [
    result({
      risks: ["- it may be chance\n# not a heading", { seen: [1, null] }],
      gate_record: record({ G1: { passed: true, value: 0.1 + 0.2 } }),
    }),
  ],
  golden_leaf_pool: [{ summary: "a boundary" }],
});

/** An archive as another program wrote it: a few fields, others of its own, and entries of text. */
const FOREIGN = {
  forest_id: "mine",
  cycle_id: "cycle_001",
  research_goal: "find what holds",
  domain: "factors",
  approval_policy: "ask",
  climate: {
    mode: "exploration",
    temperature: 1.2,
    seed_budget: 0.3,
    seed_slots: 3,
    max_tree_share: 0.3,
    max_consecutive_depth: 2,
    novelty_weight: 0.35,
  },
  data_soil: { prices: 0.7 },
  trees: [
    {
      tree_id: "flow",
      name: "Flow",
      core_logic: "flows persist",
      status: "active",
      recent_budget_share: 0.24,
      branches: ["a first idea"],
    },
  ],
  golden_leaf_pool: ["It failed on busy days, which says where it ends."],
  sick_leaf_warnings: ["Membership of today says nothing of then."],
  summary: "Begun.",
  its_own: { kept: true },
};

function archive(files: Readonly<Record<string, unknown>>, work: (folder: string) => void): void {
  using place = scratch();
  const folder = join(place.cwd, "archive", "cycle_001");
  mkdirSync(folder, { recursive: true });
  for (const [name, data] of Object.entries(files))
    writeFileSync(join(folder, name), typeof data === "string" ? data : stringify(data));
  work(folder);
}

const problemOf = (folder: string): string => {
  try {
    readForest(folder);
  } catch (error) {
    return String(error);
  }
  return "";
};

describe("an archive", () => {
  it("gives back what was written, in four files", () => {
    using place = scratch();
    const folder = writeForest(join(place.cwd, "archive"), whole);
    expect(readdirSync(join(place.cwd, "archive"))).toEqual(["cycle_007"]);
    expect(readdirSync(folder).sort()).toEqual([
      "forest-state.yaml",
      "result-records.yaml",
      "seed-bank.yaml",
      "weather-log.yaml",
    ]);
    expect(readForest(folder)).toEqual({ forest: whole, warnings: [] });
    const log: unknown = parse(readFileSync(join(folder, "weather-log.yaml"), "utf8"));
    expect(log).toMatchObject({
      cycle_id: "cycle_007",
      climate_mode: "exploration",
      temperature: 1.2,
      seed_budget: 0.25,
      allocations: { flow: 0.25 },
    });
    expect(parse(readFileSync(join(folder, "seed-bank.yaml"), "utf8"))).toMatchObject({
      cycle_id: "cycle_007",
      seed_slots: 3,
    });
    expect(Object.keys(forestFiles(whole)["forest-state.yaml"] ?? {})).not.toContain("seeds");
  });

  it("of the newest cycle is found by name, and none is written over (ARCHIVE-1)", () => {
    using place = scratch();
    const root = join(place.cwd, "archive");
    expect(() => latestCycle(root)).toThrow("has no folder of a cycle");
    for (const cycle_id of ["cycle_010", "cycle_009"]) writeForest(root, { ...whole, cycle_id });
    expect(latestCycle(root)).toBe(join(root, "cycle_010"));
    const before = readFileSync(join(root, "cycle_010", "forest-state.yaml"), "utf8");
    expect(() => writeForest(root, { ...whole, cycle_id: "cycle_010", summary: "other" })).toThrow(
      "is there already",
    );
    expect(readFileSync(join(root, "cycle_010", "forest-state.yaml"), "utf8")).toBe(before);
  });

  it("of another program opens, with its entries of text upgraded and a warning for each list", () =>
    archive(
      {
        "forest-state.yaml": FOREIGN,
        "seed-bank.yaml": {
          cycle_id: "cycle_001",
          seed_policy: { seed_slots: 3 },
          seeds: ["try it on calm days"],
        },
      },
      (folder) => {
        const { forest: read, warnings } = readForest(folder);
        expect(read).toMatchObject({
          golden_leaf_pool: [{ summary: FOREIGN.golden_leaf_pool[0] }],
          sick_leaf_warnings: [{ reason: FOREIGN.sick_leaf_warnings[0], blocked_from_reuse: true }],
          seeds: [{ seed_id: "seed_001", idea: "try it on calm days", status: "hold" }],
          results: [],
          its_own: { kept: true },
        });
        expect(read.trees[0]).toMatchObject({
          max_initial_budget_share: 0.18,
          branches: [{ hypothesis: "a first idea", depth: 1, status: "proposed" }],
        });
        expect(warnings.map((line) => /^.*\/(.*):\d+:\d+: (.*)$/.exec(line)?.slice(1))).toEqual([
          ["forest-state.yaml", "1 entry of text in branches is read as today's"],
          ["forest-state.yaml", "1 entry of text in golden_leaf_pool is read as today's"],
          ["forest-state.yaml", "1 entry of text in sick_leaf_warnings is read as today's"],
          ["seed-bank.yaml", "1 entry of text in seeds is read as today's"],
        ]);
        expect(() => validateForest(read)).not.toThrow();
      },
    ));

  it.each<[string, string, (data: typeof FOREIGN) => unknown]>([
    [
      "forest-state.yaml:\\d+:\\d+: climate.novelty_weight is missing",
      "forest-state.yaml",
      (data) => ({ ...data, climate: { ...data.climate, novelty_weight: undefined } }),
    ],
    [
      "forest-state.yaml:2:\\d+: cycle_id must be an id that ends in a number",
      "forest-state.yaml",
      (data) => ({ ...data, cycle_id: "cycle_one" }),
    ],
    [
      "forest-state.yaml:\\d+:\\d+: trees.0.status must be",
      "forest-state.yaml",
      (data) => ({ ...data, trees: [{ ...data.trees[0], status: "green" }] }),
    ],
    ["seed-bank.yaml:\\d+:\\d+: seeds.0.idea", "seed-bank.yaml", () => ({ seeds: [{ seed_id: "s" }] })],
    ["result-records.yaml:\\d+:\\d+: .*bracket", "result-records.yaml", () => "results: [\n"],
    [
      "weather-log.yaml:\\d+:\\d+: weather_events.0.allocation",
      "weather-log.yaml",
      () => ({
        weather_events: [
          { target: "flow", target_type: "tree", weather: "rain", allocation: "much", reason: "x" },
        ],
      }),
    ],
  ])("is refused with file, line and field: %s", (problem, name, change) =>
    archive({ "forest-state.yaml": FOREIGN, [name]: change(FOREIGN) }, (folder) => {
      expect(problemOf(folder)).toMatch(new RegExp(problem));
    }),
  );

  it("without its state is refused", () =>
    archive({ "seed-bank.yaml": {} }, (folder) => {
      expect(problemOf(folder)).toContain("has no forest-state.yaml");
    }));
});
