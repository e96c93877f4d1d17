// What the user's own file says counts over the built-in one, key by key; a list takes the whole list's place.
// A file with a key of LoCAL2's is LoCAL2's: what it says and nothing here can use is skipped and named. In any other, and for what is
// nearly a known key, an unknown key is an error.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtIn } from "./defaults/index.ts";
import { type KnownKeys, readFolderYaml, withoutUnknown } from "./named-files.ts";
import { nearestAbove, configFolder, type FileContext } from "./paths.ts";
import type { ValueSource } from "./sources.ts";
import { toOneLine } from "../text/words.ts";
import { displayPath } from "./text-file.ts";
import { requireTrust } from "./trust.ts";
import { isMapping, readYaml, refuseSecrets } from "./yaml.ts";

/** What LoCAL2's file of the same name has besides. */
type ForeignKeys = {
  /** Every key that is read here. */
  readonly known: KnownKeys;
  /** Those of LoCAL2's among them. */
  readonly theirs: readonly string[];
  /** LoCAL2's that are skipped, each with what there is to say about it. */
  readonly skipped: Readonly<Record<string, string>>;
};

export type OwnFile = ReturnType<typeof ownFile>;

/**
 * The file of settings of one subject: of the project's `.parley` folder, else of the user's settings; over the built-in
 * one.
 * @throws Fault `configuration` for a file that cannot be read, is not YAML, or holds a secret
 */
export function ownFile(subject: "critic" | "memory", place: FileContext, foreign: ForeignKeys) {
  const name = `${subject}.yaml`;
  const built = readFolderYaml({ path: name, data: builtIn["files"]?.[name] }, `${subject} file`);
  const project = nearestAbove(".parley", place);
  const candidates = [
    ...(project === undefined ? [] : [{ from: "project file", path: join(project, name) } as const]),
    { from: "user file", path: join(configFolder(place), name) } as const,
  ];
  const existing = candidates.find(({ path }) => existsSync(path));
  const read = existing && { from: existing.from, ...readYaml(existing.path, `${subject} file`) };
  if (read) refuseSecrets(read);
  const { value, skipped } = withoutForeign(read?.value, foreign);
  const own = read && { ...read, value };
  /** Whether the user's own file says something at this path. */
  const says = (path: readonly PropertyKey[]) =>
    own !== undefined && (valueAt(own.value, path) ?? null) !== null;
  return {
    /** What both files say together; places are those of the user's own file, where there is one. */
    file: own ? { ...own, value: mergeValues(built.value, own.value) } : built,
    says,
    /** A warning that names what is skipped, or none. */
    warnings: own && skipped.length > 0 ? [`${displayPath(own.path)}: skipped ${skipped.join(", ")}`] : [],
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

function withoutForeign(value: unknown, { known, theirs, skipped: reasons }: ForeignKeys) {
  const skipped: string[] = [];
  const keys = isMapping(value) ? Object.keys(value) : [];
  if (!isMapping(value) || !keys.some((key) => theirs.includes(key) || Object.hasOwn(reasons, key)))
    return { value, skipped };
  const rest = Object.entries(value).filter(([key]) => {
    const reason = Object.hasOwn(reasons, key) ? reasons[key] : undefined;
    if (reason !== undefined) skipped.push(`${key} (${reason})`);
    return reason === undefined;
  });
  const kept = withoutUnknown(Object.fromEntries(rest), known, (key) => {
    skipped.push(toOneLine(key, 100));
  });
  return { value: kept, skipped };
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
