// Flag before environment before project file before user file before default; of a map, entry by entry.
// SETTINGS-3. No password reaches what is shown. Else: a database's password stands in a terminal or a report.
// A name with a tag and without a provider is a model of Ollama's; what another program writes before a colon is not.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { redactSecrets } from "../kernel/index.ts";
import { findMeant, findNearest, quoteValue, toOneLine } from "../text/words.ts";
import { writeDuration } from "./duration.ts";
import { explainIssue } from "./explain.ts";
import { describeServer, resolveServers } from "./mcp-servers.ts";
import { claimsOfSetting } from "./project-settings.ts";
import {
  nearestAbove,
  SETTINGS_FILE as FILE,
  configFolder,
  defaultStoreFile,
  toAbsolute,
  type FileContext,
} from "./paths.ts";
import {
  completeSettings,
  isFileSetting,
  isMapSetting,
  RENAMED_SETTINGS,
  settingKeys,
  settingName,
  settingNames,
  settingTypes,
  type Settings,
  settingVariable,
  type SettingKey,
} from "./settings.ts";
import { displayPath, looksLikePath, refuse } from "./text-file.ts";
import { programIn, requireTrust } from "./trust.ts";
import { isMapping, readYaml, refuseSecrets } from "./yaml.ts";

export type SettingOrigin = "flag" | "environment" | "project file" | "user file";

/** An effective value, fit to be shown, and where it came from: a flag, `PARLEY_MODELS`, a file and line, `default`. */
export type ValueSource = {
  readonly value: unknown;
  readonly from: SettingOrigin | "default";
  readonly name: string;
};

export type LoadedSettings = {
  readonly settings: Settings & { readonly store: string };
  /** Where each setting that was given comes from, the entries of a map one by one. */
  readonly given: ReadonlyMap<SettingKey, readonly Choice[]>;
  /** By key as files write it; entries of a map one by one (`families.ollama/mine`). */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** What was given under an older name, and the name now. */
  readonly renamed: readonly string[];
};

export type SettingsRequest = FileContext & {
  /** Values that were given by hand, under a setting's name or as a command-line library spells it (`maxCostUsd`). */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** What the surface writes before a setting's name where it names a flag. */
  readonly flagPrefix?: string;
};

/** One value as somebody gave it, and how to speak of it. */
export type SettingValue = {
  readonly raw: unknown;
  /** As a list of settings names it: a flag, `PARLEY_MODELS`, `/home/ada/parley.yaml:3`. */
  readonly name: string;
  /** Where a path below the value stands, for an error. */
  place(path: readonly PropertyKey[], at: "key" | "value"): string;
  /** A right value in the form in which this one was given. */
  example(text: string): string;
};

/** What one place says, every value checked. */
type SettingLayer = {
  readonly from: SettingOrigin;
  readonly values: ReadonlyMap<SettingKey, SettingValue>;
  readonly renamed?: readonly string[];
};

/**
 * The settings in force: one that is not given has its default, and the store is always named.
 * @throws Fault `configuration` for anything given that is unknown, malformed, unreadable or a secret in a file
 */
export function loadSettings({ flags = {}, flagPrefix = "", ...place }: SettingsRequest): LoadedSettings {
  const layers = [flagLayer(flags, flagPrefix, place), environmentLayer(place), ...fileLayers(place)];
  const keys = new Set(layers.flatMap(({ values }) => [...values.keys()]));
  const chosen = new Map([...keys].map((key) => [key, collectChoices(key, layers)]));
  const raw = [...chosen].map(([key, choices]) =>
    isMapSetting(key)
      ? [key, Object.fromEntries(choices.map(({ entry, raw: value }) => [entry, value]))]
      : [key, choices[0]?.raw],
  );
  const parsed = completeSettings(Object.fromEntries(raw));
  const settings = { ...parsed, store: parsed.store ?? defaultStoreFile(place) };
  const sourcesOf = ([name, key]: readonly [string, SettingKey]): [string, ValueSource][] =>
    chosen
      .get(key)
      ?.map(({ entry, from, name: given, raw: own }) =>
        isMapSetting(key)
          ? [`${name}.${entry}`, { value: displayValue(key, own), from, name: given }]
          : [name, { value: displayValue(key, settings[key]), from, name: given }],
      ) ?? [[name, { value: displayValue(key, settings[key]), from: "default", name: "default" }]];
  return {
    settings,
    given: chosen,
    get sources() {
      return Object.fromEntries([...settingKeys].flatMap(sourcesOf));
    },
    renamed: layers.flatMap((layer) => layer.renamed ?? []),
  };
}

/** `entry` is empty for a setting that is not a map. */
export type Choice = {
  readonly from: SettingOrigin;
  readonly name: string;
  readonly entry: string;
  readonly raw: unknown;
};

function collectChoices(key: SettingKey, layers: readonly SettingLayer[]): readonly Choice[] {
  const choices = new Map<string, Choice>();
  for (const { from, values } of layers) {
    const value = values.get(key);
    if (!value) continue;
    const { raw, name } = value;
    const entries = isMapSetting(key) && isMapping(raw) ? Object.entries(raw) : [["", raw] as const];
    for (const [entry, inner] of entries) {
      const line = entry === "" ? name : value.place([entry], "key").replace(/:\d+$/, "");
      if (!choices.has(entry)) choices.set(entry, { from, name: line, entry, raw: inner });
    }
  }
  return [...choices.values()];
}

function displayValue(key: SettingKey, value: unknown): unknown {
  if (typeof value === "number" && key.endsWith("Ms")) return writeDuration(value);
  if (key === "mcpServers" && isMapping(value) && ("command" in value || "url" in value))
    return redactSecrets(describeServer(value));
  return typeof value === "string" ? redactSecrets(value) : value;
}

/** Flags that are settings; others are ignored. */
function flagLayer(
  flags: Readonly<Record<string, unknown>>,
  prefix: string,
  place: FileContext,
): SettingLayer {
  const values = new Map<SettingKey, SettingValue>();
  for (const [flag, raw] of Object.entries(flags)) {
    const name = `${prefix}${settingName(flag)}`;
    const key = settingKeys.get(settingName(flag));
    if (key !== undefined && (raw ?? null) !== null)
      addValue(values, key, wordValue(name, resolvePath(key, raw, place), `${name} `));
  }
  return { from: "flag", values };
}

/** Another name of the variable of the setting `store`. `DATABASE_URL` is an application's own. */
const STORE_VARIABLE = "PARLEY_DATABASE_URL";

/** Variables of Parley's that set nothing here. */
const OTHER_VARIABLES = ["PARLEY_HOME", "PARLEY_DEBUG", "PARLEY_SIM_KEY", "PARLEY_NOTIFY_SECRET"];

/** `PARLEY_` and the key; an empty variable is not set. `PARLEY_STORE` counts before its other name. */
function environmentLayer(place: FileContext): SettingLayer {
  const { env } = place;
  const values = new Map<SettingKey, SettingValue>();
  const renamed: string[] = [];
  const given = Object.keys(env).filter((name) => /^PARLEY_/i.test(name) && !OTHER_VARIABLES.includes(name));
  if (given.length === 0) return { from: "environment", values };
  refuseMisspelled(given);
  const older = new Map([...RENAMED_SETTINGS].map(([before, now]) => [now, settingVariable(before)]));
  for (const [name, key] of settingKeys) {
    const before = older.get(name);
    const names = [settingVariable(name), key === "store" ? STORE_VARIABLE : "", before ?? ""];
    const variable = names.find((one) => (env[one] ?? "") !== "");
    if (variable === undefined) continue;
    if (variable === before) renamed.push(`${before} is now ${settingVariable(name)}`);
    addValue(values, key, wordValue(variable, resolvePath(key, env[variable], place), `${variable}=`));
  }
  return { from: "environment", values, renamed };
}

/** The nearest `parley.yaml` of the project, then the user's; each once. */
function fileLayers(place: FileContext): readonly SettingLayer[] {
  const project = nearestAbove(FILE, place);
  const path = join(configFolder(place), FILE);
  const user = existsSync(path) ? readLayer(path, "user file", place) : undefined;
  return [
    ...(project === undefined || project === path ? [] : [projectLayer(project, user?.layer, place)]),
    ...(user ? [user.layer] : []),
  ];
}

/** @throws Fault `untrusted` where the project sets what only the user may allow */
function projectLayer(path: string, user: SettingLayer | undefined, place: FileContext): SettingLayer {
  const { file, layer } = readLayer(path, "project file", place);
  const claims = [...layer.values].flatMap(([key, { raw }]) => {
    const below = user?.values.get(key)?.raw;
    return claimsOfSetting(key, raw, { folder: dirname(path), env: place.env, below });
  });
  const servers = layer.values.get("mcpServers")?.raw;
  const programs = isMapping(servers)
    ? Object.values(servers).flatMap((one) => programsOf(one, path, place))
    : [];
  const modules = [layer.values.get("features")?.raw].flat();
  programs.push(...modules.flatMap((one) => (isPath(one) ? (programIn(one, dirname(path)) ?? []) : [])));
  requireTrust({ ...file, programs }, claims, place);
  return layer;
}

/** The files of the folder of a project's settings that a server of tools is run by, as its command and arguments name them. */
function programsOf(server: unknown, path: string, { cwd }: FileContext): readonly string[] {
  if (!isMapping(server)) return [];
  const { command, args, cwd: own } = server;
  const words = [command, args]
    .flat()
    .flatMap((word) => [String(word), String(word).replace(/^-[^=]*=/, "")]);
  return [dirname(path), cwd, ...(typeof own === "string" ? [own] : [])].flatMap((folder) =>
    words.flatMap((word) => programIn(resolve(folder, word), dirname(path)) ?? []),
  );
}

function readLayer(path: string, from: SettingOrigin, { env }: FileContext) {
  const file = readYaml(path, "settings file");
  const values = new Map<SettingKey, SettingValue>();
  const renamed: string[] = [];
  if (!isMapping(file.value ?? {})) {
    const next = "write one setting per line, e.g. strategy: risk-averse";
    throw refuse(`${displayPath(path)} must be a YAML mapping of settings`, next);
  }
  refuseSecrets(file);
  for (const [name, raw] of Object.entries(file.value ?? {})) {
    const now = RENAMED_SETTINGS.get(name) ?? name;
    const key = settingKeys.get(now === "mcpServers" ? settingName(now) : now);
    const place = file.place([name], "key");
    if (now !== name) renamed.push(`${place}: ${name} is now ${now}`);
    if (key === undefined) {
      const nearest = findNearest(name, [...settingNames, ...RENAMED_SETTINGS.keys()]) ?? name;
      const next = `did you mean ${RENAMED_SETTINGS.get(nearest) ?? nearest}?`;
      throw refuse(`${place}: unknown setting ${quoteValue(name)}`, next);
    }
    if (raw === null) continue;
    addValue(values, key, {
      raw: resolvePath(key, raw, { cwd: dirname(path), env }),
      name: place.replace(/:\d+$/, ""),
      place: (below, at) => file.place([name, ...below], at),
      example: (text) => `${name}: ${text}`,
    });
  }
  const layer: SettingLayer = { from, values, renamed };
  return { file, layer };
}

function addValue(values: Map<SettingKey, SettingValue>, key: SettingKey, value: SettingValue): void {
  if (isFileSetting(key) && typeof value.raw === "string") {
    const why = `${value.place([], "value")}: ${settingName(key)} can only be set in a file`;
    throw refuse(why, `write it into ${FILE}`);
  }
  checkSetting(key, value);
  values.set(key, value);
}

/** A value that was given as one word, behind `assignment`. */
function wordValue(name: string, raw: unknown, assignment: string): SettingValue {
  const quote = (text: string) => (/[ ;&|<>(]/.test(text) ? `'${text}'` : text);
  return { raw, name, place: () => name, example: (text) => `${assignment}${quote(text)}` };
}

/** A path stands for what it means where it was written. */
function resolvePath(key: SettingKey, raw: unknown, place: Pick<FileContext, "cwd" | "env">): unknown {
  if (key === "mcpServers") return resolveServers(raw, place);
  if (key === "features") return [raw].flat().map((one) => (isPath(one) ? toAbsolute(one, place) : one));
  if (typeof raw !== "string" || raw.trim() === "") return raw;
  const namesFile =
    key === "store" ? !raw.includes("://") && raw !== ":memory:" : key === "strategy" && looksLikePath(raw);
  return namesFile ? toAbsolute(raw, place) : raw;
}

const isPath = (name: unknown): name is string =>
  typeof name === "string" && /^(?:\.{0,2}|~)[\\/]/.test(name);

/** Unknown variables are other programs' business, unless one is a setting but for a letter or two. */
function refuseMisspelled(variables: readonly string[]): void {
  const known = [STORE_VARIABLE, ...[...settingNames, ...RENAMED_SETTINGS.keys()].map(settingVariable)];
  for (const variable of variables) {
    if (known.includes(variable) || !variable.startsWith("PARLEY_")) continue;
    const meant = findMeant(variable, known, "PARLEY_".length);
    if (meant === undefined) continue;
    throw refuse(`${variable} is not a setting`, `did you mean ${meant}? Set that, or unset ${variable}`);
  }
}

/** @throws Fault `configuration` that says what is wrong with the value, what is expected, and where */
export function checkSetting(key: SettingKey, value: SettingValue): void {
  const schema = settingTypes[key];
  const read = schema.safeParse(value.raw, { reportInput: true });
  if (read.success) return;
  const { path, at, say, next, hint } = explainIssue(schema, read.error);
  const where = value.place(path, at);
  const isEntry = typeof path.at(-1) === "number";
  // A flag and a variable are named by their place.
  const isNamed = where === value.name;
  const name = toOneLine([settingName(key), ...(isEntry ? [] : path)].join("."), 120);
  const what = say(isNamed ? where : name);
  const example = hint?.noun === undefined && (path.length === 0 || isEntry) ? hint?.example : undefined;
  throw refuse(
    isNamed && what.startsWith(where) ? what : `${where}: ${what}`,
    example === undefined ? (next ?? "correct it") : `for example ${value.example(example)}`,
  );
}
