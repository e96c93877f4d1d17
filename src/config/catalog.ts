import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { stringify } from "yaml";
import { isFault } from "../kernel/index.ts";
import { findMeant, quoteValue } from "../text/words.ts";
import { isMapping } from "./yaml.ts";
import { listFiles, ownFolder, stem, type FolderFile } from "./named-files.ts";
import { readPack, type Pack } from "./packs.ts";
import type { FileContext } from "./paths.ts";
import { INSTRUCTION_PARTS } from "../text/instruction-parts.ts";
import { readPersona, type LoadedPersona } from "./personas.ts";
import { PersonaId } from "./settings.ts";
import { readStrategy } from "./strategies.ts";
import { createFile, displayPath, refuse } from "./text-file.ts";

// CATALOG-1. No file that exists is written over. Else: a person's own file is lost.

/** What a file says, by its kind; nothing for one that only hides another. */
export type LoadedEntry = {
  readonly name: string;
  readonly persona?: LoadedPersona | undefined;
  readonly strategy?: ReturnType<typeof readStrategy> | undefined;
  readonly pack?: Pack | undefined;
};

/** Reads a file of a kind. @throws Fault `configuration`, `untrusted` with the place of what is wrong */
export function loadEntry(kind: CatalogKind, file: FolderFile, place: FileContext): LoadedEntry {
  if (kind === "strategies") {
    const strategy = readStrategy(file);
    return { name: strategy.name, strategy };
  }
  if (kind === "packs") {
    const [name, pack] = readPack(file, place);
    return { name, pack: pack ?? undefined };
  }
  const [name, persona] = readPersona(file, { kind: "persona", place });
  return { name, persona: persona ?? undefined };
}

/** What a list shows of an entry: what it makes a prompt say, or sets, and what it may have and lacks. */
function shownOf({ persona, strategy, pack }: LoadedEntry) {
  if (persona) {
    const { description, instructions: text, missingParts: missing, lineage, accepted, retired } = persona;
    const note = retired ? "retired" : lineage ? (accepted ? "bred" : "on trial") : "";
    return { description: [note, description].filter(Boolean).join(": "), text, missing };
  }
  if (strategy) return { description: strategy.description, text: strategy.directive, missing: [] };
  if (!pack) return undefined;
  const text = stringify({ protocol: pack.protocol, ...pack.settings }).trim();
  return { description: pack.description, text, missing: [] };
}

const KINDS = {
  personas: {
    noun: "persona",
    template: (id: string) =>
      [
        `id: ${id}`,
        `name: ${nameOf(id)}`,
        "description: What this one looks for.",
        "# temperature: 0.7",
        "# effort: high   # how much its model thinks",
        "# model: openai/gpt-6.1-terra",
        "# Text, or these parts; a part may be left out.",
        "instructions:",
        ...INSTRUCTION_PARTS.flatMap((part) => [
          `  ${part}: |`,
          `    ${PART_HINTS.get(part) ?? "Write it here."}`,
        ]),
      ].join("\n"),
  },
  strategies: {
    noun: "strategy",
    template: (id: string) =>
      [
        `name: ${id}`,
        "description: How the chair weighs the answers.",
        "# sees: [standing]   # shows the chair the members' ranking, too",
        "# {{goal}} is the goal that is given, {{count}} the number of answers.",
        "directive: |",
        "  Say what counts and what does not, and what to do where the answers differ.",
      ].join("\n"),
  },
  packs: {
    noun: "pack",
    template: (id: string) =>
      [
        `id: ${id}`,
        `name: ${nameOf(id)}`,
        "description: The kind of question that it is for.",
        "protocol: council   # or ask, which goes only as far as answers differ",
        "# A member is a persona, or {persona: historian, model: openai/gpt-6.1-terra, effort: high}.",
        "members: [analyst, pragmatist, challenger]",
        "# chair: [anthropic/claude-sonnet-5-5]",
        "# reviewers: [google/gemini-3.8-flash]",
        "strategy: balanced",
        "# goal: what the strategy goal-seeking works toward",
        "# settings:",
        "#   max-cost-usd: 0.50",
      ].join("\n"),
  },
} as const;
export type CatalogKind = keyof typeof KINDS;
export const nounOf = (kind: CatalogKind): string => KINDS[kind].noun;

const PART_HINTS: ReadonlyMap<string, string> = new Map([
  ["identity-and-role", "Who you are, and what you are there for."],
  ["interpretation-of-questions", "How you read a question before you answer it."],
  ["problem-decomposition", "Into which parts you take a problem, and which comes first."],
  ["analysis-and-reasoning", "How you reach a conclusion, and how you check it."],
  ["differentiation-and-bias", "What you see that others miss, and where you tend to err."],
  ["tone", "How you write."],
]);

const nameOf = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll(/[-_]/g, " ")}`;

/** A file of a catalog. `hides`: it only hides another; `hidden`, `shadowed`: a stronger folder's file hides or replaces it. */
export type CatalogEntry = Pick<FolderFile, "from" | "path"> & {
  readonly name: string;
  readonly state: "used" | "shadowed" | "hidden" | "hides" | "unreadable";
  readonly description: string;
  readonly text: string;
  readonly missing: readonly string[];
  /** Why it cannot be used; null for one that can. */
  readonly problem: string | null;
};

/** Every file of a kind, by name and then by strength; one that cannot be read says why, and spoils no other. */
export function readCatalog(kind: CatalogKind, place: FileContext): readonly CatalogEntry[] {
  const seen = new Map<string, { from: string; path: string; hides: boolean }>();
  const entries = listFiles(kind, place).map((file): CatalogEntry => {
    const { from, path } = file;
    const base = { from, path, description: "", text: "", missing: [], problem: null };
    try {
      const loaded = loadEntry(kind, file, place);
      const { name } = loaded;
      const value = shownOf(loaded);
      const other = seen.get(name);
      if (other?.from === from) {
        const why = `${displayPath(path)}: the ${nounOf(kind)} ${name} is also in ${displayPath(other.path)}`;
        throw refuse(why, "rename one of them");
      }
      if (!other) seen.set(name, { from, path, hides: !value });
      const state = other ? (other.hides ? "hidden" : "shadowed") : value ? "used" : "hides";
      return { ...base, ...value, name, state };
    } catch (error) {
      if (!isFault(error)) throw error;
      return { ...base, name: stem(path), state: "unreadable", problem: error.message };
    }
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** A name's entries, the one in use first. @throws Fault `configuration` for one that is not there, with the nearest */
export function findInCatalog(
  kind: CatalogKind,
  name: string,
  place: FileContext,
): readonly [CatalogEntry, ...CatalogEntry[]] {
  const all = readCatalog(kind, place);
  const [first, ...more] = all.filter((entry) => entry.name === name);
  if (first) return [first, ...more];
  const names = [...new Set(all.map((entry) => entry.name))];
  const meant = findMeant(name, names);
  throw refuse(
    `there is no ${nounOf(kind)} ${quoteValue(name)}`,
    meant === undefined ? `there are ${names.join(", ")}` : `the nearest is ${meant}`,
  );
}

type NewFile = { readonly id: string; readonly project?: boolean; readonly like?: CatalogEntry | undefined };

/**
 * Writes a file of a kind for the project, or for the user: after another one, or a commented one to fill in.
 * @throws Fault `configuration` for an id that names no file, and one that is there (CATALOG-1)
 */
export function writeNew(
  kind: CatalogKind,
  { id, project = false, like }: NewFile,
  place: FileContext,
): string {
  if (!PersonaId.safeParse(id).success)
    throw refuse(`${quoteValue(id)} cannot be an id`, "take small letters, digits, - and _");
  const ending = like === undefined || like.from === "built-in" ? ".yaml" : extname(like.path);
  const path = join(ownFolder(kind, place, { project }), `${id}${ending}`);
  const text = like ? copyOf(kind, like, { id, place }) : `${KINDS[kind].template(id)}\n`;
  return createFile(path, text);
}

/** The file of an entry, with its content where it ships. */
export function fileOf(
  kind: CatalogKind,
  { path, from }: Pick<CatalogEntry, "path" | "from">,
  place: FileContext,
): FolderFile {
  const found = listFiles(kind, place).find((file) => file.path === path && file.from === from);
  return found ?? { path, from };
}

function copyOf(
  kind: CatalogKind,
  like: CatalogEntry,
  { id, place }: { readonly id: string; readonly place: FileContext },
): string {
  const key = kind === "strategies" ? "name" : "id";
  const { data } = fileOf(kind, like, place);
  if (isMapping(data)) return stringify({ ...data, [key]: id });
  return readFileSync(like.path, "utf8").replace(new RegExp(`^${key}:.*$`, "m"), `${key}: ${id}`);
}
