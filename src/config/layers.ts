import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { editDistance, findNearest } from "../text/words.ts";
import { nearestAbove } from "./named-files.ts";
import { toAbsolute, configFolder, type Environment, type FileContext } from "./paths.ts";
import { explainIssue } from "./explain.ts";
import { looksLikePath, toOneLine, refuse, quoteValue, displayPath } from "./text-file.ts";
import { refuseSecrets, readYaml } from "./yaml.ts";
import {
  isMapSetting,
  settingKeys,
  settingNames,
  Settings,
  settingVariable,
  settingName,
  type SettingKey,
} from "./settings.ts";

/** One value as somebody gave it, and how to speak of it. */
export type SettingValue = {
  readonly raw: unknown;
  /** As `parley config` names it: `--models`, `PARLEY_MODELS`, `/home/ada/parley.yaml:3`. */
  readonly name: string;
  /** Where a path below the value stands, for an error. */
  place(path: readonly PropertyKey[], at: "key" | "value"): string;
  /** A right value in the form in which this one was given. */
  example(text: string): string;
};

export type SettingOrigin = "flag" | "environment" | "project file" | "user file";

/** What one place says, every value checked. */
export type SettingLayer = {
  readonly from: SettingOrigin;
  readonly values: ReadonlyMap<SettingKey, SettingValue>;
};

const FILE = "parley.yaml";

/** Flags that are settings, under their own name or as a command-line library spells it (`maxCostUsd`); others are not looked at. */
export function flagLayer(flags: Readonly<Record<string, unknown>>, place: FileContext): SettingLayer {
  const given = new Map<SettingKey, SettingValue>();
  for (const [flag, raw] of Object.entries(flags)) {
    const name = settingName(flag);
    const key = settingKeys.get(name);
    if (key === undefined || raw === undefined || raw === null) continue;
    add(given, key, wordValue(`--${name}`, { raw: resolvePath(key, raw, place), example: `--${name} ` }));
  }
  return { from: "flag", values: given };
}

/** Variables of Parley's that set nothing here. */
const OTHER_VARIABLES = ["PARLEY_HOME", "PARLEY_DEBUG", "PARLEY_SIM_KEY"];

/** `PARLEY_` and the key; an empty variable is not set. `DATABASE_URL` is the store where `PARLEY_STORE` is not. */
export function environmentLayer(place: FileContext): SettingLayer {
  const { env } = place;
  refuseMisspelt(env);
  const given = new Map<SettingKey, SettingValue>();
  for (const [name, key] of settingKeys) {
    const variable = [settingVariable(name), ...(key === "store" ? ["DATABASE_URL"] : [])].find(
      (one) => (env[one] ?? "") !== "",
    );
    if (variable === undefined) continue;
    const raw = resolvePath(key, env[variable], place);
    add(given, key, wordValue(variable, { raw, example: `${variable}=` }));
  }
  return { from: "environment", values: given };
}

/** The nearest `parley.yaml` of the project, then the user's; each once. */
export function fileLayers(place: FileContext): readonly SettingLayer[] {
  const project = nearestAbove(FILE, place);
  const user = join(configFolder(place), FILE);
  return [
    ...(project === undefined || project === user ? [] : [fileLayer(project, "project file", place)]),
    ...(existsSync(user) ? [fileLayer(user, "user file", place)] : []),
  ];
}

function fileLayer(path: string, from: SettingOrigin, { env }: FileContext): SettingLayer {
  const file = readYaml(path, "settings file");
  const given = new Map<SettingKey, SettingValue>();
  if (file.value === null) return { from, values: given };
  if (typeof file.value !== "object" || Array.isArray(file.value)) {
    throw refuse(
      `${displayPath(path)} must be a YAML mapping of settings`,
      "write one setting per line, e.g. strategy: risk-averse",
    );
  }
  refuseSecrets(file);
  for (const [name, raw] of Object.entries(file.value)) {
    const key = settingKeys.get(name);
    if (key === undefined) throw unknownSetting(name, file.place([name], "key"));
    if (raw === null) continue;
    add(given, key, {
      raw: resolvePath(key, raw, { cwd: dirname(path), env }),
      name: file.place([name], "key").replace(/:\d+$/, ""),
      place: (below, at) => file.place([name, ...below], at),
      example: (text) => `${name}: ${text}`,
    });
  }
  return { from, values: given };
}

function add(given: Map<SettingKey, SettingValue>, key: SettingKey, value: SettingValue): void {
  if (isMapSetting(key) && typeof value.raw === "string") {
    throw refuse(
      `${value.place([], "value")}: ${settingName(key)} can only be set in a file`,
      `write it into ${FILE}`,
    );
  }
  checkSetting(key, value);
  given.set(key, value);
}

function wordValue(name: string, { raw, example }: { raw: unknown; example: string }): SettingValue {
  return {
    raw,
    name,
    place: () => name,
    example: (text) => `${example}${/[ ;&|<>(]/.test(text) ? `'${text}'` : text}`,
  };
}

/** A path stands for what it means where it was written. */
function resolvePath(key: SettingKey, raw: unknown, place: Pick<FileContext, "cwd" | "env">): unknown {
  if (typeof raw !== "string" || raw.trim() === "") return raw;
  const namesFile =
    key === "store" ? !raw.includes("://") && raw !== ":memory:" : key === "strategy" && looksLikePath(raw);
  return namesFile ? toAbsolute(raw, place) : raw;
}

/** Variables that nobody reads are other programs' business, unless one is a setting but for a letter or two. */
function refuseMisspelt(env: Environment): void {
  const known = settingNames.map(settingVariable);
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith("PARLEY_") || known.includes(variable) || OTHER_VARIABLES.includes(variable))
      continue;
    const meant = findNearest(variable, known);
    if (meant === undefined || editDistance(variable, meant) > (variable.length > 13 ? 2 : 1)) continue;
    throw refuse(`${variable} is not a setting`, `did you mean ${meant}? Set that, or unset ${variable}`);
  }
}

/** @throws Fault `configuration` that says what is wrong with the value, what is expected, and where */
export function checkSetting(key: SettingKey, given: SettingValue): void {
  const schema = Settings.shape[key];
  const read = schema.safeParse(given.raw, { reportInput: true });
  if (read.success) return;
  const { path, at, say, next, hint } = explainIssue(schema, read.error);
  const where = given.place(path, at);
  const isEntry = typeof path.at(-1) === "number";
  const name = toOneLine([settingName(key), ...(isEntry ? [] : path)].join("."), 120);
  // A flag and a variable are named by their place.
  const isNamed = where === given.name;
  const what = say(isNamed ? where : name);
  const example = hint?.noun === undefined && (path.length === 0 || isEntry) ? hint?.example : undefined;
  throw refuse(
    isNamed && what.startsWith(where) ? what : `${where}: ${what}`,
    example === undefined ? (next ?? "correct it") : `for example ${given.example(example)}`,
  );
}

function unknownSetting(name: string, where: string) {
  const next = `did you mean ${findNearest(name, settingNames)}? "parley config" lists all settings`;
  return refuse(`${where}: unknown setting ${quoteValue(name)}`, next);
}
