import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandIo } from "../../../../test/support/command-io.ts";
import { forest, leaf, result, seed, tree } from "../../../../test/support/sample-forest.ts";
import { scratch } from "../../../../test/support/scratch.ts";
import { writeForest } from "../app/archive.ts";
import type { Forest } from "../protocol/state.ts";
import { results, seeds, show, validate } from "./show.ts";

const planted: Forest = forest({
  research_goal: "find \u001b[31mwhat holds",
  trees: [
    tree("flow", { branches: [leaf("fruit"), leaf("dead_leaf")], recent_budget_share: 0.5 }),
    tree("calm"),
  ],
  seeds: [seed("s1", { novelty: 1 }, { seed_score: 0.25, idea: "try calm days" })],
  results: [
    result(),
    result({ result_id: "r2", classification: "dead_leaf", classification_reason: "weak everywhere" }),
  ],
  summary: "Two were tested.",
});

type Place = ReturnType<typeof commandIo> & { readonly folder: string };

async function inArchive(forests: readonly Forest[], work: (place: Place) => Promise<void>): Promise<void> {
  using place = scratch();
  for (const one of forests) writeForest(join(place.cwd, "archive"), one);
  await work({ ...commandIo(place), folder: place.cwd });
}

describe("a forest on the command line", () => {
  it("is shown after its newest cycle, and nothing in it acts on the terminal", () =>
    inArchive(
      [planted, { ...planted, cycle_id: "cycle_002", summary: "Three were tested." }],
      async ({ io, written }) => {
        await show(io, { json: false }, ".");
        expect(written.stdout).toContain("f, cycle_002, factors: find ");
        expect(written.stdout).toMatch(/^flow +active +50 % +1 +0 +0 +1 +0 +flow$/m);
        expect(written.stdout).toContain("1 of 2 results are fruits; 1 seed. Three were tested.");
        expect(written.stdout).not.toContain("\u001b");
      },
    ));

  it("lists its seeds and its results", () =>
    inArchive([planted], async ({ io, written }) => {
      await seeds(io, { json: false }, "archive");
      await results(io, { json: false }, "archive/cycle_001");
      expect(written.stdout).toMatch(/^s1 +hold +0\.25 +flow +try calm days$/m);
      expect(written.stdout).toMatch(/^dead_leaf +tool_executed +passed +weak everywhere$/m);
      await seeds(io, { json: true }, ".");
      expect(written.stdout).toContain('"seed_id": "s1"');
    }));

  it("says of an empty one what there is not", () =>
    inArchive([forest()], async ({ io, written }) => {
      await show(io, { json: false }, ".");
      await seeds(io, { json: false }, ".");
      await results(io, { json: false }, ".");
      expect(written.stdout).toContain("No trees are planted.");
      expect(written.stdout).toContain(
        "There are no seeds.\nThere are no results: nothing was tested yet.\n",
      );
    }));

  it("is validated cycle by cycle: exit 1 names what is broken, and where", () =>
    inArchive([planted], async ({ io, written, folder }) => {
      expect(await validate(io, { json: false }, ["."])).toBe(0);
      expect(written.stdout).toMatch(/archive\/cycle_001: OK\n$/);
      writeForest(join(folder, "archive"), {
        ...planted,
        cycle_id: "cycle_002",
        results: [result({ execution_mode: "stub_result" })],
      });
      mkdirSync(join(folder, "archive", "cycle_003"));
      writeFileSync(join(folder, "archive", "cycle_003", "forest-state.yaml"), "forest_id: mine\n");
      expect(await validate(io, { json: false }, ["archive"])).toBe(1);
      expect(written.stdout).toMatch(/cycle_002: a stub is no fruit \(b; r1\)\n/);
      expect(written.stdout).toMatch(/cycle_003: .*forest-state\.yaml:1:1: cycle_id is missing\n$/);
      await expect(validate(io, { json: false }, ["nowhere"])).rejects.toThrow("has no cycle of a forest");
    }));
});
