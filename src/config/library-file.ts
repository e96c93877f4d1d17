import * as z from "zod";
import { lstatSync, mkdirSync, rmSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import {
  fileOf,
  loadEntry,
  nounOf,
  readCatalog,
  type CatalogEntry,
  type CatalogKind,
  type LoadedEntry,
} from "./catalog.ts";
import { overriddenPrompts } from "./named-files.ts";
import { configFolder, type FileContext } from "./paths.ts";
import { decodeText, refuse, replaceFile, toReadFault, displayPath } from "./text-file.ts";
import { parseDocument } from "yaml";
import type { LoadedPersona } from "./personas.ts";

// LIBRARY-1. A name leads to the user's own file of that name, and to no other: not to a project's, not through a link. Else: a request
//     changes files outside of the user's library.
// LIBRARY-2. A text is read as its file would be before it is written; the file is there whole, or as it was. Else: a strategy is lost.

/** What a user has files of that a page may change. */
export type LibraryKind = CatalogKind | "prompts";

/** A name that can be a file's. */
export const LibraryName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/);

/** The most bytes of a text that comes from elsewhere. */
const MAX_TEXT_BYTES = 64_000;

/** Why a file is not changed: there is none, or it is not the user's own to change. */
export type FileRefusal = {
  readonly ok: false;
  readonly code: "missing" | "conflict";
  readonly why: string;
  readonly next: string;
};
/** Where a user's own file is, or would be. */
export type LibraryPlace = { readonly ok: true; readonly path: string; readonly exists: boolean };

export const kindNoun = (kind: LibraryKind): string => (kind === "prompts" ? "prompt" : nounOf(kind));

/** The refusal of what is as it has to be, but not to be changed. */
export function conflict(why: string, next: string): FileRefusal {
  return { ok: false, code: "conflict", why, next };
}

/** Where a user's own file of a name is, or would be, if nothing else is in its place (LIBRARY-1). */
export function findOwnFile(kind: LibraryKind, name: string, place: FileContext): LibraryPlace | FileRefusal {
  const noun = kindNoun(kind);
  const known =
    kind === "prompts"
      ? overriddenPrompts(place).filter((one) => one.name === name)
      : readCatalog(kind, place).filter((one) => one.name === name);
  if (known.some(({ from }) => from === "project"))
    return conflict(`the ${noun} ${name} is a file of the project, which comes first`, "change it there");
  const [own, other] = known.filter(({ from }) => from === "user");
  if (other) return conflict(`there are two files of the ${noun} ${name}`, "remove one of them");
  if (own) return checkRegular(own.path, { noun, name });
  const folder = join(configFolder(place), kind);
  for (const ending of kind === "prompts" ? [".md"] : [".yaml", ".yml", ".md"])
    if (lstatSync(join(folder, `${name}${ending}`), { throwIfNoEntry: false }))
      return conflict(`the file ${name}${ending} has something else than the ${noun} ${name}`, "rename it");
  return { ok: true, path: join(folder, `${name}${kind === "prompts" ? ".md" : ".yaml"}`), exists: false };
}

function checkRegular(
  path: string,
  { noun, name }: { readonly noun: string; readonly name: string },
): LibraryPlace | FileRefusal {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) return { ok: true, path, exists: true };
  return conflict(
    `the file of the ${noun} ${name} is a link, or no file`,
    "change what it leads to, or remove it",
  );
}

/** What an entry says; undefined for one that cannot be used. */
export const loadKnown = (
  kind: CatalogKind,
  entry: CatalogEntry,
  place: FileContext,
): LoadedEntry | undefined =>
  entry.problem === null ? loadEntry(kind, fileOf(kind, entry, place), place) : undefined;

/** A text that is to be written, as a text file may hold it. @throws Fault `configuration` for more than 64 kB, or none */
export function checkText(
  kind: LibraryKind,
  { name, text }: { readonly name: string; readonly text: string },
) {
  const bytes = Buffer.from(text);
  const noun = `the ${kindNoun(kind)} ${name}`;
  const checked = decodeText({ bytes, name: noun, maxBytes: MAX_TEXT_BYTES });
  if (checked.trim() === "") throw refuse(`${noun} is empty`, "give its text");
  return checked;
}

/**
 * What a text would be as the file at `path`; errors name the file alone, without its folder. (LIBRARY-2)
 * @throws Fault `configuration` with line and reason, also for a text that says another name
 */
export function readNewText(
  kind: CatalogKind,
  { name, text, path }: { readonly name: string; readonly text: string; readonly path: string },
  place: FileContext,
): LoadedEntry {
  const file = { from: "user" as const, path: basename(path), text: checkText(kind, { name, text }) };
  const entry = loadEntry(kind, file, place);
  if (entry.name === name) return entry;
  const key = kind === "strategies" ? "name" : "id";
  throw refuse(`${basename(path)}: its ${key} is ${entry.name}, not ${name}`, `write ${key}: ${name}`);
}

/** Writes a user's own file, whose text has been read (LIBRARY-2). @throws Fault `configuration` */
export function writeOwnFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw toReadFault(error, basename(path));
  }
  replaceFile(path, text);
}

/** Removes a user's own file. @throws Fault `configuration` */
export function removeOwnFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw toReadFault(error, basename(path));
  }
}

/** Whether a file is Markdown, which cannot be changed part by part. */
export const isMarkdown = (path: string): boolean => extname(path).toLowerCase() === ".md";

// PFILE-1. A persona's file is changed whole or not at all, and what a person wrote in it beside the change stays. Else: a person's text is
//     lost.

/** A persona's file as it is. @throws Fault `configuration` for one that ships, and one that is no YAML */
export function readOwnFile({ name, from, path }: Pick<LoadedPersona, "name" | "from" | "path">): string {
  if (from === "built-in") throw refuse(`${name} ships with the program and has no file`, "copy it first");
  if (extname(path).toLowerCase() === ".md")
    throw refuse(`${displayPath(path)} is Markdown, and only YAML can be changed`, "edit it yourself");
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw toReadFault(error, displayPath(path));
  }
}

/** A file with these keys set, or taken out where they are undefined; comments stay (PFILE-1). */
export function withKeys(file: string, keys: Readonly<Record<string, unknown>>): string {
  const document = parseDocument(file);
  for (const [key, value] of Object.entries(keys))
    if (value === undefined) document.delete(key);
    else document.set(key, document.createNode(value));
  return document.toString();
}
