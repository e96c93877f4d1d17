import { nearest } from "./nearest.ts";
import { filesIn, foldersOf, stem, type Folder } from "./overrides.ts";
import type { Place } from "./paths.ts";
import { refuse } from "./refusal.ts";
import { fileName, readTextFile } from "./text-file.ts";

export type LoadedTemplate = { readonly text: string; readonly from: Folder["from"]; readonly path: string };

const MOST_BYTES = 200_000;

/**
 * Prompt templates by name: built in, or the file `NAME.md` in a `prompts` folder of the project's `.parley` or
 * of the user's settings. Whether their slots are right is for whoever renders them to say.
 * @throws Fault `configuration` for a name without a template, an unreadable or empty file, or an override of nothing
 */
export function loadTemplates(
  names: readonly string[],
  place: Place,
): Readonly<Record<string, LoadedTemplate>> {
  const folders = foldersOf("prompts", place).map(({ from, path }) => ({
    from,
    files: filesIn(path, [".md"]),
  }));
  const known = folders.flatMap(({ from, files }) => (from === "built-in" ? files.map(stem) : []));
  for (const path of folders.flatMap(({ from, files }) => (from === "built-in" ? [] : files))) {
    if (known.includes(stem(path))) continue;
    const next = `the nearest is ${nearest(stem(path), known)}.md; rename or remove the file`;
    throw refuse(`${fileName(path)} overrides no prompt`, next);
  }
  const load = (name: string): LoadedTemplate => {
    for (const { from, files } of folders) {
      const path = files.find((file) => stem(file) === name);
      if (path === undefined) continue;
      const text = readTextFile({ path, kind: "prompt", mostBytes: MOST_BYTES });
      if (text.trim() === "")
        throw refuse(`the prompt ${fileName(path)} is empty`, "write it, or remove the file");
      return { text, from, path };
    }
    throw refuse(`there is no prompt ${fileName(name)}`, `the nearest is ${nearest(name, known) ?? "none"}`);
  };
  return Object.fromEntries(names.map((name) => [name, load(name)]));
}
