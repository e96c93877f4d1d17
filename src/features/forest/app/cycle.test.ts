import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import {
  cycleOpening,
  executorOf,
  twoTrees,
  verdict,
  willing,
} from "../../../../test/support/forest-cycle.ts";
import { scratch } from "../../../../test/support/scratch.ts";
import type { BoundProfileGate } from "../../../gates/profile.ts";
import { forest as protocol } from "../protocol/index.ts";
import { random } from "../../../stats/numbers.ts";
import { crashPoints, stage } from "../../../testing/stage.ts";
import { withAcceptedThresholds, decideAmendment, readAmendments } from "./handoffs.ts";
import { appendLog, cyclesAt, readForest, writeForest } from "./archive.ts";
import { readForestFile } from "./file.ts";
import { Grounding, plantForest, plantedForest } from "./plant.ts";
import { saveCycle } from "./cycle.ts";

/** A folder's files by their paths, with what they hold. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [relative(folder, join(folder, path)), readFileSync(join(folder, path), "utf8")]),
  );

/** Runs cycles over an archive, each by a process that dies where `dies` says, and another that goes on. */
async function grow(
  archive: string,
  cycles: number,
  dies?: (cycle: number) => Parameters<Stage["playKilled"]>[1],
): Promise<void> {
  writeForest(archive, twoTrees({ climate: { ...twoTrees().climate, seed_slots: 1 } }));
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const { forest } = readForest(cyclesAt(archive).at(-1) ?? "");
    const table = stage({
      protocols: [protocol],
      script: willing(),
      ports: { executor: executorOf((candidate) => candidate.length % 3 !== 0) },
    });
    const opening = cycleOpening(forest);
    const { entries } = dies ? await table.playKilled(opening, dies(cycle)) : await table.play(opening);
    saveCycle({ archive, forest }, entries);
    saveCycle({ archive, forest }, entries); // as whoever is killed right after it does
  }
}
type Stage = ReturnType<typeof stage>;

describe("an archive", () => {
  it("is the same, byte for byte, after ten cycles that were killed and resumed", async () => {
    using place = scratch();
    const whole = join(place.cwd, "whole");
    const killed = join(place.cwd, "killed");
    await grow(whole, 10);
    const points = crashPoints({ calls: 10, appends: 24 });
    const next = random("kills");
    await grow(
      killed,
      10,
      () => points[Math.floor(next() * points.length)] ?? { at: "call", nth: 1, when: "before" },
    );
    expect(filesIn(killed)).toEqual(filesIn(whole));
    expect(Object.keys(filesIn(whole))).toHaveLength(11 * 4 + 1);
  });

  it("has a cycle's lines once, also where they were written without its folder", () => {
    using place = scratch();
    appendLog(place.cwd, ["{}", "1"]);
    appendLog(place.cwd, ["{}", "1"]);
    appendLog(place.cwd, ["2"]);
    expect(readFileSync(join(place.cwd, "events.jsonl"), "utf8")).toBe("{}\n1\n2\n");
  });

  it("refuses a cycle whose journal tells another forest than it has recorded", async () => {
    using place = scratch();
    const forest = twoTrees();
    const table = stage({ protocols: [protocol], script: willing(), ports: { executor: executorOf() } });
    const { entries } = await table.play(cycleOpening(forest));
    const other = { ...forest, research_goal: "something else" };
    expect(() => saveCycle({ archive: join(place.cwd, "archive"), forest: other }, entries)).toThrow(
      /replay differs/,
    );
    expect(readdirSync(place.cwd)).toEqual([]);
  });
});

describe("amendments of gates", () => {
  const gates: BoundProfileGate[] = [
    {
      name: "G3",
      title: "t",
      hard: true,
      needs_handoff: false,
      by: "domain",
      thresholds: { percentile: 99 },
      provenance: "shipped",
      time_limit_ms: 1_000,
    },
  ];

  it("change nothing until a person says yes, and are decided once", async () => {
    using place = scratch();
    const archive = join(place.cwd, "archive");
    const gate_amendment = { gate: "G3", threshold: "percentile", value: 50, why: "too hard" };
    const table = stage({
      protocols: [protocol],
      script: { ...willing(), skeptic: () => verdict({ gate_amendment }) },
      ports: { executor: executorOf() },
    });
    const forest = twoTrees();
    const { entries } = await table.play(cycleOpening(forest));
    expect(saveCycle({ archive, forest }, entries).amendments).toBe(8);
    expect(withAcceptedThresholds(gates, readAmendments(archive))).toEqual(gates);
    const decided = decideAmendment(archive, { id: "amendment-2-1", decision: "yes", by: "ana", gates });
    expect(decided).toMatchObject({ decision: "yes", decided_by: "ana", by: "sim/skeptic" });
    expect(withAcceptedThresholds(gates, readAmendments(archive))[0]).toMatchObject({
      thresholds: { percentile: 50 },
      provenance: "amendment-2-1, accepted by ana: too hard",
    });
    expect(() => decideAmendment(archive, { id: "amendment-2-1", decision: "no", by: "bo", gates })).toThrow(
      /was decided/,
    );
    expect(() => decideAmendment(archive, { id: "amendment-9-9", decision: "no", by: "bo", gates })).toThrow(
      /no amendment/,
    );
    expect(() =>
      decideAmendment(archive, { id: "amendment-2-2", decision: "yes", by: "bo", gates: [] }),
    ).toThrow(/no gate G3/);
  });
});

describe("planting", () => {
  it("maps what worries to the climate, and directions to trees", () => {
    const planted = plantedForest(
      Grounding.parse({
        research_goal: "Find it",
        worry: "missing",
        boost: ["Flow: money moves prices", "Flow: twice"],
        avoid: ["penny stocks"],
      }),
    );
    expect(planted.climate).toMatchObject({ mode: "exploration", seed_slots: 4, novelty_weight: 0.45 });
    expect(planted.trees.map(({ tree_id, core_logic }) => [tree_id, core_logic])).toEqual([
      ["flow", "money moves prices"],
      ["flow_2", "twice"],
    ]);
    expect(planted.constraints).toEqual(["Avoid: penny stocks"]);
    expect(plantedForest(Grounding.parse({ research_goal: "Find it" })).trees).toHaveLength(1);
  });

  it("overwrites nothing", () => {
    using place = scratch();
    const grounding = Grounding.parse({ research_goal: "Find it" });
    plantForest(place.cwd, grounding);
    const before = filesIn(place.cwd);
    expect(() => plantForest(place.cwd, grounding)).toThrow(/there already/);
    expect(filesIn(place.cwd)).toEqual(before);
    expect(readForestFile(place.cwd, { env: {}, cwd: place.cwd }).file.domain).toBe("factors");
  });
});

describe("a forest's file", () => {
  const read = (text: string, trusts = false) => {
    using place = scratch();
    writeFileSync(join(place.cwd, "forest.yaml"), text);
    mkdirSync(join(place.cwd, "archive"));
    return readForestFile(place.cwd, { env: {}, cwd: place.cwd, trusts: () => trusts });
  };

  it("reads the seed's block unchanged, with its defaults", () => {
    const block =
      "deliberation:\n  max_debate_rounds: 2\n  skeptic_model: deepseek      # must differ from gardener model family\n  gardener_model: kimi\n  cull_severity: high          # cull on skeptic verdict=reject AND severity>=this\n\nparallel_gardeners:\n  max_concurrent: 4\n  temperature_spread: [0.7, 1.0, 1.3]\n";
    const { file } = read(`domain: factors\n${block}`);
    const usual = read("domain: factors").file;
    expect(file.deliberation).toEqual({
      ...usual.deliberation,
      skeptic_model: "deepseek",
      gardener_model: "kimi",
    });
    expect(file.parallel_gardeners).toEqual(usual.parallel_gardeners);
    expect(usual.parallel_gardeners).toEqual({ max_concurrent: 4, temperature_spread: [0.7, 1, 1.3] });
  });

  it.each([
    ["a command", "domain: factors\ngates: {mine: {command: [rm, -rf, /]}}"],
    ["a domain of its own", "domain: ./mine"],
    ["models that cost", "domain: factors\ndeliberation: {gardener_model: openai/gpt-5}"],
  ])("takes effect with %s only where the user trusts it (FORESTFILE-1)", (_, text) => {
    expect(() => read(text)).toThrow(/trust/);
    expect(() => read(text, true)).not.toThrow();
  });

  it.each([
    ["domain: factors\ngaets: {}", /gaets/],
    ["domain: factors\ndeliberation: {cull_severity: hihg}", /forest\.yaml:2:.*cull_severity/],
    ["{", /forest\.yaml/],
  ])("refuses %j with the place", (text, says) => {
    expect(() => read(text)).toThrow(says);
  });
});
