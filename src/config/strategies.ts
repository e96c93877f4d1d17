import { extname } from "node:path";
import * as z from "zod";
import { quoteValue, toOneLine } from "../text/words.ts";
import {
  checkedFile,
  collectNamed,
  findNamed,
  foldersOf,
  readFolderYaml,
  stem,
  type FolderFile,
} from "./named-files.ts";
import { toAbsolute, type FileContext } from "./paths.ts";
import { displayPath, looksLikePath, readTextFile, refuse } from "./text-file.ts";
import { isMapping } from "./yaml.ts";

/** `risk_averse`, `Risk Averse` and `risk-averse` are one name. */
function strategyName(written: string): string {
  return written
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}

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

type StrategySource = Pick<FolderFile, "path" | "data" | "text">;

/** A strategy's fields as its file has them: YAML, a file of several prompts, or Markdown that is the directive. */
function readFields(file: StrategySource): z.input<typeof StrategyFile> {
  const { path } = file;
  if (extname(path).toLowerCase() === ".md") {
    const given = file.text ?? readTextFile({ path, kind: "strategy", maxBytes: MAX_DIRECTIVE_LENGTH });
    const text = given.trim();
    if (text === "")
      throw refuse(`the strategy ${displayPath(path)} is empty`, "write the directive into it");
    return { directive: text };
  }
  const yaml = readFolderYaml(file, "strategy");
  if (isMapping(yaml.value) && Object.hasOwn(yaml.value, "consensus_prompt")) {
    const prompts = checkedFile(yaml, SystemPrompts, "consensus_prompt is a text");
    const foreign = prompts.consensus_prompt.match(/(?<!\{)\{(?!(?:goal|count)\})[a-z][a-z_]*\}(?!\})/)?.[0];
    if (foreign !== undefined)
      throw refuse(
        `${yaml.place(["consensus_prompt"], "value")}: nothing fills ${toOneLine(foreign, 60)}`,
        "leave it out: the chair is shown the question, the drafts and the reviews; {goal} and {count} are filled",
      );
    return { directive: prompts.consensus_prompt.replaceAll(/(?<!\{)\{goal\}(?!\})/g, "{{goal}}") };
  }
  return checkedFile(yaml, StrategyFile, FORM);
}

/** The lens under which a chair synthesizes. @throws Fault `configuration` */
export function readStrategy(file: StrategySource) {
  const {
    name: written = stem(file.path),
    description = "",
    directive: given,
    sees = [],
    ...rest
  } = readFields(file);
  // Accordant writes one brace.
  const directive = given.replaceAll(/(?<!\{)\{count\}(?!\})/g, "{{count}}");
  const name = strategyName(written);
  if (!/^[a-z0-9][a-z0-9-]{0,59}$/.test(name)) {
    const next = "name it in up to 60 letters, digits and dashes (name: in YAML, or the file's own name)";
    throw refuse(`${displayPath(file.path)}: ${quoteValue(name)} cannot name a strategy`, next);
  }
  const [slot] = directive.match(/\{\{(?!(?:goal|count)\}\})[^{}]*\}\}/) ?? [];
  if (slot !== undefined) {
    const why = `${displayPath(file.path)}: nothing fills ${toOneLine(slot, 60)}`;
    throw refuse(why, "a directive can only speak of {{goal}} and {{count}}");
  }
  return {
    name,
    description,
    /** With `{{goal}}` where the goal belongs, and `{{count}}` where the number of answers does. */
    directive,
    /** What the chair is shown besides drafts and reviews. */
    sees,
    needsGoal: rest["needs-goal"] ?? directive.includes("{{goal}}"),
  };
}

export type StrategyEntry = FolderFile & { readonly name: string };
export type LoadedStrategy = ReturnType<typeof readStrategy> & {
  readonly from: StrategyEntry["from"] | "file";
  readonly path: string;
};
export type StrategyRequest = FileContext & { readonly goal?: string | undefined };

/**
 * The strategy of a name (`risk-averse`, `Risk Averse`), or in a file: YAML, or Markdown that is the directive
 * as it stands. Its directive keeps `{{goal}}`, which whoever renders it fills with the goal.
 * @throws Fault `configuration` for an unknown name (with the nearest), an invalid file, or a missing goal
 */
export function loadStrategy(nameOrFile: string, { goal, ...place }: StrategyRequest): LoadedStrategy {
  const loaded = looksLikePath(nameOrFile) ? loadFile(nameOrFile, place) : loadNamed(nameOrFile, place);
  if (loaded.needsGoal && (goal ?? "").trim() === "")
    throw refuse(`the strategy ${loaded.name} needs a goal`, "set goal, e.g. goal: fewest outages");
  return loaded;
}

function collectStrategies(place: FileContext): ReadonlyMap<string, FolderFile> {
  const folders = foldersOf("strategies", place);
  return collectNamed("strategies", folders, (file) => [strategyName(stem(file.path)), file]);
}

/** Every strategy that has a name, without reading it; of a name that several folders have, the strongest folder's. */
export function listStrategies(place: FileContext): readonly StrategyEntry[] {
  return [...collectStrategies(place)].map(([name, file]) => ({ ...file, name }));
}

function loadFile(file: string, place: FileContext): LoadedStrategy {
  const path = toAbsolute(file, place);
  return { ...readStrategy({ path }), from: "file", path };
}

function loadNamed(written: string, place: FileContext): LoadedStrategy {
  const name = strategyName(written);
  const file = findNamed("strategies", collectStrategies(place), { written, name, files: ".yaml, .md" });
  return { ...readStrategy(file), name, from: file.from, path: file.path };
}
