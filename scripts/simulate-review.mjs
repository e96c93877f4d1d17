// node --import tsx scripts/simulate-review.mjs: what the rule of `parley review` does with reviewers of a given skill. A simulation: no
// model is asked, and reviewers err independently of each other, which models do not. Prints the tables of docs/guides/review.md.
import { decide } from "../src/features/review/protocol/verdict.ts";
import { ReviewRules } from "../src/features/review/protocol/work.ts";

const TRIALS = 20_000;

/** Numbers from 0 to 1, the same on every run (mulberry32). @param {number} seed */
function numbersFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The shares of verdicts over many changes. `skill`: how probably a reviewer is right about one claim, its own or another's;
 * `alarms`: how probably it raises a fault that is none; `obeying`: how many find nothing, reject everything and withdraw.
 * @param {{ size: number, confirmations: number, skill: number, alarms: number, obeying: number, isFault: boolean }} scene
 */
function simulate({ size, confirmations, skill, alarms, obeying, isFault }) {
  const chance = numbersFrom(
    Math.round(1_000 * (size + skill * 7 + alarms * 13 + obeying * 31)) + (isFault ? 1 : 0),
  );
  const rules = ReviewRules.parse({ confirmations });
  const names = Array.from({ length: size }, (_, nth) => `r${nth}`);
  const honest = names.slice(obeying);
  const counts = { block: 0, inconclusive: 0, pass: 0 };
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const raisers = honest.filter(() => chance() < (isFault ? skill : alarms));
    const finding = {
      file: "a.ts",
      from: 1,
      to: 1,
      severity: "major",
      kind: "correctness",
      title: "",
      why: "",
    };
    const findings =
      raisers.length === 0
        ? []
        : [{ ...finding, id: "f1", raised: raisers.map((by) => ({ ...finding, by })) }];
    const said = findings.length === 0 ? [] : names.filter((name) => !raisers.includes(name));
    const checks = said.map((by) => {
      const isRight = chance() < skill;
      const verdict = honest.includes(by) && isRight === isFault ? "confirm" : "reject";
      return { by, finding: "f1", verdict, why: "" };
    });
    const stands = raisers.map((by) => {
      const stand = chance() < skill === isFault ? "keep" : "withdraw";
      return { by, finding: "f1", stand, why: "" };
    });
    const evidence = { findings, checks, stands, reviewers: names, unseen: [] };
    counts[decide(/** @type {any} */ (evidence), rules).verdict] += 1;
  }
  return counts;
}

/** @param {number} count */
const percent = (count) => `${((100 * count) / TRIALS).toFixed(1)} %`;
/** @param {readonly (string | number)[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`;

/** @param {string} title @param {readonly Omit<Parameters<typeof simulate>[0], "isFault">[]} scenes */
function table(title, scenes) {
  const heads = [
    "reviewers",
    "confirmations",
    "skill",
    "obey",
    "fault: blocked",
    "not decided",
    "passes",
    "clean: blocked",
    "not decided",
    "passes",
  ];
  const lines = scenes.map((scene) => {
    const [fault, clean] = [true, false].map((isFault) => simulate({ ...scene, isFault }));
    const of = (/** @type {ReturnType<typeof simulate> | undefined} */ counts) =>
      [counts?.block ?? 0, counts?.inconclusive ?? 0, counts?.pass ?? 0].map(percent);
    return row([scene.size, scene.confirmations, scene.skill, scene.obeying, ...of(fault), ...of(clean)]);
  });
  return [title, "", row(heads), row(heads.map(() => "---")), ...lines, ""].join("\n");
}

const panels = [
  { size: 2, confirmations: 1 },
  { size: 3, confirmations: 1 },
  { size: 5, confirmations: 1 },
  { size: 5, confirmations: 2 },
];
const usual = [0.5, 0.7, 0.9].flatMap((skill) =>
  panels.map((panel) => ({ ...panel, skill, alarms: 0.1, obeying: 0 })),
);
const hostile = [1, 2].flatMap((obeying) =>
  panels.slice(1).map((panel) => ({ ...panel, skill: 0.7, alarms: 0.1, obeying })),
);
process.stdout.write(
  `${table("Reviewers of a skill", usual)}\n${table("Some obey what they read", hostile)}`,
);
