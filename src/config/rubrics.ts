import { Rubric } from "../kernel/index.ts";
import { checkedFile } from "./checked-file.ts";
import { nearest } from "./nearest.ts";
import { filesIn, foldersOf, stem } from "./overrides.ts";
import { absolute, type Place } from "./paths.ts";
import { oneLine, refuse, shown } from "./refusal.ts";
import { readYaml } from "./yaml.ts";

/** The rubric of those who name none. */
export const DEFAULT_RUBRIC = "answer-quality";

const FORM =
  "a rubric has a name, criteria (a line) and anchors: {1: a line, 2: …, 5: a line}, one for each grade";

/**
 * A rubric by its name (a file `NAME.yaml` in a `rubrics` folder of the project's `.parley`, of the user's settings, or
 * built in) or in a file of YAML.
 * @throws Fault `configuration` for an unknown name (with the nearest), or a file that is no rubric
 */
export function loadRubric(nameOrFile: string, place: Place): Rubric {
  if (/[/\\]|\.ya?ml$/i.test(nameOrFile)) return readRubric(absolute(nameOrFile, place));
  const files = foldersOf("rubrics", place).flatMap(({ path }) => filesIn(path, [".yaml", ".yml"]));
  const found = files.find((path) => stem(path) === nameOrFile);
  if (found !== undefined) return readRubric(found);
  const names = [...new Set(files.map(stem))].sort();
  const next = `the nearest is ${nearest(nameOrFile, names)}; there are ${names.join(", ")}, or name a file (.yaml)`;
  throw refuse(`there is no rubric ${shown(nameOrFile)}`, oneLine(next, 300));
}

const readRubric = (path: string): Rubric => checkedFile(readYaml(path, "rubric"), Rubric, FORM);
