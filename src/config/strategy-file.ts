import { extname } from "node:path";
import * as z from "zod";
import { checkedFile } from "./checked-file.ts";
import { stem } from "./overrides.ts";
import { oneLine, refuse, shown } from "./refusal.ts";
import { strategyName } from "./strategy-name.ts";
import { fileName, readTextFile } from "./text-file.ts";
import { readYaml, type YamlFile } from "./yaml.ts";

/** The lens under which a chair synthesises. */
export type Strategy = {
  readonly name: string;
  readonly description: string;
  /** With `{{goal}}` where the goal belongs. */
  readonly directive: string;
  /** What the chair is shown besides drafts and reviews. */
  readonly sees: readonly "standing"[];
  readonly needsGoal: boolean;
};

const MOST = 50_000;
const directive = z
  .string()
  .trim()
  .min(1, "nothing is written here")
  .max(MOST, `more than ${MOST} characters`);

const StrategyFile = z.strictObject({
  /** By default the file's. */
  name: z.string().trim().min(1, "nothing is written here").optional(),
  description: z.string().trim().max(500, "more than 500 characters").default(""),
  directive,
  sees: z.array(z.enum(["standing"])).default([]),
  /** By default whether the directive speaks of `{{goal}}`. */
  "needs-goal": z.boolean().optional(),
});

/** A file of several prompts, of which one is the chair's. */
const SystemPrompts = z.looseObject({ consensus_prompt: directive });

const FORM = "a strategy has a directive, and may have a name, a description, sees and needs-goal";

/** @throws Fault `configuration` */
export function readStrategy(path: string): Strategy {
  const strategy =
    extname(path).toLowerCase() === ".md" ? fromMarkdown(path) : fromYaml(readYaml(path, "strategy"));
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(strategy.name)) {
    const next = "name it in up to 60 letters, digits and dashes (name: in YAML, or the file's own name)";
    throw refuse(`${fileName(path)}: ${shown(strategy.name)} cannot name a strategy`, next);
  }
  const [slot] = strategy.directive.match(/\{\{(?!goal\}\})[^{}]*\}\}/) ?? [];
  if (slot !== undefined) {
    throw refuse(
      `${fileName(path)}: nothing fills ${oneLine(slot, 60)}`,
      "a directive can only speak of {{goal}}",
    );
  }
  return strategy;
}

const fromMarkdown = (path: string): Strategy => {
  const text = readTextFile({ path, kind: "strategy", mostBytes: MOST }).trim();
  if (text === "") throw refuse(`the strategy ${fileName(path)} is empty`, "write the directive into it");
  return complete({ name: stem(path), description: "", directive: text, sees: [] }, undefined);
};

function fromYaml(file: YamlFile): Strategy {
  const { path, value } = file;
  if (typeof value === "object" && value !== null && Object.hasOwn(value, "consensus_prompt")) {
    const prompts = checkedFile(file, SystemPrompts, "consensus_prompt is a text");
    return complete(
      { name: stem(path), description: "", directive: prompts.consensus_prompt, sees: [] },
      undefined,
    );
  }
  const { name = stem(path), "needs-goal": needsGoal, ...rest } = checkedFile(file, StrategyFile, FORM);
  return complete({ name, ...rest }, needsGoal);
}

const complete = (strategy: Omit<Strategy, "needsGoal">, needsGoal: boolean | undefined): Strategy => ({
  ...strategy,
  name: strategyName(strategy.name),
  needsGoal: needsGoal ?? strategy.directive.includes("{{goal}}"),
});
