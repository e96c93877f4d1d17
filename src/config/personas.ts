import * as z from "zod";
import { ModelRef } from "../kernel/index.ts";
import { checkedFile, filesOf, foldersOf, readFolderYaml, type Folder } from "./named-files.ts";
import { PersonaId } from "./settings.ts";
import type { YamlFile } from "./yaml.ts";
import { findNearest } from "../text/words.ts";
import type { FileContext } from "./paths.ts";
import { refuse, quoteValue, displayPath, toOneLine } from "./text-file.ts";

const text = z.string().trim().min(1).max(20_000);
function line(most: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, "more than one line, or control characters");
}
const id = z.string().pipe(PersonaId);

const common = {
  id,
  name: line(80),
  description: line(500).default(""),
  model: ModelRef.optional(),
  temperature: z.number().min(0).max(2).optional(),
  enabled: z.literal(true).default(true),
};

/** Who speaks, before a model is chosen. */
const Whole = z.strictObject({ ...common, instructions: text });

/** The same with its instructions in parts, in the order in which a model reads them. */
const InParts = z.strictObject({
  ...common,
  instructions: z
    .strictObject({
      "identity-and-role": text.optional(),
      "interpretation-of-questions": text.optional(),
      "problem-decomposition": text.optional(),
      "analysis-and-reasoning": text.optional(),
      "differentiation-and-bias": text.optional(),
      tone: text.optional(),
    })
    .refine((parts) => Object.keys(parts).length > 0, "none of the six parts is written"),
});

/** Hides the persona of this id that a weaker place defines; whatever else the file says is not looked at. */
const Hidden = z.looseObject({ id, enabled: z.literal(false) });

export type PersonaText = Omit<z.infer<typeof Whole>, "enabled">;
export type PersonaReading = { readonly id: string; readonly persona: PersonaText | null };

const FORM = "a persona has an id, a name and instructions, as text or in its parts";

/** `persona` is null for one that only hides another.  @throws Fault `configuration` */
function readPersona(file: YamlFile): PersonaReading {
  if (field(file.value, "enabled") === false)
    return { id: checkedFile(file, Hidden, FORM).id, persona: null };
  const instructions = field(file.value, "instructions");
  if (typeof instructions !== "object" || instructions === null) {
    const { enabled: _, ...persona } = checkedFile(file, Whole, FORM);
    return { id: persona.id, persona };
  }
  const { enabled: _, ...persona } = checkedFile(file, InParts, FORM);
  return { id: persona.id, persona: { ...persona, instructions: joinParts(persona.instructions) } };
}

function joinParts(parts: z.infer<typeof InParts>["instructions"]): string {
  return Object.keys(InParts.shape.instructions.shape)
    .flatMap((part) => {
      const said = Object.entries(parts).find(([key]) => key === part)?.[1];
      return said === undefined ? [] : [`${heading(part)}\n${said}`];
    })
    .join("\n\n");
}

function heading(part: string): string {
  return `## ${part.charAt(0).toUpperCase()}${part.slice(1).replaceAll("-", " ")}`;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export type LoadedPersona = PersonaText & { readonly from: Folder["from"]; readonly path: string };

/**
 * Every persona that is to be had, by id: built in, or in a `personas` folder of the project's `.parley` or of
 * the user's settings, one a file. A project's hides a user's of the same id, that hides a built-in one, and
 * `enabled: false` hides without taking the place.
 * @throws Fault `configuration` for a file that is no persona, or two of one id in a folder
 */
export function loadPersonas(place: FileContext): ReadonlyMap<string, LoadedPersona> {
  const found = new Map<string, LoadedPersona | null>();
  for (const folder of foldersOf("personas", place)) {
    for (const [id, persona] of personasIn(folder, "persona")) if (!found.has(id)) found.set(id, persona);
  }
  const shownOnes = [...found].flatMap(([id, persona]) => (persona ? [[id, persona] as const] : []));
  return new Map(shownOnes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A folder's own, by id, null for those that it only hides. `kind` is what its files are, in the words of an error.
 * @throws Fault `configuration` for a file that is no persona, or two of one id
 */
function personasIn(folder: Folder, kind: "persona" | "role"): ReadonlyMap<string, LoadedPersona | null> {
  const here = new Map<string, { readonly path: string; readonly persona: LoadedPersona | null }>();
  for (const file of filesOf(folder, [".yaml", ".yml"])) {
    const { from, path } = file;
    const { id, persona } = readPersona(readFolderYaml(file, kind));
    const other = here.get(id);
    if (other) {
      const why = `${displayPath(path)}: the ${kind} ${id} is also in ${displayPath(other.path)}`;
      throw refuse(why, "rename one of them");
    }
    here.set(id, { path, persona: persona && { ...persona, from, path } });
  }
  return new Map([...here].map(([id, { persona }]) => [id, persona]));
}

/** @throws Fault `configuration` that names the nearest id for one that is not there */
export function findPersona(personas: ReadonlyMap<string, LoadedPersona>, id: string): LoadedPersona {
  const persona = personas.get(id);
  if (persona) return persona;
  const ids = [...personas.keys()];
  throw refuse(
    `there is no persona ${quoteValue(id)}`,
    ids.length > 0 ? `the nearest is ${findNearest(id, ids)}; there are ${ids.join(", ")}` : "enable one",
  );
}

/** What an agent argues for, in the form of a persona. */
export type Role = LoadedPersona;

/** Other spellings of a role's name. */
const ALIASES: { readonly [written: string]: string } = { datamodeling: "data-modeling" };

/** A role's name as it is looked up: trimmed, lower case, in its usual spelling. */
export function roleName(written: string): string {
  const name = written.trim().toLowerCase();
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/**
 * Every role that is to be had, by name: built in, or a file in a `roles` folder of the project's `.parley` or of the
 * user's settings. A project's hides a user's of the same id, that a persona of that id, and that a built-in one;
 * `enabled: false` hides without taking the place.
 * @throws Fault `configuration` for a file that is no persona, or two of one id in a folder
 */
export function loadRoles(place: FileContext): ReadonlyMap<string, Role> {
  const folders = foldersOf("roles", place);
  const own = folders.filter(({ from }) => from !== "built-in").map((folder) => personasIn(folder, "role"));
  const shipped = folders
    .filter(({ from }) => from === "built-in")
    .map((folder) => personasIn(folder, "role"));
  const found = new Map<string, Role | null>();
  for (const roles of [...own, loadPersonas(place), ...shipped]) {
    for (const [id, role] of roles) if (!found.has(roleName(id))) found.set(roleName(id), role);
  }
  const shownOnes = [...found].flatMap(([name, role]) => (role ? [[name, role] as const] : []));
  return new Map(shownOnes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws Fault `configuration` for a name that is not there, with the nearest */
export function findRole(roles: ReadonlyMap<string, Role>, name: string): Role {
  const role = roles.get(roleName(name));
  if (role) return role;
  const names = [...roles.keys()];
  const next = `the nearest is ${findNearest(roleName(name), names)}; there are ${names.join(", ")}`;
  throw refuse(`there is no role ${quoteValue(name)}`, toOneLine(next, 300));
}
