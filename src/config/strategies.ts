import { nearest } from "./nearest.ts";
import { filesIn, foldersOf, stem } from "./overrides.ts";
import { absolute, type Place } from "./paths.ts";
import { refuse, shown } from "./refusal.ts";
import { readStrategy, type Strategy } from "./strategy-file.ts";
import { isStrategyPath, strategyName } from "./strategy-name.ts";

export type StrategyEntry = {
  readonly name: string;
  readonly from: "project" | "user" | "built-in";
  readonly path: string;
};
export type LoadedStrategy = Strategy & {
  readonly from: StrategyEntry["from"] | "file";
  readonly path: string;
};
export type StrategyRequest = Place & { readonly goal?: string | undefined };

/**
 * The strategy of a name (`risk-averse`, `Risk Averse`), or in a file: YAML, or markdown that is the directive
 * as it stands. Its directive keeps `{{goal}}`, which whoever renders it fills with the goal.
 * @throws Fault `configuration` for an unknown name (with the nearest), an invalid file, or a missing goal
 */
export function loadStrategy(nameOrFile: string, { goal, ...place }: StrategyRequest): LoadedStrategy {
  const loaded = isStrategyPath(nameOrFile) ? fromFile(nameOrFile, place) : byName(nameOrFile, place);
  if (loaded.needsGoal && (goal ?? "").trim() === "") {
    throw refuse(
      `the strategy ${loaded.name} needs a goal`,
      'say what to seek: --goal "…", or goal: in parley.yaml',
    );
  }
  return loaded;
}

/** Every strategy that is to be had by name, without reading it; the strongest place's of each name. */
export function listStrategies(place: Place): readonly StrategyEntry[] {
  const found = new Map<string, StrategyEntry>();
  for (const { from, path: folder } of foldersOf("strategies", place)) {
    for (const path of filesIn(folder, [".yaml", ".yml", ".md"])) {
      const name = strategyName(stem(path));
      const other = found.get(name);
      if (other?.from === from)
        throw refuse(`the strategy ${name} is in two files: ${path}, ${other.path}`, "remove one");
      if (!other) found.set(name, { name, from, path });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fromFile(file: string, place: Place): LoadedStrategy {
  const path = absolute(file, place);
  return { ...readStrategy(path), from: "file", path };
}

function byName(written: string, place: Place): LoadedStrategy {
  const name = strategyName(written);
  const known = listStrategies(place);
  const entry = known.find((one) => one.name === name);
  if (entry) return { ...readStrategy(entry.path), name, from: entry.from, path: entry.path };
  const names = known.map((one) => one.name);
  const next = `the nearest is ${nearest(name, names)}; there are ${names.join(", ")}, or name a file (.yaml, .md)`;
  throw refuse(`there is no strategy ${shown(written)}`, next);
}
