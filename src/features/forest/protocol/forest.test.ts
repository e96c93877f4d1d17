import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  cycleOpening,
  executorOf,
  twoTrees,
  verdict,
  willing,
} from "../../../../test/support/forest-cycle.ts";
import { seed, tree } from "../../../../test/support/sample-forest.ts";
import { checkInput, prepareDryRun } from "../../../engine/index.ts";
import type { ModelRequest } from "../../../kernel/index.ts";
import type { Script } from "../../../testing/scripted-models.ts";
import { closingOf, crashPoints, eventsOf, factsOf, stage } from "../../../testing/stage.ts";
import { rewardOf, selectParents } from "./evolution.ts";
import { forestAfter, forestLog, logLine } from "./history.ts";
import { createForest, forest, forestDigest, FOREST_ROLES } from "./index.ts";
import type { LeafKind } from "./state.ts";
import { defineRole, type RoleDesk, type TreeTable } from "./table.ts";
import { sectionOf } from "./view.ts";

const on = (script: Script = {}, passes?: Parameters<typeof executorOf>[0], protocol = forest) =>
  stage({
    protocols: [protocol],
    script: { ...willing(), ...script },
    ports: { executor: executorOf(passes) },
  });

const actionsOf = (entries: Parameters<typeof forestLog>[0]) =>
  forestLog(entries).map(({ role, action, target }) => `${role} ${action} ${target}`);

describe("a cycle", () => {
  it("grows a forest that its journal alone tells", async () => {
    const before = twoTrees();
    const table = on();
    const { id, entries } = await table.play(cycleOpening(before));
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    const after = forestAfter(before, entries);
    const saved = eventsOf(entries, "note-taken").find(({ data }) => data.topic === "validate_post_save");
    expect(saved?.data.body).toMatchObject({ forest: forestDigest(after) });
    expect(after.cycle_id).toBe("cycle_002");
    expect(after.summary).toBe("Cycle 2: 4 of 4 candidates from 2 trees are fruits.");
    expect(sectionOf(entries)).toMatchObject({ fruits: 4, tested: 4, cycle: 2 });
    expect(await table.engine.replay(id)).toMatchObject({ calls: table.models.count() });
  });

  it("logs every step under its role, in the coordinator's order", async () => {
    const { entries } = await on().play(cycleOpening(twoTrees()));
    const actions = actionsOf(entries);
    expect(actions.slice(0, 4)).toEqual([
      "coordinator validate_pre forest",
      "meteorologist route forest",
      "coordinator gardener_parallel_dispatch forest",
      "gardener mine flow",
    ]);
    expect(actions.at(-1)).toBe("coordinator validate_post_save forest");
    const of = (action: string) => forestLog(entries).filter((line) => line.action === action);
    expect(of("gardener_parallel_dispatch")[0]).toMatchObject({
      inputs: { trees: ["flow", "value"] },
      outputs: { dispatch: { flow: 0.7, value: 1 } },
    });
    expect(of("debate_round")[0]).toMatchObject({
      role: "skeptic",
      inputs: { round: 1, in: 2 },
      outputs: { culled: 0, revised: 0, proceeded: 2 },
    });
    expect(of("skeptic_challenge").map(({ inputs }) => inputs["kind"])).toContain("fruit_candidate");
    const [routed] = of("route").map((line) => JSON.parse(logLine(line)) as object);
    expect(Object.keys(routed ?? {})).toEqual([
      "action",
      "agent",
      "cycle",
      "initiative",
      "inputs",
      "outputs",
      "reason",
      "role",
      "target",
      "ts",
    ]);
    for (const line of forestLog(entries)) expect(line.reason).not.toBe("");
  });

  it.each([1, 2, 4])("comes to the same with %i gardeners at once", async (max_concurrent) => {
    const before = twoTrees();
    const parallel_gardeners = { max_concurrent, temperature_spread: [0.7, 1] };
    const slow: Script = {
      gardener: (request, nth) => {
        const made = willing()["gardener"];
        const text = typeof made === "function" ? made(request, nth) : "";
        return { text: typeof text === "string" ? text : "", latencyMs: nth === 1 ? 500 : 5 };
      },
    };
    const { entries } = await on(slow).play(cycleOpening(before, { settings: { parallel_gardeners } }));
    const alone = await on().play(cycleOpening(before));
    expect(forestAfter(before, entries)).toEqual(forestAfter(before, alone.entries));
  });

  it("has no more trees under way than `max_concurrent`", async () => {
    let [now, most] = [0, 0];
    const counted: Script = {
      inspector: (request, nth) => {
        now += 1;
        most = Math.max(most, now);
        queueMicrotask(() => (now -= 1));
        const made = willing()["inspector"];
        return typeof made === "function" ? made(request, nth) : "";
      },
    };
    const parallel_gardeners = { max_concurrent: 1, temperature_spread: [1] };
    const { entries } = await on(counted).play(
      cycleOpening(twoTrees(), { settings: { parallel_gardeners } }),
    );
    const mined = entries.filter(({ origin }) => "work" in origin && origin.work?.kind === "mine");
    const classified = eventsOf(entries, "note-taken").filter(({ data }) => data.topic === "classify");
    expect(mined[1]?.seq).toBeGreaterThan(classified[1]?.seq ?? Infinity);
    expect(most).toBeGreaterThan(0);
  });

  it("calls no skeptic in a single pass, and needs none", async () => {
    const table = on();
    const deliberation = { max_debate_rounds: 0 };
    const { entries } = await table.play(
      cycleOpening(twoTrees(), { settings: { deliberation }, without: ["skeptic"] }),
    );
    expect(table.models.count("skeptic")).toBe(0);
    expect(sectionOf(entries)).toMatchObject({ fruits: 4 });
  });

  it("tests nothing twice: what was explored is redundant", async () => {
    const before = twoTrees();
    const first = await on().play(cycleOpening(before));
    const between = forestAfter(before, first.entries);
    const same: Script = {
      gardener: (request, nth) => {
        const made = willing()["gardener"];
        const text = typeof made === "function" ? made(request, nth) : "";
        return typeof text === "string" ? text.replaceAll(/(flow|value)\d+-/g, "$10-") : "";
      },
    };
    const { entries } = await on(same).play(cycleOpening(between));
    expect(sectionOf(entries)).toMatchObject({ tested: 0, fruits: 0 });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    expect(forestAfter(between, entries).summary).toBe("Cycle 3: 0 of 0 candidates from 2 trees are fruits.");
  });

  it("holds what does not compile, with the reason", async () => {
    const odd: Script = {
      diverger: () => JSON.stringify({ candidates: [{ formula: "what?", name: "odd" }] }),
    };
    const before = twoTrees();
    const { entries } = await on(odd).play(cycleOpening(before));
    const seeds = forestAfter(before, entries).seeds.filter(
      ({ source_type }) => source_type === "handoff_divergence",
    );
    expect(seeds.map(({ status, reason }) => [status, reason])).toEqual(
      Array.from({ length: 2 }, () => ["hold", expect.stringContaining("it does not compile: a question")]),
    );
  });
});

it("keeps a share of the slots for what waits in the bank, though fresh ideas are ranked above it", async () => {
  const before = twoTrees({
    trees: [tree("flow")],
    seeds: [
      seed("old", { novelty: 0.1, logic_strength: 0.3, data_availability: 1 }, { validation_plan: "f(old)" }),
    ],
  });
  const { entries } = await on().play(cycleOpening(before));
  expect(sectionOf(entries)?.candidates.map(({ formula }) => formula)).toEqual(["f(flow0-0)", "f(old)"]);
});

describe("the debate", () => {
  const verdictsBy = (say: (round: number) => object): Script => {
    const seen = new Map<string, number>();
    return {
      skeptic: (request) => {
        const text = request.messages.at(-1)?.text ?? "";
        const kind = text.includes("Attack the fruit") ? "fruit" : "hypothesis";
        const key = `${kind}${/\[BEGIN tree (\w+)/.exec(text)?.[1] ?? ""}${/\[BEGIN mechanism (\w+)/.exec(text)?.[1] ?? ""}`;
        const round = (seen.get(key) ?? 0) + 1;
        seen.set(key, round);
        return verdict(kind === "fruit" ? {} : say(round));
      },
    };
  };

  it("culls at the severity of the bar and above", async () => {
    const { entries } = await on(verdictsBy(() => ({ verdict: "reject", severity: "high" }))).play(
      cycleOpening(twoTrees()),
    );
    expect(eventsOf(entries, "round-closed").map(({ data }) => [data.culled.length, data.in.length])).toEqual(
      [
        [2, 2],
        [2, 2],
      ],
    );
    expect(sectionOf(entries)).toMatchObject({ tested: 0 });
  });

  it("revises below the bar, for as many rounds as there are, and keeps what is left", async () => {
    const table = on(verdictsBy(() => ({ verdict: "reject", severity: "medium" })));
    const { entries } = await table.play(cycleOpening(twoTrees()));
    expect(eventsOf(entries, "round-closed").map(({ data }) => [data.round, data.revised.length])).toEqual([
      [1, 2],
      [1, 2],
      [2, 2],
      [2, 2],
    ]);
    expect(sectionOf(entries)?.candidates.map(({ formula }) => formula)[0]).toMatch(/^f\(better-fbetter/);
  });

  it("does not criticize again what may proceed", async () => {
    const table = on();
    await table.play(cycleOpening(twoTrees()));
    expect(table.models.count("skeptic")).toBe(4 + 4); // a hypothesis each, and a fruit candidate each
  });
});

describe("a dry run of a cycle", () => {
  const again: Record<string, number> = {};
  it.each([
    ["as usual", {}],
    ["of nothing but revisions", { skeptic: () => verdict({ verdict: "revise" }) }],
    [
      "of replies that can be read only when asked again",
      Object.fromEntries(
        Object.entries(willing()).map(([role, line]) => [
          role,
          (request: ModelRequest, nth: number) => {
            again[role] = (again[role] ?? 0) + 1;
            return again[role] % 2 === 1 || typeof line !== "function" ? "hm" : line(request, nth);
          },
        ]),
      ),
    ],
  ])("allows as many calls as a course %s makes, and no fewer", async (_, script: Script) => {
    const table = on(script);
    const opening = cycleOpening(twoTrees(), {
      settings: { parallel_gardeners: { max_concurrent: 1, temperature_spread: [1] } },
    });
    const checks = { models: table.models, protocols: [forest] };
    const run = await prepareDryRun(await checkInput(checks, opening));
    const calls: string[] = [];
    await run(
      { course: "longest", finals: "none", troubled: true, replyTokens: Infinity, isWritten: true },
      { ports: () => ({}), reactors: [], onCall: ({ phase }) => calls.push(phase) },
    );
    await table.play(opening);
    expect(table.models.count()).toBeLessThanOrEqual(calls.length);
    expect([...new Set(calls)]).toEqual([
      "mining",
      "debate",
      "divergence",
      "inspection",
      "challenge",
      "alignment",
    ]);
  });
});

it("asks a skeptic and an inspector with prompts of their own, and the skeptic presumes the worst", () => {
  const read = (name: string) => readFileSync(new URL(`templates/${name}.md`, import.meta.url), "utf8");
  const [skeptic, inspector] = [read("forest-critique"), read("forest-inspect")];
  expect(skeptic).toMatch(
    /Presume that it is overfit, spurious or contaminated by look-ahead until it is proven otherwise/,
  );
  expect(inspector).not.toMatch(/overfit|presume/i);
  expect(inspector).toMatch(/evenly/);
});

describe("what no model can bend", () => {
  it("a rejecting skeptic changes no gate, no classification and no fruit", async () => {
    const before = twoTrees();
    const rejecting: Script = {
      skeptic: (request) =>
        (request.messages.at(-1)?.text ?? "").includes("Attack the fruit")
          ? verdict({
              verdict: "reject",
              severity: "high",
              weaknesses: ["all of it"],
              gate_amendment: { gate: "G3", threshold: "percentile", value: 50, why: "too easy" },
            })
          : verdict(),
    };
    const [one, other] = [
      await on().play(cycleOpening(before)),
      await on(rejecting).play(cycleOpening(before)),
    ];
    const resultsOf = (entries: typeof one.entries) =>
      forestAfter(before, entries).results.map(({ risks: _, ...rest }) => rest);
    expect(resultsOf(other.entries)).toEqual(resultsOf(one.entries));
    expect(forestAfter(before, other.entries).results[0]?.risks).toEqual(["all of it", "chance"]);
    expect(actionsOf(other.entries).filter((line) => line.includes("gate_amendment_proposed"))).toHaveLength(
      4,
    );
  });

  it.each(["plan_only", "manual_result", "stub_result"] as const)(
    "a debated %s is no fruit",
    async (execution) => {
      const { entries } = await on().play(cycleOpening(twoTrees(), { settings: { execution } }));
      expect(sectionOf(entries)).toMatchObject({ fruits: 0, tested: 4 });
      expect(sectionOf(entries)?.candidates.map(({ classification }) => classification)).toEqual(
        Array(4).fill(null),
      );
      expect(eventsOf(entries, "gate-decided")).toHaveLength(execution === "plan_only" ? 0 : 8);
      expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    },
  );

  it("a failed hard gate is no fruit, whatever the aligner would say", async () => {
    const table = on({}, (_, gate) => gate !== "G3");
    const { entries } = await table.play(cycleOpening(twoTrees()));
    expect(sectionOf(entries)).toMatchObject({ fruits: 0, tested: 4 });
    expect(table.models.count("aligner")).toBe(0);
    expect(table.models.count("skeptic")).toBe(4); // hypotheses alone: no candidate is challenged again
    const decided = eventsOf(entries, "gate-decided").map(({ data }) => [data.gate, data.outcome]);
    expect(new Set(decided.map((one) => one.join(" ")))).toEqual(new Set(["G1 passed", "G3 failed"]));
    expect(sectionOf(entries)?.candidates[0]?.gates.map(({ gate, passed }) => [gate, passed])).toEqual([
      ["G1", true],
      ["G3", false],
    ]);
  });
});

describe("families and failures", () => {
  it.each([
    ["the same family", { model: "openrouter/moonshotai/kimi-k2", family: "oak" }],
    ["an unknown family", { model: "compatible/x/y", family: null }],
  ])("refuses a skeptic of %s before any call", async (_, model) => {
    const table = on();
    await expect(table.play(cycleOpening(twoTrees(), { models: { skeptic: model } }))).rejects.toThrow(
      /configuration|famil/,
    );
    expect(table.models.count()).toBe(0);
  });

  it("fails where a model does, and a fork asks only for what is missing", async () => {
    let broken = true;
    const before = twoTrees();
    const table = on({
      inspector: (request, nth) => {
        if (broken && nth === 3) return { fail: "overloaded" };
        const made = willing()["inspector"];
        return typeof made === "function" ? made(request, nth) : "";
      },
    });
    const { id, entries } = await table.play(cycleOpening(before));
    expect(closingOf(entries)).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("overloaded"),
    });
    broken = false;
    const lost = eventsOf(entries, "degradation-noted").map(({ origin }) =>
      "step" in origin ? origin.step : "",
    );
    const made = table.models.count();
    const settings = {
      ...eventsOf(entries, "deliberation-opened")[0]?.data.settings,
      again: Object.fromEntries(lost.map((key) => [key, 1])),
    };
    const { opened } = await table.engine.fork(id, { request: "r2", changes: { settings } });
    await table.drive(opened.deliberation);
    const organization = await table.store.findOrganization(opened.deliberation);
    const after =
      organization === undefined ? [] : await table.store.for(organization).read(opened.deliberation);
    expect(closingOf(after)).toMatchObject({ outcome: "answered" });
    const whole = await on().play(cycleOpening(before));
    expect(forestAfter(before, after)).toEqual(forestAfter(before, whole.entries));
    expect(table.models.count() - made).toBeLessThan(12);
  });

  it("asks once more where a reply cannot be read, and fails where that cannot be either", async () => {
    const once = on({
      aligner: (request, nth) =>
        nth === 1
          ? "2, I think"
          : JSON.stringify({ score: 2, reason: request.messages.length > 0 ? "it fits" : "" }),
    });
    const { entries } = await once.play(cycleOpening(twoTrees()));
    expect(sectionOf(entries)).toMatchObject({ fruits: 4 });
    const never = await on({ aligner: () => "2, I think" }).play(cycleOpening(twoTrees()));
    expect(closingOf(never.entries)).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("not one JSON object"),
    });
  });
});

it("deliberates over a tree without a change of the forest", async () => {
  const seen: string[] = [];
  const watch = (name: string, after: string | null) => ({
    ...{ name, after },
    run: (table: TreeTable, { forest: now }: RoleDesk) => {
      seen.push(JSON.stringify(now));
      return Promise.resolve(table);
    },
  });
  const witness = defineRole({
    ...{ name: "witness", responsibility: "looks on", works: "rule" },
    stages: [watch("before", null), watch("after", "classify")],
  });
  await on({}, undefined, createForest([...FOREST_ROLES, witness])).play(cycleOpening(twoTrees()));
  expect(seen).toHaveLength(4);
  expect(new Set(seen).size).toBe(1);
});

it("attributes the steps of a ninth role to it", async () => {
  const archivist = defineRole({
    name: "archivist",
    responsibility: "counts what was judged",
    works: "rule",
    stages: [
      {
        name: "archive",
        after: "judge",
        async run(table, { run }) {
          const body = { judged: table.judgments.size };
          await run.derive(
            {
              key: `${table.key}/archive`,
              outcomes: ["note-taken"],
              work: { kind: "archive", by: "archivist", of: table.tree.tree_id },
              input: body,
            },
            () => ({
              type: "note-taken",
              data: { topic: "archive", reason: "judgments were counted", body },
            }),
          );
          return table;
        },
      },
    ],
  });
  const { entries } = await on({}, undefined, createForest([...FOREST_ROLES, archivist])).play(
    cycleOpening(twoTrees()),
  );
  expect(actionsOf(entries).filter((line) => line.startsWith("archivist"))).toEqual([
    "archivist archive flow",
    "archivist archive value",
  ]);
  expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
});

it("takes exactly as many mechanisms as were asked for", async () => {
  const more: Script = {
    gardener: (request, nth) => {
      const made = willing()["gardener"];
      const text = typeof made === "function" ? made(request, nth) : "";
      const said = JSON.parse(typeof text === "string" ? text : "") as { mechanisms: object[] };
      return JSON.stringify({ mechanisms: [...said.mechanisms, ...said.mechanisms] });
    },
  };
  const { entries } = await on(more).play(cycleOpening(twoTrees()));
  expect(closingOf(entries)).toMatchObject({
    outcome: "failed",
    why: expect.stringContaining("4 in place of 2"),
  });
});

describe("a cycle that is killed", () => {
  it.each(crashPoints({ calls: 24, appends: 60 }).filter((_, index) => index % 7 === 0))(
    "resumes to the same history: $when $at $nth",
    async (point) => {
      const before = twoTrees();
      const { entries } = await on().play(cycleOpening(before));
      const killed = await on().playKilled(cycleOpening(before), point);
      expect(factsOf(killed.entries)).toEqual(factsOf(entries));
      expect(forestLog(killed.entries).map(logLine)).toEqual(
        forestLog(entries)
          .map(logLine)
          .map((line) => line),
      );
    },
  );
});

describe("evolution", () => {
  const after = async (evolution?: { mutate: number; crossover: number }) => {
    const before = twoTrees();
    const first = await on().play(cycleOpening(before));
    const between = forestAfter(before, first.entries);
    const table = on();
    const settings = evolution ? { evolution } : {};
    const { entries } = await table.play(cycleOpening(between, { settings }));
    return { table, entries, seeds: forestAfter(between, entries).seeds };
  };

  it("is off, and then the cycle is the same to the last step", async () => {
    const [usual, off] = [await after(), await after({ mutate: 0, crossover: 0 })];
    expect(forestLog(off.entries)).toEqual(forestLog(usual.entries));
    expect(off.seeds.filter(({ source_type }) => source_type.startsWith("trajectory"))).toEqual([]);
  });

  it("adds children that are not classified, and name their parents", async () => {
    const { seeds, entries } = await after({ mutate: 1, crossover: 1 });
    const children = seeds.filter(({ source_type }) => source_type.startsWith("trajectory"));
    expect(children.map(({ source_type }) => source_type).sort()).toEqual([
      ...["trajectory_crossover", "trajectory_crossover", "trajectory_mutation", "trajectory_mutation"],
    ]);
    expect(children[0]?.reason).toMatch(/^evolved from task_cycle_002_flow_001/);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
  });

  it("selects by reward, and never a sick parent", () => {
    const one = (id: string, reward: number, classification: LeafKind | null = "fruit") => ({
      ...{ id, reward, classification, tree_id: "flow", formula: "f", idea: "i", reason: "r" },
    });
    const pool = [one("b", 1), one("a", 1), one("sick", 9, "sick_leaf"), one("c", 2)];
    expect(selectParents(pool, 3).map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(rewardOf({ classification: "golden_leaf", gate_record: null }, "x".repeat(100))).toBeCloseTo(
      0.4,
      12,
    );
  });
});
