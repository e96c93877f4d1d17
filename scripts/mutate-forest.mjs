// npm run mutate:forest: removes the rules of the forest one after the other, in a copy, and shows that a test notices.
// Exits 1 where one is not noticed, or where its text has changed.
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./root.mjs";

/** @typedef {{ what: string, file: string, find: string, to: string }} Mutation */

/** @param {string} file @param {readonly (readonly [what: string, find: string, to: string])[]} rows @returns {Mutation[]} */
const of = (file, rows) =>
  rows.map(([what, find, to]) => ({ what, file: `src/features/forest/protocol/${file}.ts`, find, to }));

const MUTATIONS = [
  ...of("validation", [
    [
      "FOREST-a: a fruit needs a record",
      'if (record === null) return fail("a fruit has no gate record"',
      'if (record === null) return; fail("a fruit has no gate record"',
    ],
    ["FOREST-a: a fruit's record is complete", "if (!isComplete(record, spec))", "if (false)"],
    ["FOREST-a: a fruit was executed by a tool", 'if (mode !== "tool_executed")', "if (false)"],
    ["FOREST-a: so were its gates", 'if (execution_mode !== "tool_executed")', "if (false)"],
    ["FOREST-b: a stub is no fruit", 'if (mode === "stub_result")', "if (false)"],
    ["FOREST-c: weather has a reason", 'if (reason.trim() === "")', "if (false)"],
    ["FOREST-d: a result says how it was executed", "if ((mode as unknown) == null)", "if (false)"],
    ["FOREST-e: allocations come to 1", "if (sum > 1 + ROUNDING)", "if (false)"],
    [
      "FOREST-e: no tree has more than its share",
      "if (allocation > max_tree_share + ROUNDING)",
      "if (false)",
    ],
    ["FOREST-f: depth", "if (depth > max)", "if (false)"],
    [
      "FOREST-g: a sick leaf is blocked",
      'if (classification === "sick_leaf" && !result.blocked_from_reuse)',
      "if (false)",
    ],
  ]),
  ...of("weather", [
    ["wildfire", "if (isWarnedOf(forest, tree))", "if (false)"],
    ["a freeze lasts", "if (left > 0) return", "if (false) return"],
    [
      "and ends with a cycle of grace",
      'const isThawed = tree.status === "frozen";',
      "const isThawed = false;",
    ],
    ["spring", "if (cycle > 0 && cycle % interval === 0 && isReady)", "if (false)"],
    ["frost", 'if (!isReady || prior("leakage_risk"))', "if (false)"],
    ["thunderstorm", "streak.dead >= config.thunderstorm_dead_cycles && count.golden_leaf === 0", "false"],
    ["heatwave", "streak.zero >= config.heatwave_zero_cycles && count.golden_leaf > 0", "false"],
    ["fog", 'if (count.golden_leaf > 0 && count.dead_leaf > 0 && !prior("monotone_trend"))', "if (false)"],
    ["wind", 'if (prior("cross_tree_seed") || hasCrossTreeSeed(forest, tree))', "if (false)"],
    [
      "flood",
      'if (shareOf(count.fruit, total_fruits) > config.flood_dominance)\n    return event("flood"',
      'if (false)\n    return event("flood"',
    ],
    ["drought", "if (isNeglected(tree, cycle, rules))", "if (false)"],
    ["heavy rain", "if (isMoist || count.fruit >= 2)", "if (false)"],
    ["rain", 'if (count.fruit > 0 || count.golden_leaf > 0 || prior("solid_direction"))', "if (false)"],
    ["monsoon", "if (isMonsoon) {", "if (false) {"],
    ["the depth cap", "  capDepth(sky, forest, climate);\n", ""],
    ["the diversity tax", "  taxFlood(sky, forest, rules);\n", ""],
    ["the budget of slots", "  normalize(sky, rules);\n", ""],
    ["what is guaranteed is cut last", "/guaranteed|diversity tax/.test(reason)", "/never/.test(reason)"],
  ]),
  ...of("seeds", [
    ["risks count against a seed", "leakage_risk: -0.2,", "leakage_risk: 0.2,"],
    ["novelty counts", "novelty: 0.25,\n  logic_strength", "novelty: 0.2,\n  logic_strength"],
    [
      "ranking is by score",
      "(other.seed_score ?? 0) - (one.seed_score ?? 0) || (one.seed_id",
      "0 || (one.seed_id",
    ],
    ["no more are sown than there are slots", 'index < slots ? "sow_now" : "hold"', '"sow_now"'],
    ["retired seeds stay retired", "isRetired(seed) ? seed : withStatus", "withStatus"],
    ["leaks are quarantined", "!isRetired(seed) && !leaks(seed)", "!isRetired(seed)"],
    [
      "nursery: leakage",
      'if (leakage > quarantine_threshold) return decide("quarantine"',
      'if (false) return decide("quarantine"',
    ],
    ["nursery: tree", "if (!isLinked) return", "if (false) return"],
    ["nursery: redundancy", "if (redundancy >= 0.9 || (novelty < 0.25 && redundancy > 0.7))", "if (false)"],
    ["nursery: data", 'if (data < 0.3 || forest.data_soil["ready"] === false)', "if (false)"],
    ["nursery: plan and cost", 'if (seed.validation_plan.trim() === "" || cost > 0.9)', "if (false)"],
    ["nursery: logic", "if (logic < 0.2) return", "if (false) return"],
  ]),
  ...of("classification", [
    ["leaks first", "if (sick !== undefined)", "if (false)"],
    ["only what a tool executed", "if (!isExecuted(record))", "if (false)"],
    ["every hard gate", "passed.length === hard.length", "passed.length > 0"],
    ["alignment 1 at least", "score !== null && score >= 1 && isComplete", "score !== null && isComplete"],
    ["a complete record", "score >= 1 && isComplete(record, spec)", "score >= 1"],
    ["a true reason without alignment", "  if (isWhole) {", "  if (false) {"],
    ["boundaries", "if (isBoundary(record, passed.length > 0))", "if (false)"],
    ["dead leaves", "if (passed.length === 0 && !Object.values(record.gates).some(hasSignal))", "if (false)"],
  ]),
  ...of("growth", [
    ["merged by id", "one.tree_id < other.tree_id ? -1 : 1", "one.tree_id < other.tree_id ? 1 : -1"],
    [
      "shares stay below the most",
      "Math.min(allocation / slots, forest.climate.max_tree_share)",
      "allocation / slots",
    ],
    ["a tested seed is retired", "return { ...seed, evaluated_cycle: cycle,", "return { ...seed,"],
    ["a fruit promotes a seed", 'seeds: kind === "fruit" ? withPromotion(seeds, tree_id) : seeds,', "seeds,"],
    [
      "a golden leaf is pooled",
      'kind === "golden_leaf" ? [...forest.golden_leaf_pool, note] : forest.golden_leaf_pool',
      "forest.golden_leaf_pool",
    ],
    ["a sick leaf warns", 'kind === "sick_leaf"\n        ? [', 'kind === "fruit"\n        ? ['],
    ["a fruit brings moisture", "moisture: 1, clear_next_validation: true", "clear_next_validation: true"],
    [
      "a sick leaf brings frost",
      'if (kind === "sick_leaf") return { ...tree, branches, status: "frost" };',
      "",
    ],
    ["a dead leaf brings drought", 'if (kind === "dead_leaf") return', "if (false) return"],
    ["depth is capped", "Math.min(max, 1 + Math.max(", "Math.min(99, 1 + Math.max("],
  ]),
  ...of("debate", [
    ["rounds are bounded", "round <= most && active.length > 0", "round <= most + 1 && active.length > 0"],
    [
      "only a severe rejection culls",
      'return verdict === "reject" && isSevere ? "cull" : "revise";',
      'return verdict === "reject" ? "cull" : "revise";',
    ],
    [
      "what may proceed is settled",
      'if (verdict === "proceed") return "proceed";',
      'if (verdict === "proceed") return "revise";',
    ],
    ["leftovers are kept", "mechanisms: [...settled, ...active] };", "mechanisms: [...settled] };"],
    [
      "a single pass calls no skeptic",
      "if (desk.context.settings.deliberation.max_debate_rounds === 0) return table;",
      "",
    ],
    [
      "only fruit candidates are challenged again",
      "if (!isFruitCandidate(record, desk.spec)) return candidate;",
      "",
    ],
  ]),
  ...of("examination", [
    [
      "the whole battery",
      "for (const gate of examined) outcomes",
      "for (const gate of examined.slice(0, 1)) outcomes",
    ],
    ["gates say what they measured", 'outcome: metrics.passed ? "passed" : "failed"', 'outcome: "passed"'],
    [
      "nobody is asked about what failed",
      "if (!by || !gate || !isFruitCandidate(record, desk.spec)) return candidate;",
      "if (!by || !gate) return candidate;",
    ],
    [
      "what was not executed is no evidence",
      'if (execution_mode !== "tool_executed" && isFruitCandidate(record, spec))',
      "if (false)",
    ],
    ["a plan examines nothing", 'if (execution_mode === "plan_only")', "if (false)"],
  ]),
  ...of("selection", [
    [
      "what was explored is redundant",
      'const isRepeated = plan !== "" && tried.has(plan);',
      "const isRepeated = false;",
    ],
    ["the bank has its share", ".slice(0, Math.ceil(share * slots))", ".slice(0, 0)"],
    [
      "what does not compile has no plan",
      'const plan = result?.ok ? result.text : "";',
      'const plan = result?.ok ? result.text : "broken";',
    ],
  ]),
  ...of("family", [
    [
      "a skeptic of the gardener's family",
      "if (gardener.family !== skeptic.family) return undefined;",
      "return undefined;",
    ],
    ["a skeptic of an unknown family", "  if (unknown)\n", "  if (false)\n"],
  ]),
  ...of("index", [
    [
      "trees in the order of their ids",
      "return chosen.toSorted((one, other) => (one.tree_id < other.tree_id ? -1 : 1));",
      "return chosen;",
    ],
    ["no more gardeners at once", "takeTurns(max_concurrent)", "takeTurns(99)"],
    ["a lost step ends the cycle", "if (lost[0]) return failed(lost[0]);", ""],
    ["the pair is checked before any call", "      refuseOneFamily(context);\n", ""],
  ]),
  ...of("evolution", [
    ["no sick parents", '.filter(({ classification }) => classification !== "sick_leaf")', ""],
  ]),
  ...of("settings", [
    ["off unless it is asked for", "mutate: 0, crossover: 0 })", "mutate: 1, crossover: 0 })"],
  ]),
  ...of("replies", [
    ["so many mechanisms, no more and no fewer", "mechanisms.length === count", "mechanisms.length >= 0"],
  ]),
  ...of("history", [
    [
      "the log is in the coordinator's order",
      ".toSorted((one, other) => compareRanks(rankOf(one.key), rankOf(other.key)))",
      "",
    ],
  ]),
];

/** A copy of what the tests need. */
function copy() {
  const folder = mkdtempSync(join(tmpdir(), "parley-mutate-"));
  for (const name of ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts", "scripts"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** The first red test, or undefined where all are green. @param {string} folder @returns {Promise<string | undefined>} */
function firstRed(folder) {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project",
    "src",
    "src/features/forest/protocol",
    "--bail",
    "1",
    "--reporter",
    "default",
  ];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (said += text));
  return new Promise((resolve) => {
    child.once("close", (code) =>
      resolve(
        code === 0
          ? undefined
          : (/^ *(?:×|FAIL) +(.*)$/m.exec(said)?.[1] ?? "the tests did not start").trim(),
      ),
    );
  });
}

const waiting = MUTATIONS.map((mutation, index) => ({ ...mutation, nth: index + 1 }));
let caught = 0;
/** @type {string[]} */
const problems = [];

async function work() {
  const folder = copy();
  try {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const path = join(folder, one.file);
      const text = readFileSync(path, "utf8");
      const times = text.split(one.find).length - 1;
      if (times !== 1) {
        problems.push(`${one.what}: its text stands ${times} times in ${one.file}`);
        continue;
      }
      writeFileSync(
        path,
        text.replace(one.find, () => one.to),
      );
      const red = await firstRed(folder);
      writeFileSync(path, text);
      if (red === undefined) problems.push(`${one.what}: no test notices`);
      else caught += 1;
      process.stdout.write(
        `${red === undefined ? "SURVIVED" : "caught  "} ${one.what}${red === undefined ? "" : `: ${red.slice(0, 120)}`}\n`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, work));
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${caught} of ${MUTATIONS.length} caught\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
