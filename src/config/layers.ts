import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { distance, nearest } from "../text/words.ts";
import { nearestAbove } from "./named-files.ts";
import { absolute, configHome, type Environment, type Place } from "./paths.ts";
import { explain } from "./explain.ts";
import { isPath, oneLine, refuse, shown, fileName } from "./text-file.ts";
import { refuseSecrets, readYaml } from "./yaml.ts";
import { isMapped, keyOf, settingNames, Settings, variableOf, written, type SettingKey } from "./settings.ts";

/** One value as somebody gave it, and how to speak of it. */
export type Given = {
  readonly raw: unknown;
  /** As `parley config` names it: `--models`, `PARLEY_MODELS`, `/home/ada/parley.yaml:3`. */
  readonly name: string;
  /** Where a path below the value stands, for an error. */
  place(path: readonly PropertyKey[], at: "key" | "value"): string;
  /** A right value in the form in which this one was given. */
  example(text: string): string;
};

export type From = "flag" | "environment" | "project file" | "user file";

/** What one place says, every value checked. */
export type Layer = { readonly from: From; readonly given: ReadonlyMap<SettingKey, Given> };

const FILE = "parley.yaml";

/** Flags that are settings, under their own name or as a command-line library spells it (`maxCostUsd`); others are not looked at. */
export function flagLayer(flags: Readonly<Record<string, unknown>>, place: Place): Layer {
  const given = new Map<SettingKey, Given>();
  for (const [flag, raw] of Object.entries(flags)) {
    const name = written(flag);
    const key = keyOf.get(name);
    if (key === undefined || raw === undefined || raw === null) continue;
    add(given, key, fromWord(`--${name}`, { raw: rooted(key, raw, place), example: `--${name} ` }));
  }
  return { from: "flag", given };
}

/** Variables of Parley's that set nothing here. */
const OTHERS = ["PARLEY_HOME", "PARLEY_DEBUG", "PARLEY_SIM_KEY"];

/** `PARLEY_` and the key; an empty variable is not set. `DATABASE_URL` is the store where `PARLEY_STORE` is not. */
export function environmentLayer(place: Place): Layer {
  const { env } = place;
  refuseMisspelt(env);
  const given = new Map<SettingKey, Given>();
  for (const [name, key] of keyOf) {
    const variable = [variableOf(name), ...(key === "store" ? ["DATABASE_URL"] : [])].find(
      (one) => (env[one] ?? "") !== "",
    );
    if (variable === undefined) continue;
    const raw = rooted(key, env[variable], place);
    add(given, key, fromWord(variable, { raw, example: `${variable}=` }));
  }
  return { from: "environment", given };
}

/** The nearest `parley.yaml` of the project, then the user's; each once. */
export function fileLayers(place: Place): readonly Layer[] {
  const project = nearestAbove(FILE, place);
  const user = join(configHome(place), FILE);
  return [
    ...(project === undefined || project === user ? [] : [fileLayer(project, "project file", place)]),
    ...(existsSync(user) ? [fileLayer(user, "user file", place)] : []),
  ];
}

function fileLayer(path: string, from: From, { env }: Place): Layer {
  const file = readYaml(path, "settings file");
  const given = new Map<SettingKey, Given>();
  if (file.value === null) return { from, given };
  if (typeof file.value !== "object" || Array.isArray(file.value)) {
    throw refuse(
      `${fileName(path)} must be a YAML mapping of settings`,
      "write one setting per line, e.g. strategy: risk-averse",
    );
  }
  refuseSecrets(file);
  for (const [name, raw] of Object.entries(file.value)) {
    const key = keyOf.get(name);
    if (key === undefined) throw unknownSetting(name, file.place([name], "key"));
    if (raw === null) continue;
    add(given, key, {
      raw: rooted(key, raw, { cwd: dirname(path), env }),
      name: file.place([name], "key").replace(/:\d+$/, ""),
      place: (below, at) => file.place([name, ...below], at),
      example: (text) => `${name}: ${text}`,
    });
  }
  return { from, given };
}

function add(given: Map<SettingKey, Given>, key: SettingKey, value: Given): void {
  if (isMapped(key) && typeof value.raw === "string") {
    throw refuse(
      `${value.place([], "value")}: ${written(key)} can only be set in a file`,
      `write it into ${FILE}`,
    );
  }
  checkSetting(key, value);
  given.set(key, value);
}

function fromWord(name: string, { raw, example }: { raw: unknown; example: string }): Given {
  return {
    raw,
    name,
    place: () => name,
    example: (text) => `${example}${/[ ;&|<>(]/.test(text) ? `'${text}'` : text}`,
  };
}

/** A path stands for what it means where it was written. */
function rooted(key: SettingKey, raw: unknown, place: Pick<Place, "cwd" | "env">): unknown {
  if (typeof raw !== "string" || raw.trim() === "") return raw;
  const namesFile =
    key === "store" ? !raw.includes("://") && raw !== ":memory:" : key === "strategy" && isPath(raw);
  return namesFile ? absolute(raw, place) : raw;
}

/** Variables that nobody reads are other programs' business, unless one is a setting but for a letter or two. */
function refuseMisspelt(env: Environment): void {
  const known = settingNames.map(variableOf);
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith("PARLEY_") || known.includes(variable) || OTHERS.includes(variable)) continue;
    const meant = nearest(variable, known);
    if (meant === undefined || distance(variable, meant) > (variable.length > 13 ? 2 : 1)) continue;
    throw refuse(`${variable} is not a setting`, `did you mean ${meant}? Set that, or unset ${variable}`);
  }
}

/** @throws Fault `configuration` that says what is wrong with the value, what is expected, and where */
export function checkSetting(key: SettingKey, given: Given): void {
  const schema = Settings.shape[key];
  const read = schema.safeParse(given.raw, { reportInput: true });
  if (read.success) return;
  const { path, at, say, next, hint } = explain(schema, read.error);
  const where = given.place(path, at);
  const isEntry = typeof path.at(-1) === "number";
  const name = oneLine([written(key), ...(isEntry ? [] : path)].join("."), 120);
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
  const next = `did you mean ${nearest(name, settingNames)}? "parley config" lists all settings`;
  return refuse(`${where}: unknown setting ${shown(name)}`, next);
}
