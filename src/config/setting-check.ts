import type * as z from "zod";
import { nearest } from "./nearest.ts";
import { oneLine, refuse, shown } from "./refusal.ts";
import { entriesOf, hints, settingNames, Settings, written, type Hint, type SettingKey } from "./settings.ts";

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

/** @throws Fault `configuration` that says what was expected, what was found, and where */
export function checkSetting(key: SettingKey, given: Given): void {
  const read = Settings.shape[key].safeParse(given.raw);
  if (read.success) return;
  const [issue] = read.error.issues;
  throw issue ? explain(issue, key, given) : refuse(`${given.name} is not valid`, "correct it");
}

export const unknownSetting = (name: string, where: string) => {
  const next = `the nearest is ${nearest(name, settingNames)}; parley config lists all`;
  return refuse(`${where}: there is no setting ${shown(name)}`, next);
};

function explain(issue: z.core.$ZodIssue, key: SettingKey, given: Given) {
  const { path } = issue;
  const name = [written(key), ...path].join(".");
  const inName = issue.code === "invalid_key";
  if (issue.code === "unrecognized_keys") {
    const [word = ""] = issue.keys;
    const fields = fieldsOf(key);
    const where = given.place([...path, word], "key");
    return refuse(
      `${where}: there is no ${shown(word)} in ${name}`,
      `the nearest is ${nearest(word, fields)}`,
    );
  }
  const { expects, example } = hintFor(key, inName ? path.slice(0, 1) : path);
  const value = inName ? path.at(-1) : valueAt(given.raw, path);
  const found = path.at(-1) === "key-env" ? "something else (not shown: it may be a key)" : shown(value);
  const where = given.place(path, inName ? "key" : "value");
  const shownName = typeof path.at(-1) === "number" ? written(key) : name;
  const right = path.length > 0 && typeof path[0] !== "number" ? `write ${example}` : given.example(example);
  return refuse(`${where}: ${oneLine(shownName, 120)} is ${found}, not ${expects}`, right);
}

/** The hint of the deepest part of the path that has one. */
function hintFor(key: SettingKey, path: readonly PropertyKey[]): Hint {
  for (let length = Math.min(path.length, 2); length > 0; length -= 1) {
    const rest = length === 2 ? `.${String(path[1])}` : "";
    const hint = Object.hasOwn(hints, `${key}.*${rest}`) ? hints[`${key}.*${rest}`] : undefined;
    if (hint) return hint;
  }
  return hints[key];
}

const fieldsOf = (key: SettingKey): string[] =>
  Object.keys(hints).flatMap((path) =>
    path.startsWith(`${key}.*.`) ? [path.slice(`${key}.*.`.length)] : [],
  );

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const step of path) {
    const container = typeof step === "number" ? entriesOf(value) : value;
    if (typeof container !== "object" || container === null || !Object.hasOwn(container, step))
      return undefined;
    value = Reflect.get(container, step);
  }
  return value;
}
