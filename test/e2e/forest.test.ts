import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { random } from "../../src/stats/numbers.ts";
import { built, isProblem, linesIn, somewhere, type Somewhere } from "./parley.ts";

built();

/** Small enough to be quick: 12 instruments over 120 days, and a bar of 100 formulas. */
const SOIL = { generate: { seed: "e2e", days: 120, instruments: 12, signal: 0.4 } };
const LATE = "latency=15";
const FILE = {
  domain: "factors",
  soil: SOIL,
  gates: { G1: {}, G2: {}, G3: { thresholds: { count: 100 }, provenance: "a test" }, G7: {} },
  deliberation: { gardener_model: `sim/ada?family=oak&${LATE}`, skeptic_model: `sim/ben?family=elm&${LATE}` },
};
const ANSWERS = {
  research_goal: "Find what holds",
  soil: SOIL,
  boost: [
    "Gaps: what fell within the day opens higher, as `ts_mean(div(open, close), 5)` says",
    "Volume: it lasts",
  ],
};

async function planted(place: Somewhere, file: object = FILE): Promise<void> {
  writeFileSync(join(place.cwd, "answers.yaml"), stringify(ANSWERS));
  const { code, stderr } = await place.run(["forest", "init", "--file", "answers.yaml"]);
  expect(stderr).toContain("Planted:");
  expect(code).toBe(0);
  writeFileSync(join(place.cwd, "forest.yaml"), stringify(file));
}

/** The archive's files that have no time in them. */
function archiveOf({ cwd }: Somewhere): Record<string, string> {
  const archive = join(cwd, "archive");
  return Object.fromEntries(
    readdirSync(archive)
      .filter((name) => name.startsWith("cycle_"))
      .sort()
      .flatMap((cycle) =>
        readdirSync(join(archive, cycle))
          .sort()
          .map((file) => [`${cycle}/${file}`, readFileSync(join(archive, cycle, file), "utf8")]),
      ),
  );
}

const actionsIn = ({ cwd }: Somewhere): string[] =>
  linesIn({ stdout: readFileSync(join(cwd, "archive", "events.jsonl"), "utf8") }).map(({ action }) =>
    String(action),
  );

describe("a forest on the command line", () => {
  it("is planted, grows, and says so", async () => {
    await using place = somewhere();
    await planted(place);
    const one = await place.run(["forest", "cycle"]);
    expect(one.stdout).toMatch(/^Cycle 1: \d of \d candidates from 2 trees are fruits\.\n/);
    expect(one.stdout).toContain("simulated models");
    expect(one.stderr).toContain("Try: parley forest report");
    expect(one.code).toBe(0);
    const [told] = JSON.parse((await place.run(["forest", "cycle", "--json"])).stdout) as Record<
      string,
      unknown
    >[];
    expect(told).toMatchObject({
      cycle: 2,
      cycle_id: "cycle_002",
      domain: "factors",
      tested: expect.any(Number),
    });
    const valid = await place.run(["forest", "validate", "."]);
    expect(valid.code).toBe(0);
    expect(valid.stdout.match(/: OK$/gm)).toHaveLength(3);
    const report = await place.run(["forest", "report", "--output", "report.html"]);
    expect(report.code).toBe(0);
    expect(readFileSync(join(place.cwd, "report.html"), "utf8")).toContain("<svg");
    expect((await place.run(["forest", "report", "-o", "plot.svg"])).code).toBe(0);
    expect((await place.run(["forest", "report"])).stdout).toContain("Result classifications");
    const exported = await place.run(["forest", "export", "last", "elsewhere"]);
    expect(exported.stdout).toContain("up to cycle_002");
    const [from, to] = ["archive", "elsewhere/archive"].map((folder) =>
      readFileSync(join(place.cwd, folder, "cycle_002", "forest-state.yaml"), "utf8"),
    );
    expect(to).toBe(from);
  });

  it("tells its plan without a call", async () => {
    await using place = somewhere();
    await planted(place);
    const { code, stdout } = await place.run(["forest", "cycle", "--dry-run"]);
    expect(stdout).toMatch(/^gaps +rain +1 +a solid direction$/m);
    expect(stdout).toMatch(/^G3 +yes +count 100, .*a test$/m);
    expect(stdout).toMatch(/^skeptic +sim\/ben/m);
    expect(stdout).toContain("No model was called.");
    expect(code).toBe(0);
    expect((await place.run(["list", "--json"])).stdout.trim()).toBe("[]");
    expect(Object.keys(archiveOf(place))).toHaveLength(4);
  });

  it("leaves the same archive after kills as without them", async () => {
    await using whole = somewhere();
    await using killed = somewhere();
    await Promise.all([planted(whole), planted(killed)]);
    expect((await whole.run(["forest", "cycle", "-n", "3", "-q"])).code).toBe(0);
    const next = random("forest kills");
    for (let kill = 0; kill < 6; kill += 1) {
      const running = killed.start(["forest", "cycle", "-n", "3", "-q"]);
      const timer = setTimeout(() => running.kill("SIGKILL"), 350 + 1_200 * next());
      await running.ended;
      clearTimeout(timer);
      const cycles = Object.keys(archiveOf(killed)).length / 4;
      if (cycles > 3) break;
    }
    while (!existsSync(join(killed.cwd, "archive", "cycle_003")))
      expect((await killed.run(["forest", "cycle", "-q"])).code).toBe(0);
    const [one, other] = [archiveOf(whole), archiveOf(killed)];
    const kept = Object.fromEntries(Object.entries(other).filter(([path]) => path in one));
    expect(kept).toEqual(one);
    const upTo = actionsIn(whole).length;
    expect(actionsIn(killed).slice(0, upTo)).toEqual(actionsIn(whole));
  }, 90_000);

  it("is one forest to two who give the command at once", async () => {
    await using place = somewhere();
    await planted(place);
    const both = await Promise.all([
      place.run(["forest", "cycle", "-q"]),
      place.run(["forest", "cycle", "-q"]),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(Object.keys(archiveOf(place)).length).toBe(8);
    expect(actionsIn(place).filter((action) => action === "validate_post_save")).toHaveLength(1);
  });

  it("stops at Ctrl-C and goes on with the same command", async () => {
    await using place = somewhere();
    await planted(place);
    const running = place.start(["forest", "cycle"]);
    await running.seen("stderr", /gardeners revise|the inspector judges/);
    running.kill("SIGINT");
    const stopped = await running.ended;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain("everything so far is recorded");
    expect(existsSync(join(place.cwd, "archive", "cycle_001"))).toBe(false);
    const resumed = await place.run(["forest", "cycle"]);
    expect(resumed.stderr).toContain("completed steps are reused");
    expect(resumed.code).toBe(0);
  });

  it("waits for a person, and for files", async () => {
    await using place = somewhere();
    await planted(place, { ...FILE, diverger: "files", aligner: "me" });
    const waiting = await place.run(["forest", "cycle"]);
    expect(waiting.code).toBe(8);
    const requests = readdirSync(join(place.cwd, "handoffs", "requests"));
    expect(requests).toHaveLength(2);
    const [asked] = requests.map(
      (name) => JSON.parse(readFileSync(join(place.cwd, "handoffs", "requests", name), "utf8")) as object,
    );
    expect(asked).toMatchObject({ kind: "divergence", response_schema: { type: "object" } });
    const answer = (text: string) =>
      requests.forEach((name) => writeFileSync(join(place.cwd, "handoffs", "responses", name), text));
    answer('{"candidates": 7}');
    const refused = await place.run(["forest", "cycle"]);
    expect(refused.code).toBe(8);
    expect(refused.stderr).toMatch(/Not taken: .*responses.*candidates/);
    answer('{"candidates": []}');
    const aligning = await place.run(["forest", "cycle"]);
    expect(aligning.code).toBe(8);
    const { handoffs } = JSON.parse((await place.run(["forest", "handoffs", "--json"])).stdout) as {
      handoffs: { step: string; kind: string; prompt: string }[];
    };
    expect(handoffs[0]).toMatchObject({
      kind: "g7_alignment",
      prompt: expect.stringContaining("ts_mean(div(open, close), 5)"),
    });
    for (const { step } of handoffs)
      expect((await place.run(["forest", "answer", step, "2", "it", "fits"])).stdout).toContain("Recorded");
    const ended = await place.run(["forest", "cycle"]);
    expect(ended.stdout).toMatch(/^fruit +gaps +ts_mean\(div\(open, close\), 5\)/m);
    expect(ended.code).toBe(0);
  });

  it("fails where a model is not there, and changes nothing", async () => {
    await using place = somewhere();
    const broken = { ...FILE.deliberation, skeptic_model: "sim/ben?family=elm&fail=1" };
    await planted(place, { ...FILE, deliberation: broken });
    const before = archiveOf(place);
    const failed = await place.run(["forest", "cycle", "-q"]);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(/failed: .*Try: /s);
    expect(archiveOf(place)).toEqual(before);
    expect(existsSync(join(place.cwd, "archive", "events.jsonl"))).toBe(false);
  });
});

/** A cycle's files in the shape in which the Python program dumps them. */
const DUMPED = {
  "forest-state.yaml": `forest_id: quick_start
cycle_id: cycle_001
research_goal: demo alpha
domain: demo
constraints: []
approval_policy: manual
climate:
  mode: exploration
  temperature: 1.0
  seed_budget: 0.25
  seed_slots: 2
  max_tree_share: 0.5
  max_consecutive_depth: 3
  novelty_weight: 0.35
data_soil:
  ready: true
trees:
- tree_id: tree_a
  name: A
  core_logic: momentum
  status: active
  recent_budget_share: 0.5
  max_initial_budget_share: 0.18
  branches:
  - branch_id: branch_task_cycle_001_tree_a_001
    parent: null
    depth: 1
    hypothesis: ts_mean(close, 5)
    status: classified
    cycle_executed: 1
    result_classification: golden_leaf
    evidence_summary: ts_mean(close, 5) classified as golden_leaf
    blocks_reuse: false
    child_branches_proposed:
    - branch_task_cycle_001_tree_a_001_child
  notes: []
  weather_priors:
    moisture: 0.7
golden_leaf_pool: []
sick_leaf_warnings: []
summary: 'Cycle 1: 0 fruit'
`,
  "seed-bank.yaml": `cycle_id: cycle_001
seed_slots: 2
seeds:
- seed_id: seed_cycle_001_tree_a_1
  idea: smoothed level
  source_type: kimi
  related_trees:
  - tree_a
  scores:
    novelty: 0.8
    logic_strength: 1.0
    data_availability: 1.0
  seed_score: null
  status: hold
  validation_plan: ts_mean(open, 5)
  reason: 'smooth: none'
`,
  "weather-log.yaml": `cycle_id: cycle_001
climate_mode: exploration
temperature: 1.0
seed_budget: 0.25
allocations:
  tree_a: 0.5
weather_events:
- target: tree_a
  target_type: tree
  weather: drizzle
  allocation: 0.5
  reason: default keep-alive
`,
  "result-records.yaml": `cycle_id: cycle_001
results:
- result_id: result_task_cycle_001_tree_a_001
  task_id: task_cycle_001_tree_a_001
  execution_mode: tool_executed
  classification: golden_leaf
  summary: ts_mean(close, 5) classified as golden_leaf
  evidence: []
  risks: []
  classification_reason: boundary
  generated_seeds: []
  revival_condition: ''
  blocked_from_reuse: false
  gate_record:
    domain: demo
    factor_id: f1
    gates:
      coverage:
        passed: true
        value: 1.0
    execution_mode: tool_executed
`,
};

function dumped({ cwd }: Somewhere, changes: Partial<typeof DUMPED> = {}): void {
  const folder = join(cwd, "archive", "cycle_001");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ ...DUMPED, ...changes }))
    writeFileSync(join(folder, name), text);
}

describe("an archive that the Python program wrote", () => {
  it("opens, is valid, and goes on", async () => {
    await using place = somewhere();
    dumped(place);
    expect((await place.run(["forest", "validate", "archive"])).stdout).toContain(": OK");
    expect((await place.run(["forest", "cycle"])).stderr).toMatch(/no forest.yaml.*\nTry: .*forest init/);
    const before = archiveOf(place);
    expect((await place.run(["forest", "init", "--yes"])).code).toBe(0);
    expect(archiveOf(place)).toEqual(before);
    writeFileSync(join(place.cwd, "forest.yaml"), stringify(FILE));
    const { code, stdout } = await place.run(["forest", "cycle", "-q"]);
    expect(stdout).toMatch(/^Cycle 2: /);
    expect(stdout).toContain("ts_mean(open, 5)"); // the seed that waited in its bank
    expect(code).toBe(0);
    expect((await place.run(["forest", "validate", "archive"])).code).toBe(0);
  });

  it.each([
    [
      "forest-state.yaml",
      /climate\.novelty_weight/,
      (text: string) => text.replace(/ {2}novelty_weight.*\n/, ""),
    ],
    ["forest-state.yaml", /cycle_id/, (text: string) => text.replace("cycle_001\n", "first\n")],
    [
      "seed-bank.yaml",
      /seed-bank\.yaml:\d+.*status/,
      (text: string) => text.replace("status: hold", "status: sown"),
    ],
    ["weather-log.yaml", /\(c;/, (text: string) => text.replace("reason: default keep-alive", "reason: ''")],
    [
      "result-records.yaml",
      /\(a;/,
      (text: string) => text.replaceAll("golden_leaf", "fruit").replaceAll("tool_executed", "manual_result"),
    ],
  ] as const)("is refused where its %s is wrong", async (file, says, change) => {
    await using place = somewhere();
    dumped(place, { [file]: change(DUMPED[file]) });
    const { code, stdout } = await place.run(["forest", "validate", "archive"]);
    expect(stdout).toMatch(says);
    expect(code).toBe(1);
  });
});

describe("wrong input", () => {
  it.each([
    [
      "a skeptic of the gardener's family",
      {
        ...FILE,
        deliberation: { gardener_model: "sim/ada?family=oak", skeptic_model: "sim/ben?family=oak" },
      },
      /family/,
    ],
    [
      "a skeptic of an unknown family",
      { ...FILE, deliberation: { gardener_model: "sim/ada?family=oak", skeptic_model: "sim/ben" } },
      /of which family/,
    ],
    [
      "bare names without models",
      { ...FILE, deliberation: { gardener_model: "kimi", skeptic_model: "deepseek" } },
      /kimi is no model.*\nTry: say which/,
    ],
    ["an unknown gate", { ...FILE, gates: { G33: {} } }, /no gate "G33".*\nTry: the nearest is G3/],
    ["an unknown domain", { ...FILE, domain: "factros" }, /domain/],
    ["a soil that is not there", { ...FILE, soil: { file: "none.csv" } }, /cannot be used/],
    ["a soil outside of the folder", { ...FILE, soil: { file: "../../x.csv" } }, /cannot be used/],
  ])("of %s is refused before any call (FORESTFILE-2)", async (_, file, says) => {
    await using place = somewhere();
    await planted(place, file);
    const { code, stderr } = await place.run(["forest", "cycle"]);
    expect(stderr).toMatch(says);
    expect(isProblem(stderr)).toBe(true);
    expect(code).toBe(2);
    expect((await place.run(["list", "--json"])).stdout.trim()).toBe("[]");
  });

  it("in an empty folder says how to plant", async () => {
    await using place = somewhere();
    mkdirSync(join(place.cwd, "empty"));
    for (const command of ["cycle", "show", "report", "seeds"]) {
      const { code, stderr } = await place.runIn("empty", ["forest", command]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/Try: /)]);
    }
    const twice = await place.run(["forest", "init", "--yes"]);
    expect(twice.code).toBe(0);
    expect((await place.run(["forest", "init", "--yes"])).code).toBe(2);
  });
});
