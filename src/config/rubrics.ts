import { Rubric } from "../kernel/index.ts";
import { explainIssue } from "./explain.ts";
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
import { looksLikePath } from "./text-file.ts";

/**
 * A rubric written as a block of text, as LoCAL2's `critic.yaml` has it: `[criteria]`, perhaps with a sentence behind it, then `Score 1: …`
 * to `Score 5: …`, each once and in any order. A line that begins none of them goes on with the one before it.
 */
export function parseRubricText(text: string, name: string) {
  const refused = (reason: string) => ({ ok: false, reason }) as const;
  const parts = new Map<string, string>();
  let last = "";
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    const [, score, rest = ""] = /^score\s*(\d+)\s*:(.*)$/i.exec(line) ?? [];
    if (score === undefined) {
      if (line !== "") parts.set(last, `${parts.get(last) ?? ""} ${line}`.trim());
      continue;
    }
    if (parts.has(score)) return refused(`it has two lines "Score ${score}: …"`);
    parts.set(score, rest.trim());
    last = score;
  }
  const [, inBrackets, behind = ""] = /^\[([^\]]*)\](.*)$/.exec(parts.get("") ?? "") ?? [];
  const criteria = inBrackets === undefined ? undefined : `${inBrackets.trim()}${behind}`;
  if (criteria === undefined) return refused("it does not begin with its criteria in brackets: […]");
  const missing = SCORES.find((score) => !parts.has(score));
  if (missing !== undefined) return refused(`it has no line "Score ${missing}: …"`);
  const more = [...parts.keys()].find((part) => part !== "" && !SCORES.includes(part));
  if (more !== undefined) return refused(`it has a line "Score ${more}: …", and grades go from 1 to 5`);
  const anchors = Object.fromEntries(SCORES.map((score) => [score, parts.get(score)]));
  const read = Rubric.safeParse({ name, criteria, anchors }, { reportInput: true });
  if (read.success) return { ok: true, rubric: read.data } as const;
  const { path, say } = explainIssue(Rubric, read.error);
  return refused(say(path.join(".")));
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
export function loadRubric(nameOrFile: string, place: FileContext, files = rubricFiles(place)): Rubric {
  return looksLikePath(nameOrFile)
    ? readRubric({ path: toAbsolute(nameOrFile, place) })
    : readRubric(findNamed("rubrics", files, { written: nameOrFile, files: ".yaml" }));
}

export const rubricFiles = (place: FileContext): ReadonlyMap<string, FolderFile> =>
  collectNamed("rubrics", foldersOf("rubrics", place), (file) => [stem(file.path), file]);

function readRubric(file: Pick<FolderFile, "path" | "data">): Rubric {
  return checkedFile(readFolderYaml(file, "rubric"), Rubric, FORM);
}
