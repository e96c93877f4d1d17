import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import * as z from "zod";
import { checkedFile } from "../../../config/named-files.ts";
import { displayPath, MEGABYTE, readTextFile, refuse, replaceFile } from "../../../config/text-file.ts";
import { isMapping, parseYaml, type YamlFile } from "../../../config/yaml.ts";
import { Forest, ForestSeed, ResultRecord, WeatherEvent } from "../protocol/state.ts";
import { pluralize } from "../../../text/format.ts";

// ARCHIVE-1. A cycle's folder is there whole or not at all: its files are written beside it, and the folder is renamed. Else: a crash
//     leaves half a cycle that reads as a whole one.

const FILES = {
  state: "forest-state.yaml",
  seeds: "seed-bank.yaml",
  weather: "weather-log.yaml",
  results: "result-records.yaml",
} as const;

const MAX_BYTES = 64 * MEGABYTE;

export type ReadForest = { readonly forest: Forest; readonly warnings: readonly string[] };

const foldersOfCycles = (archive: string): string[] =>
  existsSync(archive)
    ? readdirSync(archive, { withFileTypes: true })
        .filter((one) => one.isDirectory() && one.name.startsWith("cycle_"))
        .map(({ name }) => name)
        .sort()
    : [];

/**
 * The folders of the cycles that a path names, oldest first: a cycle's own, those of an archive, or those of the folder that
 * has an `archive`. @throws Fault `configuration` for none
 */
export function cyclesAt(path: string): readonly string[] {
  if (existsSync(join(path, FILES.state))) return [path];
  for (const archive of [path, join(path, "archive")]) {
    const cycles = foldersOfCycles(archive);
    if (cycles.length > 0) return cycles.map((name) => join(archive, name));
  }
  throw refuse(
    `${displayPath(path)} has no cycle of a forest`,
    `name a folder that has an archive, or ${FILES.state}`,
  );
}

/** The folder of the newest cycle in an archive. @throws Fault `configuration` where there is none */
export function latestCycle(archive: string): string {
  const newest = foldersOfCycles(archive).at(-1);
  if (newest === undefined)
    throw refuse(`${displayPath(archive)} has no folder of a cycle`, "plant a forest first");
  return join(archive, newest);
}

const SeedBank = z.looseObject({ seeds: z.array(ForestSeed).default([]) });
const WeatherLog = z.looseObject({ weather_events: z.array(WeatherEvent).default([]) });
const ResultFile = z.looseObject({ results: z.array(ResultRecord).default([]) });

/** Reads the folder of a cycle; all files but `forest-state.yaml` may be missing. @throws Fault `configuration` with file, line and field */
export function readForest(folder: string): ReadForest {
  const warnings: string[] = [];
  const read = (name: string): YamlFile | undefined => {
    const path = join(folder, name);
    if (!existsSync(path)) return undefined;
    const file = parseYaml(readTextFile({ path, kind: "file of a forest", maxBytes: MAX_BYTES }), path);
    return { ...file, value: upgradeFile(file, warnings) };
  };
  const state = read(FILES.state);
  if (!state) throw refuse(`${displayPath(folder)} has no ${FILES.state}`, "name the folder of a cycle");
  const whole = checkedFile(state, Forest, "correct the file, or go on from an earlier cycle");
  const own = <S extends z.ZodType>(name: string, schema: S): z.output<S> | undefined => {
    const file = read(name);
    return file && checkedFile(file, schema, "correct the file, or go on from an earlier cycle");
  };
  const forest = {
    ...whole,
    seeds: own(FILES.seeds, SeedBank)?.seeds ?? whole.seeds,
    weather_events: own(FILES.weather, WeatherLog)?.weather_events ?? whole.weather_events,
    results: own(FILES.results, ResultFile)?.results ?? whole.results,
  };
  return { forest, warnings };
}

/** How an entry of text, as files had them once, becomes one of today's. */
const UPGRADES = new Map(
  Object.entries<(text: string, nth: number) => object>({
    golden_leaf_pool: (text) => ({ summary: text }),
    sick_leaf_warnings: (text) => ({ reason: text, blocked_from_reuse: true }),
    trees: (text, nth) => ({ tree_id: `tree_${pad(nth)}`, name: text, core_logic: text, status: "active" }),
    branches: (text, nth) => ({
      branch_id: `branch_${pad(nth)}`,
      hypothesis: text,
      depth: 1,
      status: "proposed",
    }),
    seeds: (text, nth) => ({
      ...{ seed_id: `seed_${pad(nth)}`, idea: text, source_type: "external", status: "hold" },
      ...{ validation_plan: "", reason: "an entry of text" },
    }),
  }),
);
const pad = (nth: number): string => String(nth + 1).padStart(3, "0");

/** A file's data with its entries of text upgraded, each list with a warning. */
function upgradeFile({ value, place }: YamlFile, warnings: string[]): unknown {
  const upgrade = (data: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(data)) return data.map((item, nth) => upgrade(item, [...path, nth]));
    if (!isMapping(data)) return data;
    return Object.fromEntries(
      Object.entries(data).map(([key, inner]) => {
        const to = UPGRADES.get(key);
        if (!to || !Array.isArray(inner)) return [key, upgrade(inner, [...path, key])];
        const texts = inner.filter((item) => typeof item === "string").length;
        if (texts > 0)
          warnings.push(
            `${place([...path, key], "key")}: ${pluralize(texts, "entry")} of text in ${key} ${texts === 1 ? "is" : "are"} read as today's`,
          );
        return [
          key,
          inner.map((item, nth) =>
            typeof item === "string" ? to(item, nth) : upgrade(item, [...path, key, nth]),
          ),
        ];
      }),
    );
  };
  return upgrade(value, []);
}

const isWritten = (folder: string, forest: Forest): boolean =>
  Object.entries(forestFiles(forest)).every(
    ([name, data]) =>
      existsSync(join(folder, name)) && readFileSync(join(folder, name), "utf8") === yamlOf(data),
  );

/**
 * Writes a forest as the folder of its cycle, whole or not at all (ARCHIVE-1). Returns the folder. @throws Fault `configuration`
 * for one that is there with other files
 */
export function writeForest(archive: string, forest: Forest): string {
  const folder = join(archive, forest.cycle_id);
  if (existsSync(folder) && isWritten(folder, forest)) return folder;
  if (existsSync(folder)) throw refuse(`${displayPath(folder)} is there already`, "name another archive");
  const draft = join(archive, `.${forest.cycle_id}.${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  for (const [name, data] of Object.entries(forestFiles(forest)))
    writeFileSync(join(draft, name), yamlOf(data));
  renameSync(draft, folder);
  return folder;
}

const LOG = "events.jsonl";
const LOCK = ".saving";
/** Saving takes milliseconds: a lock that is older was left by a process that was killed. */
const STALE_MS = 10_000;

/** Saves a cycle, one process at a time. */
export function keepsCycle<T>(archive: string, save: () => T): T {
  mkdirSync(archive, { recursive: true });
  const lock = join(archive, LOCK);
  for (;;)
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (Date.now() - since > STALE_MS) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  try {
    return save();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Appends a cycle's lines to the log, all or none, unless they are its end already. */
export function appendLog(archive: string, lines: readonly string[]): void {
  const path = join(archive, LOG);
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const added = lines.map((line) => `${line}\n`).join("");
  if (before.endsWith(added)) return;
  replaceFile(path, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${added}`);
}

/** Whether simulated models had a part in the forest of an archive, or of the folder that has one. */
export const isSimulatedArchive = (path: string): boolean =>
  [path, join(path, "archive"), join(path, "..")].some((folder) => {
    const log = join(folder, LOG);
    return existsSync(log) && /"agent":"sim\//.test(readFileSync(log, "utf8"));
  });

/** The data of a cycle's four files, by name. */
export function forestFiles(forest: Forest): { readonly [file: string]: object } {
  const { seeds, weather_events, results, ...state } = forest;
  const { cycle_id, climate } = forest;
  const allocations: Record<string, number> = {};
  for (const { target, allocation } of weather_events)
    allocations[target] = (allocations[target] ?? 0) + allocation;
  return {
    [FILES.state]: state,
    [FILES.seeds]: { cycle_id, seed_slots: climate.seed_slots, seeds },
    [FILES.weather]: {
      ...{ cycle_id, climate_mode: climate.mode, temperature: climate.temperature },
      ...{ seed_budget: climate.seed_budget, allocations, weather_events },
    },
    [FILES.results]: { cycle_id, results },
  };
}

const yamlOf = (data: object): string => stringify(data, { lineWidth: 0, aliasDuplicateObjects: false });
