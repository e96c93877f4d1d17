// USERFILE-1. What the user's own file says counts over the built-in one, key by key; a list takes the whole list's place.
// USERFILE-2. A key without a value says nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { shipped } from "./defaults/index.ts";
import { nearestAbove, readFolderYaml } from "./named-files.ts";
import { configFolder, type FileContext } from "./paths.ts";
import type { ValueSource } from "./sources.ts";
import { requireTrust } from "./trust.ts";
import { isMapping, readYaml, refuseSecrets } from "./yaml.ts";

export type OwnFile = ReturnType<typeof ownFile>;

/**
 * The file of settings of one subject: of the project's `.parley` folder, else of the user's settings; over the built-in
 * one (USERFILE-1).
 * @throws Fault `configuration` for a file that cannot be read, is not YAML, or holds a secret
 */
export function ownFile(subject: "critic" | "memory", place: FileContext) {
  const name = `${subject}.yaml`;
  const built = readFolderYaml({ path: name, data: shipped["files"]?.[name] }, `${subject} file`);
  const project = nearestAbove(".parley", place);
  const candidates = [
    ...(project === undefined ? [] : [{ from: "project file", path: join(project, name) } as const]),
    { from: "user file", path: join(configFolder(place), name) } as const,
  ];
  const existing = candidates.find(({ path }) => existsSync(path));
  const own = existing && { from: existing.from, ...readYaml(existing.path, `${subject} file`) };
  if (own) refuseSecrets(own);
  /** Whether the user's own file says something at this path. */
  const says = (path: readonly PropertyKey[]) => (valueAt(own?.value, path) ?? null) !== null;
  return {
    /** What both files say together; places are those of the user's own file, where there is one. */
    file: own ? { ...own, value: mergeValues(built.value, own.value) } : built,
    says,
    /** Requires trust in the project's own file where it names this. @throws Fault `untrusted` */
    requireTrust: (names: readonly string[]): void => {
      if (own?.from === "project file") requireTrust(own, names, place);
    },
    /** `value` with where the user's own file says what stands at this path (`/home/ada/critic.yaml:3`), else as a default. */
    sourceOf: (path: readonly PropertyKey[], value: unknown): ValueSource =>
      own && says(path)
        ? { value, from: own.from, name: own.place(path, "key").replace(/:\d+$/, "") }
        : { value, from: "default", name: "default" },
  };
}

function mergeValues(below: unknown, above: unknown): unknown {
  if ((above ?? null) === null) return below;
  if (!isMapping(below) || !isMapping(above)) return above;
  const merged = Object.entries(above).map(([key, value]) => [key, mergeValues(below[key], value)]);
  return { ...below, ...Object.fromEntries(merged) };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    value,
  );
}

/** The source of each of these values, by its dotted key behind `prefix`; of a mapping, entry by entry. */
export function listSources(
  own: OwnFile,
  prefix: readonly [subject: string, ...path: string[]],
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, ValueSource>> {
  const [, ...path] = prefix;
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      isMapping(value)
        ? Object.entries(listSources(own, [...prefix, key], value))
        : [[[...prefix, key].join("."), own.sourceOf([...path, key], value)]],
    ),
  );
}
