import type { SimModel, SimScript } from "../../sim/belief.ts";
import { createChance, shortHash, type Chance } from "../../sim/chance.ts";
import type { ShownText } from "../../sim/prompt.ts";

// Whatever a simulated role says follows from what it is shown: a formula in the words of a tree is tried first, anything else is drawn
// from the language.

/** By the forms of the roles' replies. */
const FORMS = [
  ["gardener", '{"mechanisms": ['],
  ["skeptic", '"overfit_risk"'],
  ["inspector", '"lookahead_detected"'],
  ["diverger", '{"candidates": ['],
  ["aligner", '{"score": 0, "reason"'],
] as const;

type ForestTask = {
  readonly role: (typeof FORMS)[number][0];
  /** How many candidates are asked for. */
  readonly count: number;
  /** Every fenced piece; its label begins with its kind. */
  readonly shown: readonly ShownText[];
};

/** What a simulated gardener, skeptic, inspector, diverger or aligner replies. */
export const script: SimScript = ({ own, pieces }) => {
  const [role] = FORMS.find(([, form]) => own.includes(form)) ?? [];
  if (role === undefined) return null;
  const [, count = "1"] = /\bexactly (\d{1,3}) mechanisms\b/.exec(own) ?? [];
  const shown = pieces.map(({ kind, label, text }) => ({
    label: label === "" ? kind : `${kind} ${label}`,
    text,
  }));
  return (model) => play(model, { role, count: Number(count), shown });
};

function play({ parameters }: SimModel, task: ForestTask): string {
  const { name, seed } = parameters;
  const chance = createChance(["forest", name, seed, task.role, task.count, task.shown]);
  switch (task.role) {
    case "gardener":
      return JSON.stringify({ mechanisms: mineTask(task, chance) });
    case "skeptic":
      return JSON.stringify(attack(task, chance));
    case "inspector":
      return JSON.stringify(inspect(chance));
    case "diverger":
      return JSON.stringify({ candidates: diverge(task, chance) });
    case "aligner":
      return JSON.stringify({ score: 2, reason: "[simulated] The evidence fits what was claimed." });
  }
}

const textOf = (shown: readonly ShownText[], kind: string): string =>
  shown.find(({ label }) => label === kind || label.startsWith(`${kind} `))?.text ?? "";

function mineTask({ count, shown }: ForestTask, chance: Chance) {
  const language = textOf(shown, "language");
  const explored = textOf(shown, "explored").split("\n");
  const named = [...textOf(shown, "tree").matchAll(/`([^`\n]{3,400})`/g)].flatMap(
    ([, formula = ""]) => formula,
  );
  const fresh = named.filter((formula) => !explored.includes(formula));
  const isRevision = textOf(shown, "mechanism") !== "";
  return Array.from({ length: count }, (_, index) => {
    const candidate =
      (isRevision ? undefined : fresh[index]) ?? invent(language, chance, `candidate ${index}`);
    return {
      ...{
        name: `[simulated] idea ${shortHash(candidate)}`,
        intuition: `[simulated] What ${firstWords(candidate)} measures may persist.`,
      },
      ...{
        pseudocode: candidate,
        regime_suggestion: "[simulated] any",
        lookahead_risk: "[simulated] none that is known",
      },
    };
  });
}

const firstWords = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 60);

/** A candidate in the form that a language describes: a formula of its operators, a changed function, or one of its examples. */
function invent(language: string, chance: Chance, purpose: string): string {
  const fields = /^fields: (.+)$/m.exec(language)?.[1]?.split(/,\s*/) ?? [];
  const operators = [...language.matchAll(/^([a-z_]+)\(([a-z, ]+)\)(?: windows ([\d ]+))?$/gm)].map(
    ([, name = "", args = "", windows]) => ({
      name,
      arity: args.split(",").length,
      windows: windows?.trim().split(/\s+/),
    }),
  );
  const [field, ...otherFields] = fields;
  const [operator, ...otherOperators] = operators;
  if (field !== undefined && operator) {
    const grow = (depth: number, path: string): string => {
      if (depth === 0) return chance.pick(`${purpose} field ${path}`, [field, ...otherFields]);
      const { name, arity, windows } = chance.pick(`${purpose} operator ${path}`, [
        operator,
        ...otherOperators,
      ]);
      const series = windows ? arity - 1 : arity;
      const args = Array.from({ length: series }, (_, at) => grow(depth - 1, `${path}.${at}`));
      const [window, ...others] = windows ?? [];
      if (window !== undefined) args.push(chance.pick(`${purpose} window ${path}`, [window, ...others]));
      return `${name}(${args.join(", ")})`;
    };
    return grow(1 + Math.floor(2 * chance.roll(`${purpose} depth`)), "0");
  }
  const source = /```js\n([^]*?)\n```/.exec(language.slice(language.lastIndexOf("```js")))?.[1];
  if (source !== undefined)
    return `\`\`\`js\n// ${shortHash(`${purpose} ${chance.roll(purpose)}`)}\n${source}\n\`\`\``;
  const examples =
    language
      .split(/^Examples?:$/m)[1]
      ?.trim()
      .split("\n")
      .filter((line) => line.trim() !== "") ?? [];
  const [first, ...others] = examples;
  return first === undefined
    ? `candidate ${shortHash(purpose)}`
    : chance.pick(purpose, [first, ...others]).trim();
}

function attack({ shown }: ForestTask, chance: Chance) {
  const isCandidate = textOf(shown, "evidence") !== "";
  const roll = chance.roll("verdict");
  const verdict = isCandidate || roll < 0.6 ? "proceed" : roll < 0.9 ? "revise" : "reject";
  return {
    weaknesses: ["[simulated] It may rest on a few days."],
    overfit_risk: chance.pick("risk", ["low", "medium", "high"]),
    alt_explanations: ["[simulated] Chance."],
    lookahead_suspicion: false,
    verdict,
    severity: verdict === "reject" ? "high" : verdict === "revise" ? "medium" : "low",
    gate_amendment: null,
  };
}

const inspect = (chance: Chance) => ({
  logic_consistent: true,
  lookahead_detected: false,
  novelty_score: Math.round(100 * (0.4 + 0.5 * chance.roll("novelty"))) / 100,
  alignment_score: 1 + Math.floor(3 * chance.roll("alignment")),
  validation_cost: "low",
  concerns: "[simulated] None that a test would not show.",
});

function diverge({ shown }: ForestTask, chance: Chance) {
  if (chance.roll("diverge") < 0.5) return [];
  const formula = invent(textOf(shown, "language"), chance, "alternative");
  return [
    {
      name: `[simulated] another ${shortHash(formula)}`,
      formula,
      reason: "[simulated] The same, measured in another way.",
    },
  ];
}
