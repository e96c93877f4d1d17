import * as z from "zod";
import { extname } from "node:path";
import { DeliberationId, Digest, Effort, ModelRef, optionFields } from "../kernel/index.ts";
import {
  checkedFile,
  collectNamed,
  findNamed,
  foldersOf,
  readFolderYaml,
  sortByName,
  type Folder,
  type FolderFile,
} from "./named-files.ts";
import type { FileContext } from "./paths.ts";
import { INSTRUCTION_PARTS, instructionsOf, headingOf } from "../text/instruction-parts.ts";
import { claimsOfOptions, isHarmlessModel } from "./project-settings.ts";
import { PersonaId } from "./settings.ts";
import { requireTrust } from "./trust.ts";
import { isMapping, parseYaml, type YamlFile } from "./yaml.ts";
import { findNearest, quoteValue } from "../text/words.ts";
import { displayPath, MEGABYTE, readTextFile, refuse } from "./text-file.ts";

const text = z.string().trim().min(1).max(20_000);
function line(max: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, "more than one line, or control characters");
}
const id = z.string().pipe(PersonaId);

/** Whom a persona was made from, and by what: it may take part once it has been accepted. */
const Lineage = z.strictObject({
  /** The deliberation that made it. */
  bred: DeliberationId,
  /** The parents' ids, the digests of their instructions, and of the feedback on them, where there was any. */
  parents: z
    .array(z.strictObject({ id, version: Digest, feedback: Digest.nullable() }))
    .min(2)
    .max(3),
  /** The digests of the prompt and of the seed, and the model that wrote it. */
  prompt: Digest,
  seed: Digest,
  model: ModelRef,
});
export type Lineage = z.infer<typeof Lineage>;

const common = {
  id,
  name: line(80),
  description: line(500).default(""),
  model: ModelRef.optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** How much its model is to think. */
  effort: Effort.optional(),
  ...optionFields,
  /** The tools that it may call: `get_datetime`, `SERVER/TOOL` or `SERVER/*`. */
  tools: z.array(line(200)).max(20).optional(),
  enabled: z.literal(true).default(true),
  lineage: Lineage.optional(),
  /** The version that was accepted; one of other instructions is on trial. */
  accepted: z.strictObject({ version: Digest, at: z.iso.datetime(), by: line(600) }).optional(),
  retired: z.strictObject({ at: z.iso.datetime(), by: line(600) }).optional(),
};

/** Who speaks, before a model is chosen. */
const Whole = z.strictObject({ ...common, instructions: text });

const Parts = z.strictObject(Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, text.optional()])));

/** The same with its instructions in parts, which a model reads in the order of the schema, each under its name. */
const InParts = z.strictObject({
  ...common,
  instructions: Parts.refine(
    (parts) => Object.keys(parts).length > 0,
    "none of the six parts is written",
  ).transform(instructionsOf),
});

/** Hides the persona of this id that a weaker folder defines; whatever else the file says is ignored. */
const Hidden = z.looseObject({ id, enabled: z.literal(false) });

const FORM = "a persona has an id, a name and instructions, as text or in its parts";

export type PersonaDefinition = Omit<z.infer<typeof Whole>, "enabled">;
export type LoadedPersona = PersonaDefinition & {
  readonly from: Folder["from"];
  readonly path: string;
  /** The parts that its instructions lack; none where they are one text. */
  readonly missingParts: readonly string[];
  /** Its instructions by part; undefined where they are one text. */
  readonly parts: z.infer<typeof Parts> | undefined;
};

/**
 * A file with a personality of Accordant's in our own words: its six sections are spelled with `_` and stand under
 * `personality_prompt`; what only its page shows is left out.
 */
function adapt(file: YamlFile): YamlFile {
  if (!isMapping(file.value)) return file;
  const { personality_prompt: prompt, ui: _ui, tags: _tags, group: _group, ...own } = file.value;
  const instructions = own["instructions"] ?? prompt;
  if (instructions === undefined) return { ...file, value: own };
  if (!isMapping(instructions)) return { ...file, value: { ...own, instructions } };
  const parts = Object.entries(instructions).map(([name, part]) => [name.replaceAll("_", "-"), part]);
  return { ...file, value: { ...own, instructions: Object.fromEntries(parts) } };
}

/** What ships has been trimmed and checked: a test reads each file by the schema, too. */
type Shipped = Pick<PersonaDefinition, "id" | "name" | "description"> & {
  readonly instructions: string | z.infer<typeof Parts>;
};

function missingIn(parts: z.infer<typeof Parts> | undefined): readonly string[] {
  const isWhole = parts === undefined || Object.keys(parts).length === INSTRUCTION_PARTS.length;
  return isWhole ? [] : INSTRUCTION_PARTS.filter((part) => !Object.hasOwn(parts, part));
}

/** A file's persona by its id, null for one that only hides another. @throws Fault `configuration` */
export function readPersona(
  source: FolderFile,
  { kind, place }: { readonly kind: string; readonly place: FileContext },
): readonly [id: string, LoadedPersona | null] {
  if (source.data !== undefined) {
    const { instructions: written, ...persona } = source.data as Shipped; // `npm run generate` wrote it.
    const parts = typeof written === "string" ? undefined : written;
    const instructions = typeof written === "string" ? written : instructionsOf(written);
    const { from, path } = source;
    return [persona.id, { ...persona, instructions, from, path, missingParts: missingIn(parts), parts }];
  }
  const isMarkdown = extname(source.path).toLowerCase() === ".md";
  const file = adapt(
    isMarkdown ? readPersonaMarkdown(source, INSTRUCTION_PARTS) : readFolderYaml(source, kind),
  );
  const { enabled, instructions } = isMapping(file.value) ? file.value : {};
  if (enabled === false) return [checkedFile(file, Hidden, FORM).id, null];
  const schema = isMapping(instructions) ? InParts : Whole;
  const { enabled: _, ...persona } = checkedFile(file, schema, FORM);
  const { model, tools = [] } = persona;
  if (source.from === "project") {
    const models = model === undefined || isHarmlessModel(model) ? [] : [`model: ${model}`];
    const claims = [...models, ...claimsOfOptions(persona), ...tools.map((tool) => `tool: ${tool}`)];
    requireTrust(file, claims, place);
  }
  const parts = isMapping(instructions) ? Parts.parse(instructions) : undefined;
  return [
    persona.id,
    { ...persona, from: source.from, path: source.path, missingParts: missingIn(parts), parts },
  ];
}

/** A persona's text of YAML, read as its file would be; a project's claims are not checked. @throws Fault `configuration` */
export function parsePersona(text: string, path: string): PersonaDefinition {
  const file = adapt(parseYaml(text, path));
  const { instructions } = isMapping(file.value) ? file.value : {};
  return checkedFile(file, isMapping(instructions) ? InParts : Whole, FORM);
}

/**
 * Every persona, by id: built in, or a file of YAML or Markdown in a `personas` folder of the project's `.parley` or of the user's
 * settings. A project's hides a user's of the same id, that hides a built-in one, and `enabled: false` hides without
 * taking the place.
 * @throws Fault `configuration` for a file that is no persona, or two of one id in a folder
 */
export function loadPersonas(place: FileContext): ReadonlyMap<string, LoadedPersona> {
  const read = (file: FolderFile) => readPersona(file, { kind: "persona", place });
  return withoutHidden(collectNamed("personas", foldersOf("personas", place), read));
}

function withoutHidden(
  personas: ReadonlyMap<string, LoadedPersona | null>,
): ReadonlyMap<string, LoadedPersona> {
  return new Map([...personas].flatMap(([id, persona]) => (persona ? [[id, persona] as const] : [])));
}

/** @throws Fault `configuration` that names the nearest id for one that does not exist */
export function findPersona(personas: ReadonlyMap<string, LoadedPersona>, id: string): LoadedPersona {
  return findNamed("personas", personas, { written: id });
}

/** Other spellings of a role's name. */
const ALIASES: ReadonlyMap<string, string> = new Map([["datamodeling", "data-modeling"]]);

/** A role's name as it is looked up: trimmed, lower case, in its usual spelling. */
export function roleName(written: string): string {
  const name = written.trim().toLowerCase();
  return ALIASES.get(name) ?? name;
}

/**
 * Every role, what an agent argues for, in the form of a persona, by name: built in, or a file in a `roles` folder of the project's `.parley` or of the user's settings. A
 * project's hides a user's of the same name, that a persona of that id, and that a built-in one; `enabled: false` hides
 * without taking the place.
 * @throws Fault `configuration` for a file that is no persona, or two of one id in a folder
 */
export function loadRoles(place: FileContext): ReadonlyMap<string, LoadedPersona> {
  const folders = foldersOf("roles", place);
  const collect = (builtIn: boolean) =>
    collectNamed(
      "roles",
      folders.filter(({ from }) => (from === "built-in") === builtIn),
      (file) => {
        const [id, role] = readPersona(file, { kind: "role", place });
        return [roleName(id), role];
      },
    );
  // What is set last stands.
  const weakestFirst = [...collect(true), ...loadPersonas(place), ...collect(false)];
  return withoutHidden(sortByName(new Map(weakestFirst.map(([id, role]) => [roleName(id), role]))));
}

/** @throws Fault `configuration` for a name that does not exist, with the nearest */
export function findRole(roles: ReadonlyMap<string, LoadedPersona>, written: string): LoadedPersona {
  return findNamed("roles", roles, { written, name: roleName(written) });
}

const FENCE = /^ {0,3}(?:`{3}|~{3})/;

/**
 * A persona in Markdown as the YAML file that says the same: its front matter, and its instructions, as one text or, where
 * it has headings (# or ##), by these in any order.
 * @throws Fault `configuration` for no front matter, a heading that is none of the parts, and one that stands twice
 */
function readPersonaMarkdown(
  { path, text: given }: Pick<FolderFile, "path" | "text">,
  parts: readonly string[],
): YamlFile {
  const written = given ?? readTextFile({ path, kind: "persona", maxBytes: MEGABYTE });
  const text = written.replaceAll("\r\n", "\n");
  const name = displayPath(path);
  const [whole, front = ""] = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|$)/.exec(text) ?? [];
  if (whole === undefined) {
    const next = "begin it with ---, lines such as id: critic and name: Critic, and --- again";
    throw refuse(`${name}:1:1: a persona in Markdown begins with its id and name`, next);
  }
  // A line before it, so that places are those of the file.
  const head = parseYaml(`\n${front}`, path);
  if (head.value !== null && !isMapping(head.value))
    throw refuse(`${head.place([], "value")}: it must be a mapping`, "write lines such as id: critic");
  if (isMapping(head.value) && Object.hasOwn(head.value, "instructions"))
    throw refuse(
      `${head.place(["instructions"], "key")}: instructions stand below the second ---`,
      "move them there",
    );
  const from = whole.split("\n").length;
  const body = readBody(text.slice(whole.length), { parts, place: (line) => `${name}:${from + line}:1` });
  return {
    ...{ path, text },
    value: { ...head.value, ...(body.value === "" ? {} : { instructions: body.value }) },
    place: ([first, part], at) =>
      first === "instructions"
        ? `${name}:${from + (body.lines.get(String(part)) ?? 0)}:1`
        : head.place([...(first === undefined ? [] : [first])], at),
  };
}

type BodyPlaces = { readonly parts: readonly string[]; readonly place: (line: number) => string };

/** The text below the front matter, by its parts where it has headings; and the line of each. */
function readBody(text: string, { parts, place }: BodyPlaces) {
  const found = new Map<string, string[]>();
  const lines = new Map<string, number>();
  let current: string[] = [];
  const before = current;
  let isFenced = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const title = isFenced ? undefined : /^#{1,2}[ \t]+(.+?)[ \t#]*$/.exec(line)?.[1];
    if (title === undefined) {
      current.push(line);
      continue;
    }
    const part = title
      .toLowerCase()
      .replace(/^\d+[.)]\s*/, "")
      .replaceAll(/[\s_]+/g, "-");
    const nearest = findNearest(part, parts) ?? "";
    if (!parts.includes(part))
      throw refuse(
        `${place(index)}: ${quoteValue(title)} is none of the six parts`,
        `did you mean "${headingOf(nearest)}"? A heading within a part takes ###`,
      );
    if (found.has(part))
      throw refuse(`${place(index)}: the part ${quoteValue(title)} stands twice`, "put them together");
    current = [];
    found.set(part, current);
    lines.set(part, index);
  }
  const intro = before.join("\n").trim();
  if (found.size === 0) return { value: intro, lines };
  if (intro !== "")
    throw refuse(`${place(0)}: there is text before the first heading`, "move it into one of the parts");
  const value = Object.fromEntries([...found].map(([part, own]) => [part, own.join("\n").trim()]));
  return { value, lines };
}
