import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { filesIn } from "./overrides.ts";
import { absolute, type Place } from "./paths.ts";
import { refuse } from "./refusal.ts";
import { fileName } from "./text-file.ts";

/** A run of so many is no slip of the hand. */
const MOST_FILES = 500;

/**
 * The files that words name. A `*` in a file's name, which not every shell resolves, stands for any characters, in files that
 * end in .yaml or .yml, in the order of their names.
 * @throws Fault `configuration` where none fits, or more than 500 do
 */
export function storyFiles(words: readonly string[], place: Place): string[] {
  const files = words.flatMap((word) => {
    const pattern = basename(word);
    if (!pattern.includes("*") || existsSync(absolute(word, place))) return [word];
    const fitting = filesIn(absolute(dirname(word), place), [".yaml", ".yml"])
      .map((path) => basename(path))
      .filter((name) => fits(name, pattern));
    if (fitting.length === 0) throw refuse(`no story fits ${fileName(word)}`, "name a file that is there");
    return fitting.map((name) => join(dirname(word), name));
  });
  if (files.length > MOST_FILES)
    throw refuse(`there are ${files.length} stories, more than ${MOST_FILES}`, "run them in parts");
  return files;
}

/** Whether the parts between the stars stand in the name, in their order, the outer ones at its ends. */
function fits(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
