import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type * as z from "zod";
import { findMeant, quoteValue, toOneLine } from "../text/words.ts";
import { builtIn } from "./defaults/index.ts";
import { explainIssue } from "./explain.ts";
import { configFolder, nearestAbove, type FileContext } from "./paths.ts";
import { displayPath, readTextFile, refuse, toReadFault } from "./text-file.ts";
import { isOwnPath } from "./trust.ts";
import { isMapping, parseYaml, readYaml, type YamlFile } from "./yaml.ts";

/** What a folder's files are, by the folder's name, as an error calls one of them. */
const KINDS = {
  personas: "persona",
  roles: "role",
  strategies: "strategy",
  rubrics: "rubric",
  prompts: "prompt",
  packs: "pack",
} as const;
export type NamedKind = keyof typeof KINDS;

/** A folder of files of one kind. */
export type Folder = { readonly from: "project" | "user" | "built-in"; readonly path: string };

/**
 * A file of a folder. `data` is its content where it ships with Parley, compiled into the program; `text` is what it would hold
 * where it is to be checked before it is written.
 */
export type FolderFile = Folder & { readonly data?: unknown; readonly text?: string };

/** The folders in which files of a kind are looked for: the project's before the user's; they need not exist. */
export function foldersOf(kind: NamedKind, place: FileContext): readonly Folder[] {
  const project = nearestAbove(".parley", place);
  return [
    ...(project === undefined ? [] : [{ from: "project", path: join(project, kind) } as const]),
    { from: "user", path: join(configFolder(place), kind) },
    { from: "built-in", path: kind },
  ];
}

/** The folder of the user's files of a kind, or of the project's. */
export const ownFolder = (
  kind: NamedKind,
  place: FileContext,
  { project = false }: { readonly project?: boolean | undefined } = {},
): string =>
  join(project ? (nearestAbove(".parley", place) ?? join(place.cwd, ".parley")) : configFolder(place), kind);

/** The files of a folder with one of these endings, by name; a built-in folder has those that ship. */
function filesOf({ from, path: folder }: Folder, endings: readonly string[]): readonly FolderFile[] {
  return from === "built-in"
    ? Object.entries(builtIn[folder] ?? {}).map(([file, data]) => ({ from, path: join(folder, file), data }))
    : ownFilesIn({ from, path: folder }, endings).map((path) => ({ from, path }));
}

const endingsOf = (kind: NamedKind): readonly string[] =>
  kind === "rubrics" || kind === "packs" ? [".yaml", ".yml"] : [".yaml", ".yml", ".md"];

export const listFiles = (kind: NamedKind, place: FileContext): readonly FolderFile[] =>
  foldersOf(kind, place).flatMap((folder) => filesOf(folder, endingsOf(kind)));

/** The same as `filesIn`, of a project's folder without what lies outside of the project. @throws Fault `configuration` (TRUST-3) */
function ownFilesIn({ from, path: folder }: Folder, endings: readonly string[]): readonly string[] {
  const files = filesIn(folder, endings);
  const project = dirname(dirname(folder));
  const foreign = from === "project" && files.find((path) => !isOwnPath(path, project, {}));
  if (!foreign) return files;
  const why = `${displayPath(foreign)} is a link to a file that is not the project's own`;
  throw refuse(why, "copy the file there, or remove the link");
}

/**
 * What `read` makes of the files of some folders, sorted by name. Of two folders that have a name the first one's counts.
 * @throws Fault `configuration` for two files of one name in a folder
 */
export function collectNamed<T>(
  kind: NamedKind,
  folders: readonly Folder[],
  read: (file: FolderFile) => readonly [name: string, value: T],
): ReadonlyMap<string, T> {
  const all = new Map<string, T>();
  for (const folder of folders) {
    const paths = new Map<string, string>();
    for (const file of filesOf(folder, endingsOf(kind))) {
      const [name, value] = read(file);
      const other = paths.get(name);
      if (other !== undefined) {
        const why = `${displayPath(file.path)}: the ${KINDS[kind]} ${name} is also in ${displayPath(other)}`;
        throw refuse(why, "rename one of them");
      }
      paths.set(name, file.path);
      if (!all.has(name)) all.set(name, value);
    }
  }
  return sortByName(all);
}

export function sortByName<T>(named: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  const sorted = new Map<string, T>();
  for (const name of [...named.keys()].sort()) sorted.set(name, named.get(name) as T); // It has each of its names.
  return sorted;
}

/** @throws Fault `configuration` for a name that does not exist, with the nearest; `files` may be named, too */
export function findNamed<T>(
  kind: NamedKind,
  all: ReadonlyMap<string, T>,
  {
    written,
    name = written,
    files,
  }: { readonly written: string; readonly name?: string; readonly files?: string },
): T {
  const value = all.get(name);
  if (value !== undefined) return value;
  const names = [...all.keys()];
  const hint = files === undefined ? "" : `, or name a file (${files})`;
  const meant = findMeant(written, names);
  const nearest = meant === undefined ? "" : `the nearest is ${meant}; `;
  const next = `${nearest}there are ${names.join(", ")}${hint}`;
  throw refuse(`there is no ${KINDS[kind]} ${quoteValue(written)}`, names.length === 0 ? "enable one" : next);
}

/** A folder's YAML file as data. @throws Fault `configuration` as `readYaml` does */
export function readFolderYaml(
  { path, data, text }: Pick<FolderFile, "path" | "data" | "text">,
  kind: string,
): YamlFile {
  if (data !== undefined) return { path, text: "", value: data, place: () => path };
  return text === undefined ? readYaml(path, kind) : parseYaml(text, path);
}

/** The files of a folder with one of these endings, by name; none where the folder does not exist. */
function filesIn(folder: string, endings: readonly string[]): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !/^(?:\.|readme\.md$)/i.test(name) && endings.includes(extname(name)))
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw toReadFault(error, `the folder ${displayPath(folder)}`);
  }
}

/** A file's name without folder and ending. */
export function stem(path: string): string {
  return basename(path, extname(path));
}

/** A file's data as the schema reads it. @throws Fault `configuration` with the place of the first thing that is wrong; `form` says what the file has to hold */
export function checkedFile<S extends z.ZodType>(
  file: Pick<YamlFile, "value" | "place">,
  schema: S,
  form: string,
): z.output<S> {
  const read = schema.safeParse(file.value, { reportInput: true });
  if (read.success) return read.data;
  const { path, at, say, next } = explainIssue(schema, read.error);
  const name = path.length === 0 ? "the file" : toOneLine(path.join("."), 120);
  throw refuse(`${file.place(path, at)}: ${say(name)}`, next ?? form);
}

/** The keys that a mapping may have, and those of the mappings in it. */
export type KnownKeys = {
  readonly own: readonly string[];
  readonly within?: Readonly<Record<string, readonly string[]>>;
};

/**
 * A mapping without the keys that are not known, each of which goes to `skip`, one of a mapping in it as `outer.inner`. A key
 * that is a known one but for a letter or two stays: it is a mistake, which the schema refuses.
 */
export function withoutUnknown(
  mapping: Readonly<Record<string, unknown>>,
  { own, within = {} }: KnownKeys,
  skip: (key: string) => void,
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(mapping).flatMap(([key, value]) => {
    if (!own.includes(key) && findMeant(key, own) === undefined) return (skip(key), []);
    const inner = within[key];
    if (!inner || !isMapping(value)) return [[key, value] as const];
    return [[key, withoutUnknown(value, { own: inner }, (one) => skip(`${key}.${one}`))] as const];
  });
  return Object.fromEntries(kept);
}

/** A prompt template that ships: `text` is what stands where the user has no own. */
export type ShippedTemplate = { readonly name: string; readonly text: string };
type TemplateSource = { readonly from: Folder["from"]; readonly path?: string };

const MAX_PROMPT_BYTES = 200_000;

/** The files in `prompts` folders, of the project's `.parley` before those of the user's settings. */
export function overriddenPrompts(place: FileContext) {
  return foldersOf("prompts", place).flatMap((folder) =>
    ownFilesIn(folder, [".md"]).map((path) => ({ name: stem(path), from: folder.from, path })),
  );
}

/**
 * These templates, each with the text of the file `NAME.md` in a `prompts` folder of the project's `.parley` or of the
 * user's settings where there is one. Whether its slots are right is for whoever renders it to say.
 * @throws Fault `configuration` for an unreadable or empty file
 */
export function loadTemplates<T extends ShippedTemplate>(
  templates: readonly T[],
  place: FileContext,
): readonly (T & TemplateSource)[] {
  const files = overriddenPrompts(place);
  return templates.map((template) => {
    const file = files.find(({ name }) => name === template.name);
    if (!file) return { ...template, from: "built-in" };
    const text = readTextFile({ path: file.path, kind: "prompt", maxBytes: MAX_PROMPT_BYTES });
    if (text.trim() === "")
      throw refuse(`the prompt ${displayPath(file.path)} is empty`, "write it, or remove the file");
    return { ...template, text, from: file.from, path: file.path };
  });
}
