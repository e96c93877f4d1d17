import { extname } from "node:path";
import * as z from "zod";
import { checkedFile, readFolderYaml, stem, type FolderFile, filesOf, foldersOf } from "./named-files.ts";
import { looksLikePath, toOneLine, refuse, quoteValue, displayPath, readTextFile } from "./text-file.ts";
import type { YamlFile } from "./yaml.ts";
import { findNearest } from "../text/words.ts";
import { toAbsolute, type FileContext } from "./paths.ts";

/** `risk_averse`, `Risk Averse` and `risk-averse` are one name. */
function strategyName(written: string): string {
  return written
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}

/** The lens under which a chair synthesises. */
export type StrategyText = {
  readonly name: string;
  readonly description: string;
  /** With `{{goal}}` where the goal belongs. */
  readonly directive: string;
  /** What the chair is quoteValue besides drafts and reviews. */
  readonly sees: readonly "standing"[];
  readonly needsGoal: boolean;
};

const MAX_DIRECTIVE_LENGTH = 50_000;
const directive = z.string().trim().min(1).max(MAX_DIRECTIVE_LENGTH);

const StrategyFile = z.strictObject({
  /** By default the file's. */
  name: z.string().trim().min(1).optional(),
  description: z.string().trim().max(500).default(""),
  directive,
  sees: z.array(z.enum(["standing"])).default([]),
  /** By default whether the directive speaks of `{{goal}}`. */
  "needs-goal": z.boolean().optional(),
});

/** A file of several prompts, of which one is the chair's. */
const SystemPrompts = z.looseObject({ consensus_prompt: directive });

const FORM = "a strategy has a directive, and may have a name, a description, sees and needs-goal";

/** @throws Fault `configuration` */
function readStrategy(file: Pick<FolderFile, "path" | "data">): StrategyText {
  const { path } = file;
  const strategy =
    extname(path).toLowerCase() === ".md" ? fromMarkdown(path) : fromYaml(readFolderYaml(file, "strategy"));
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(strategy.name)) {
    const next = "name it in up to 60 letters, digits and dashes (name: in YAML, or the file's own name)";
    throw refuse(`${displayPath(path)}: ${quoteValue(strategy.name)} cannot name a strategy`, next);
  }
  const [slot] = strategy.directive.match(/\{\{(?!goal\}\})[^{}]*\}\}/) ?? [];
  if (slot !== undefined) {
    throw refuse(
      `${displayPath(path)}: nothing fills ${toOneLine(slot, 60)}`,
      "a directive can only speak of {{goal}}",
    );
  }
  return strategy;
}

function fromMarkdown(path: string): StrategyText {
  const text = readTextFile({ path, kind: "strategy", maxBytes: MAX_DIRECTIVE_LENGTH }).trim();
  if (text === "") throw refuse(`the strategy ${displayPath(path)} is empty`, "write the directive into it");
  return complete({ name: stem(path), description: "", directive: text, sees: [] }, undefined);
}

function fromYaml(file: YamlFile): StrategyText {
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

function complete(strategy: Omit<StrategyText, "needsGoal">, needsGoal: boolean | undefined): StrategyText {
  return {
    ...strategy,
    name: strategyName(strategy.name),
    needsGoal: needsGoal ?? strategy.directive.includes("{{goal}}"),
  };
}

export type StrategyEntry = FolderFile & { readonly name: string };
export type LoadedStrategy = StrategyText & {
  readonly from: StrategyEntry["from"] | "file";
  readonly path: string;
};
export type StrategyRequest = FileContext & { readonly goal?: string | undefined };

/**
 * The strategy of a name (`risk-averse`, `Risk Averse`), or in a file: YAML, or markdown that is the directive
 * as it stands. Its directive keeps `{{goal}}`, which whoever renders it fills with the goal.
 * @throws Fault `configuration` for an unknown name (with the nearest), an invalid file, or a missing goal
 */
export function loadStrategy(nameOrFile: string, { goal, ...place }: StrategyRequest): LoadedStrategy {
  const loaded = looksLikePath(nameOrFile) ? fromFile(nameOrFile, place) : byName(nameOrFile, place);
  if (loaded.needsGoal && (goal ?? "").trim() === "") {
    throw refuse(
      `the strategy ${loaded.name} needs a goal`,
      'say what to seek: --goal "…", or goal: in parley.yaml',
    );
  }
  return loaded;
}

/** Every strategy that is to be had by name, without reading it; the strongest place's of each name. */
export function listStrategies(place: FileContext): readonly StrategyEntry[] {
  const found = new Map<string, StrategyEntry>();
  for (const folder of foldersOf("strategies", place)) {
    for (const file of filesOf(folder, [".yaml", ".yml", ".md"])) {
      const { from, path } = file;
      const name = strategyName(stem(path));
      const other = found.get(name);
      if (other?.from === from)
        throw refuse(`the strategy ${name} is in two files: ${path}, ${other.path}`, "remove one");
      if (!other) found.set(name, { ...file, name });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fromFile(file: string, place: FileContext): LoadedStrategy {
  const path = toAbsolute(file, place);
  return { ...readStrategy({ path }), from: "file", path };
}

function byName(written: string, place: FileContext): LoadedStrategy {
  const name = strategyName(written);
  const known = listStrategies(place);
  const entry = known.find((one) => one.name === name);
  if (entry) return { ...readStrategy(entry), name, from: entry.from, path: entry.path };
  const names = known.map((one) => one.name);
  const next = `the nearest is ${findNearest(name, names)}; there are ${names.join(", ")}, or name a file (.yaml, .md)`;
  throw refuse(`there is no strategy ${quoteValue(written)}`, next);
}
