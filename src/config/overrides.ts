import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { configHome, homeOf, packageRoot, type Place } from "./paths.ts";
import { fileName, unreadable } from "./text-file.ts";

/** Files of one kind and where they come from: what a project says comes before what a user says. */
export type Folder = { readonly from: "project" | "user" | "built-in"; readonly path: string };

/** The folders in which files of a kind (`personas`) are looked for, the strongest first; they need not exist. */
export function foldersOf(
  kind: "personas" | "roles" | "strategies" | "prompts" | "rubrics",
  place: Place,
): readonly Folder[] {
  const project = nearestAbove(".parley", place);
  const shipped = kind === "prompts" ? ["src", "prompts", "templates"] : ["src", "config", "defaults", kind];
  return [
    ...(project === undefined ? [] : [{ from: "project", path: join(project, kind) } as const]),
    { from: "user", path: join(configHome(place), kind) },
    { from: "built-in", path: join(packageRoot(), ...shipped) },
  ];
}

/**
 * The nearest file or folder of a name in the working directory or above it, up to the root of the git
 * repository or the home folder. Outside of both only the working directory itself counts, since whoever
 * may write to `/tmp` shall not decide for everybody who works below it.
 */
export function nearestAbove(name: string, { cwd, env }: Place): string | undefined {
  const home = resolve(homeOf(env));
  const passed: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    passed.push(folder);
    if (folder === home || existsSync(join(folder, ".git"))) break;
    if (folder === dirname(folder)) {
      passed.length = 1;
      break;
    }
  }
  return passed.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** The files of a folder with one of these endings, by name; none where the folder is not there. */
export function filesIn(folder: string, endings: readonly string[]): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith(".") && endings.includes(extname(name)))
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw unreadable(error, `the folder ${fileName(folder)}`);
  }
}

/** A file's name without folder and ending. */
export const stem = (path: string): string => basename(path, extname(path));
