import { lstatSync } from "node:fs";
import { stringify } from "yaml";
import {
  readCatalog,
  fileOf,
  loadEntry,
  type CatalogEntry,
  type CatalogKind,
  type LoadedEntry,
} from "../config/catalog.ts";
import {
  checkText,
  conflict,
  findOwnFile,
  kindNoun,
  loadKnown,
  readNewText,
  removeOwnFile,
  writeOwnFile,
  type FileRefusal,
  type LibraryKind,
} from "../config/library-file.ts";
import { listFiles } from "../config/named-files.ts";
import type { FileContext } from "../config/paths.ts";
import { MEGABYTE, readTextFile, refuse } from "../config/text-file.ts";
import { textDigest } from "../engine/index.ts";
import { isFault, type Digest } from "../kernel/index.ts";
import { findMeant } from "../text/words.ts";
import { refusePackages } from "./ceilings.ts";

// LIBRARY-3. One change at a time: who changes a text that another has changed since it was read is told so, where it says what it read.
//     Else: a person's change is overwritten unseen.

/** An entry of a catalog with its text: where it is from, and what it stands in front of. */
export type EntryText = Pick<
  CatalogEntry,
  "name" | "description" | "from" | "state" | "problem" | "missing"
> & {
  /** The whole file; null for one that is no readable text. Of what ships, the same as YAML. */
  readonly text: string | null;
  /** The digest of `text`. */
  readonly digest: Digest | null;
  /** Where the entries of its name are from that it stands in front of, the stronger first. */
  readonly shadows: readonly CatalogEntry["from"][];
  /** The text that ships under its name; null where none does. */
  readonly shipped: string | null;
  readonly loaded: LoadedEntry | undefined;
};

/** What a change says it was made from, and the text that it comes to. */
export type NewEntry = {
  readonly name: string;
  readonly text: string;
  /** The digest of the text that was changed; another one by now is a conflict. */
  readonly digest?: string | undefined;
};

/** An entry by its name, its file included; undefined where there is none. */
export function showEntry(kind: CatalogKind, name: string, place: FileContext): EntryText | undefined {
  const [entry, ...below] = readCatalog(kind, place).filter((one) => one.name === name);
  if (!entry) return undefined;
  const { description, from, state, problem, missing } = entry;
  const original = [entry, ...below].find((one) => one.from === "built-in");
  const text = textOf(kind, entry, place);
  return {
    ...{ name, description, from, state, problem, missing, text },
    digest: text === null ? null : textDigest(text),
    shadows: below.map((one) => one.from),
    shipped: original ? textOf(kind, original, place) : null,
    loaded: loadKnown(kind, entry, place),
  };
}

/** A file's text. What cannot be used may be anything, if it is a link: it is not shown. */
function textOf(kind: CatalogKind, entry: CatalogEntry, place: FileContext): string | null {
  const { data } = fileOf(kind, entry, place);
  if (data !== undefined) return stringify(data, { blockQuote: "literal", lineWidth: 0 });
  if (entry.problem !== null && !lstatSync(entry.path, { throwIfNoEntry: false })?.isFile()) return null;
  try {
    return readTextFile({ path: entry.path, kind: kindNoun(kind), maxBytes: MEGABYTE });
  } catch (error) {
    if (isFault(error)) return null;
    throw error;
  }
}

/** That there is none of a name, with the nearest. */
export function missingEntry(kind: LibraryKind, name: string, known: readonly string[]): FileRefusal {
  const meant = findMeant(name, known);
  const next = meant === undefined ? `there are ${known.join(", ")}` : `the nearest is ${meant}`;
  return { ok: false, code: "missing", why: `there is no ${kindNoun(kind)} ${JSON.stringify(name)}`, next };
}

export const missingIn = (kind: CatalogKind, name: string, place: FileContext): FileRefusal =>
  missingEntry(kind, name, [...new Set(readCatalog(kind, place).map((one) => one.name))]);

/** The same as `text` where its digest is what a change was made from (LIBRARY-3). */
export function checkUnchanged(
  present: Digest | null | undefined,
  digest: string | undefined,
): FileRefusal | undefined {
  if (digest === undefined || digest === present) return undefined;
  return conflict("it was changed since it was read", "read it again, and make the change there");
}

/** Writes the user's own strategy or pack, in place of what there is. @throws Fault `configuration` for a text that is none */
export function writeEntry(
  kind: "strategies" | "packs",
  { name, text, digest }: NewEntry,
  place: FileContext,
): { readonly ok: true; readonly entry: EntryText } | FileRefusal {
  const own = findOwnFile(kind, name, place);
  if (!own.ok) return own;
  const changed = checkUnchanged(showEntry(kind, name, place)?.digest, digest);
  if (changed) return changed;
  const { pack, strategy } = readNewText(kind, { name, text, path: own.path }, place);
  if (pack) refusePackages(pack.settings);
  const bereft =
    strategy && packsOf(name, place).find((one) => strategy.needsGoal && one.settings.goal === undefined);
  if (bereft)
    return conflict(
      `the pack ${bereft.id} has this strategy and no goal, and it would need one`,
      "give the pack a goal, or leave {{goal}} out",
    );
  writeOwnFile(own.path, checkText(kind, { name, text }));
  return showWritten(kind, name, place);
}

function showWritten(kind: CatalogKind, name: string, place: FileContext) {
  const entry = showEntry(kind, name, place);
  if (!entry) throw refuse(`the ${kindNoun(kind)} ${name} was removed meanwhile`, "write it again");
  return { ok: true as const, entry };
}

/** Removes the user's own strategy or pack; what it stood in front of is in use again. */
export function removeEntry(
  kind: "strategies" | "packs",
  name: string,
  place: FileContext,
): { readonly ok: true } | FileRefusal {
  const [entry, below] = readCatalog(kind, place).filter((one) => one.name === name);
  if (!entry) return missingIn(kind, name, place);
  if (entry.from === "built-in")
    return conflict(
      `the ${kindNoun(kind)} ${name} ships with the program, and cannot be removed`,
      "write one of the same name, which stands in front of it",
    );
  const own = findOwnFile(kind, name, place);
  if (!own.ok) return own;
  const bereft = kind === "strategies" && !below ? packsOf(name, place)[0] : undefined;
  if (bereft) return conflict(`the pack ${bereft.id} has this strategy`, "change or remove the pack first");
  removeOwnFile(own.path);
  return { ok: true };
}

function packsOf(strategy: string, place: FileContext) {
  return listFiles("packs", place).flatMap((file) => {
    try {
      const { pack } = loadEntry("packs", file, place);
      return pack?.settings.strategy === strategy ? [pack] : [];
    } catch (error) {
      if (isFault(error)) return [];
      throw error;
    }
  });
}
