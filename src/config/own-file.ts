// O1. What the user's own file says counts over the built-in one, key by key; a list takes the whole list's place.
// O2. A key without a value says nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { shipped } from "./defaults/index.ts";
import { nearestAbove, readFolderYaml } from "./named-files.ts";
import { configFolder, type FileContext } from "./paths.ts";
import { refuseSecrets, readYaml, type YamlFile } from "./yaml.ts";
import type { ValueSource } from "./sources.ts";

/** Settings of one subject that stand in a file of their own. */
export type Subject = "critic" | "memory";

export type OwnFile = {
  /** What both files say together; places are those of the user's own file, where there is one. */
  readonly file: YamlFile;
  /** Whether the user's own file says something at this path. */
  readonly says: (path: readonly string[]) => boolean;
  /** `value` with where the user's own file says what stands at this path (`/home/ada/critic.yaml:3`), else as a default. */
  readonly sourceOf: (path: readonly PropertyKey[], value: unknown) => ValueSource;
};

/**
 * A subject's file: of the project's `.parley` folder, else of the user's settings; over the built-in one (O1).
 * @throws Fault `configuration` for a file that cannot be read, is not YAML, or holds a secret
 */
export function ownFile(subject: Subject, place: FileContext): OwnFile {
  const name = `${subject}.yaml`;
  const built = readFolderYaml({ path: name, data: shipped["files"]?.[name] }, `${subject} file`);
  const found = filesOf(name, place).find(({ path }) => existsSync(path));
  const own = found && { from: found.from, ...readYaml(found.path, `${subject} file`) };
  if (own) refuseSecrets(own);
  const says = (path: readonly PropertyKey[]) => !isAbsent(valueAt(own?.value, path));
  return {
    file: own ? { ...own, value: mergeValues(built.value, own.value) } : built,
    says,
    sourceOf: (path, value) =>
      own && says(path)
        ? { value, from: own.from, name: own.place(path, "key").replace(/:\d+$/, "") }
        : { value, from: "default", name: "default" },
  };
}

type FileCandidate = { readonly from: "project file" | "user file"; readonly path: string };

function filesOf(name: string, place: FileContext): readonly FileCandidate[] {
  const project = nearestAbove(".parley", place);
  return [
    ...(project === undefined ? [] : [{ from: "project file", path: join(project, name) } as const]),
    { from: "user file", path: join(configFolder(place), name) },
  ];
}

function mergeValues(below: unknown, above: unknown): unknown {
  if (isAbsent(above)) return below;
  if (!isMap(below) || !isMap(above)) return above;
  const known = new Map(Object.entries(below));
  return {
    ...below,
    ...Object.fromEntries(
      Object.entries(above).map(([key, value]) => [key, mergeValues(known.get(key), value)]),
    ),
  };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
