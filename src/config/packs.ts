import { dirname } from "node:path";
import * as z from "zod";
import { Effort, isFault, mergeOptions, ModelRef, optionFields } from "../kernel/index.ts";
import { findNearest, quoteValue } from "../text/words.ts";
import {
  checkedFile,
  collectNamed,
  findNamed,
  foldersOf,
  readFolderYaml,
  type FolderFile,
} from "./named-files.ts";
import type { FileContext } from "./paths.ts";
import { loadPersonas } from "./personas.ts";
import { claimsOfSetting } from "./project-settings.ts";
import { PersonaId, settingKeys, settingName, settingTypes } from "./settings.ts";
import type { SettingKey, Settings } from "./settings.ts";
import { checkSetting } from "./sources.ts";
import { listStrategies, loadStrategy } from "./strategies.ts";
import { refuse } from "./text-file.ts";
import { requireTrust } from "./trust.ts";
import { isMapping, type YamlFile } from "./yaml.ts";

const Id = z.string().pipe(PersonaId);
const askedFields = { effort: Effort.optional(), ...optionFields };
const Member = z.preprocess(
  (value) => (typeof value === "string" ? { persona: value } : value),
  z.strictObject({
    persona: Id,
    model: ModelRef.optional(),
    temperature: z.number().min(0).max(2).optional(),
    ...askedFields,
  }),
);
const models = z.array(ModelRef).min(1).max(26);
const PackFile = z.strictObject({
  id: Id,
  name: z.string().trim().min(1).max(80),
  description: z.string().trim().max(500).default(""),
  enabled: z.literal(true).default(true),
  protocol: z.string().trim().min(1).max(60).optional(),
  members: z.array(Member).min(1).max(26),
  chair: models.optional(),
  reviewers: models.optional(),
  strategy: z.string().trim().min(1).optional(),
  goal: z.string().trim().min(1).max(2_000).optional(),
  ...askedFields,
  settings: z.record(z.string(), z.unknown()).default({}),
});
const Hidden = z.looseObject({ id: Id, enabled: z.literal(false) });
const FORM =
  "a pack has an id, a name and members, and may have a chair, reviewers, a strategy, an effort and settings";

/** What may stand under `settings`: how far a run goes and what it may cost. */
const OWN_SETTINGS = (
  "effort mode quorum patience timeout call-timeout draft-tokens review-tokens synthesis-tokens max-cost-usd " +
  "max-total-tokens max-calls strict-families system"
).split(" ");

export type Pack = Pick<z.infer<typeof PackFile>, "id" | "name" | "description" | "protocol"> & {
  /** What it sets. */
  readonly settings: Partial<Omit<Settings, "store">>;
  readonly from: FolderFile["from"];
  readonly path: string;
};

/** Reads a file's pack, null for one that only hides another. @throws Fault `configuration`, `untrusted` */
export function readPack(source: FolderFile, place: FileContext): readonly [id: string, Pack | null] {
  const file = readFolderYaml(source, "pack");
  if (isMapping(file.value) && file.value["enabled"] === false)
    return [checkedFile(file, Hidden, FORM).id, null];
  const { id, name, description, protocol, ...given } = checkedFile(file, PackFile, FORM);
  const raw = new Map<SettingKey, { value: unknown; path: readonly string[] }>();
  const set = (key: SettingKey, value: unknown, ...path: string[]) => {
    if (value !== undefined) raw.set(key, { value, path });
  };
  const personas = given.members.map(({ persona }) => persona);
  set("personas", personas, "members");
  for (const [key, field] of [
    ["models", "model"],
    ["temperatures", "temperature"],
  ] as const) {
    const values = given.members.flatMap((member) => member[field] ?? []);
    if (values.length > 0 && values.length < given.members.length)
      throw refuse(
        `${file.place(["members"], "key")}: some members have a ${field}, and others none`,
        `give each its ${field}, or none`,
      );
    set(key, values.length > 0 ? values : undefined, "members");
  }
  // A member's own counts over the pack's.
  const options = given.members.map(({ effort = given.effort, body, headers }) => ({
    ...{ effort, ...mergeOptions({ body: given.body, headers: given.headers }, { body, headers }) },
  }));
  const isAsked = options.some((own) => Object.values(own).some((one) => one !== undefined));
  set("memberOptions", isAsked ? options : undefined, "members");
  for (const key of ["chair", "reviewers", "strategy", "goal"] as const) set(key, given[key], key);
  for (const [key, value] of Object.entries(given.settings)) {
    const setting = settingKeys.get(key);
    if (setting === undefined || !OWN_SETTINGS.includes(key))
      throw refuse(
        `${file.place(["settings", key], "key")}: a pack cannot set ${quoteValue(key)}`,
        `the nearest is ${findNearest(key, OWN_SETTINGS)}; it may set ${OWN_SETTINGS.join(", ")}`,
      );
    set(setting, value, "settings", key);
  }
  for (const [key, { value, path }] of raw)
    checkSetting(key, {
      ...{ raw: value, name: file.place(path, "key") },
      place: (below, at) => file.place([...path, ...below], at),
      example: (text) => `${settingName(key)}: ${text}`,
    });
  if (source.from === "project") {
    const claims = [...raw].flatMap(([key, { value }]) =>
      claimsOfSetting(key, value, { folder: dirname(source.path), env: place.env, below: undefined }),
    );
    requireTrust(file, claims, place);
  }
  if (source.from !== "built-in") checkNames(file, given, place);
  const values = Object.fromEntries(
    [...raw].map(([key, { value }]) => [key, settingTypes[key].parse(value)]),
  );
  return [id, { id, name, description, protocol, settings: values, from: source.from, path: source.path }];
}

/** @throws Fault `configuration` with place and nearest, for what is not there */
function checkNames(
  file: Pick<YamlFile, "place">,
  { members, strategy, goal }: Pick<z.infer<typeof PackFile>, "members" | "strategy" | "goal">,
  place: FileContext,
): void {
  const personas = [...loadPersonas(place).keys()];
  for (const [index, { persona }] of members.entries())
    if (!personas.includes(persona))
      throw refuse(
        `${file.place(["members", index], "value")}: there is no persona ${quoteValue(persona)}`,
        `the nearest is ${findNearest(persona, personas)}; there are ${personas.join(", ")}`,
      );
  if (strategy === undefined) return;
  const at = file.place(["strategy"], "value");
  if (/[/\\]|\.(ya?ml|md)$/i.test(strategy))
    throw refuse(`${at}: a pack names a strategy, and no file`, `there are ${strategyNames(place)}`);
  try {
    loadStrategy(strategy, { ...place, goal });
  } catch (error) {
    if (!isFault(error, "configuration")) throw error;
    throw refuse(`${at}: ${error.details.why}`, error.details.next);
  }
}

const strategyNames = (place: FileContext): string =>
  listStrategies(place)
    .map(({ name }) => name)
    .join(", ");

/**
 * Every pack by id: built in, or a file in a `packs` folder of the project's `.parley` or of the user's settings, which
 * shadow and hide as personas do.
 * @throws Fault `configuration` for a file that is no pack or names what is not there
 */
export function loadPacks(place: FileContext): ReadonlyMap<string, Pack> {
  const all = collectNamed("packs", foldersOf("packs", place), (file) => readPack(file, place));
  return new Map([...all].flatMap(([id, pack]) => (pack ? [[id, pack] as const] : [])));
}

/** @throws Fault `configuration` for an id that is not there, with the nearest */
export function findPack(packs: ReadonlyMap<string, Pack>, id: string): Pack {
  return findNamed("packs", packs, { written: id });
}
