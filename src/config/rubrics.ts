import { Rubric } from "../kernel/index.ts";
import { explainIssue } from "./explain.ts";
import { checkedFile, filesOf, foldersOf, readFolderYaml, stem, type FolderFile } from "./named-files.ts";
import { findNearest } from "../text/words.ts";
import { toAbsolute, type FileContext } from "./paths.ts";
import { looksLikePath, toOneLine, refuse, quoteValue } from "./text-file.ts";

export type RubricReading =
  { readonly ok: true; readonly rubric: Rubric } | { readonly ok: false; readonly reason: string };

/**
 * A rubric written as a block of text, as LoCAL2's `critic.yaml` has it: `[criteria]`, then `Score 1: …` to `Score 5: …`, each
 * once and in any order. A line that begins none of them goes on with the one before it.
 */
export function parseRubricText(text: string, name: string): RubricReading {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const parts = new Map<string, string>();
  let last: string | undefined;
  for (const line of lines.filter((one) => one !== "")) {
    const [, score, rest = ""] = /^score\s*(\d+)\s*:(.*)$/i.exec(line) ?? [];
    const part = score ?? (last === undefined ? "criteria" : undefined);
    if (part === undefined) {
      if (last !== undefined) parts.set(last, `${parts.get(last) ?? ""} ${line}`.trim());
      continue;
    }
    if (parts.has(part)) return { ok: false, reason: `it has two lines "Score ${part}: …"` };
    parts.set(part, score === undefined ? line : rest.trim());
    last = part;
  }
  const [, criteria] = /^\[(.*)\]$/.exec(parts.get("criteria") ?? "") ?? [];
  if (criteria === undefined)
    return { ok: false, reason: "it does not begin with its criteria in brackets: […]" };
  const scores = [...parts.keys()].filter((part) => part !== "criteria");
  const missing = SCORES.find((score) => !scores.includes(score));
  if (missing !== undefined) return { ok: false, reason: `it has no line "Score ${missing}: …"` };
  const more = scores.find((score) => !SCORES.includes(score));
  if (more !== undefined)
    return { ok: false, reason: `it has a line "Score ${more}: …", and grades go from 1 to 5` };
  const anchors = Object.fromEntries(SCORES.map((score) => [score, parts.get(score)]));
  const read = Rubric.safeParse({ name, criteria, anchors }, { reportInput: true });
  if (read.success) return { ok: true, rubric: read.data };
  const { path, say } = explainIssue(Rubric, read.error);
  return { ok: false, reason: say(path.join(".")) };
}

const SCORES: readonly string[] = ["1", "2", "3", "4", "5"];

/** The rubric of those who name none. */
export const DEFAULT_RUBRIC = "answer-quality";

const FORM =
  "a rubric has a name, criteria (a line) and anchors: {1: a line, 2: …, 5: a line}, one for each grade";

/**
 * A rubric by its name (a file `NAME.yaml` in a `rubrics` folder of the project's `.parley`, of the user's settings, or
 * built in) or in a file of YAML.
 * @throws Fault `configuration` for an unknown name (with the nearest), or a file that is no rubric
 */
export function loadRubric(nameOrFile: string, place: FileContext): Rubric {
  if (looksLikePath(nameOrFile)) return readRubric({ path: toAbsolute(nameOrFile, place) });
  const files = foldersOf("rubrics", place).flatMap((folder) => filesOf(folder, [".yaml", ".yml"]));
  const found = files.find(({ path }) => stem(path) === nameOrFile);
  if (found !== undefined) return readRubric(found);
  const names = [...new Set(files.map(({ path }) => stem(path)))].sort();
  const next = `the nearest is ${findNearest(nameOrFile, names)}; there are ${names.join(", ")}, or name a file (.yaml)`;
  throw refuse(`there is no rubric ${quoteValue(nameOrFile)}`, toOneLine(next, 300));
}

function readRubric(file: Pick<FolderFile, "path" | "data">): Rubric {
  return checkedFile(readFolderYaml(file, "rubric"), Rubric, FORM);
}
