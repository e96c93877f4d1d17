// L1. Flag before environment before project file before user file before default; of a map, entry by entry.
// L2. Every value that was given is checked, also one that another overrules.
// L3. No password reaches what is shown.

import { durationText } from "./duration.ts";
import { environmentLayer, fileLayers, flagLayer, type From, type Layer } from "./layers.ts";
import { storeFile, type Place } from "./paths.ts";
import { withoutSecrets } from "./text-file.ts";
import { isMapped, keyOf, Settings, type SettingKey } from "./settings.ts";

/** An effective value, fit to be shown, and where it came from: `--models`, `PARLEY_MODELS`, a file and line, `default`. */
export type Source = { readonly value: unknown; readonly from: From | "default"; readonly name: string };

export type LoadedSettings = {
  readonly settings: Settings & { readonly store: string };
  /** By key as files write it; entries of a map one by one (`families.ollama/mine`). */
  readonly sources: Readonly<Record<string, Source>>;
};

export type SettingsRequest = Place & { readonly flags?: Readonly<Record<string, unknown>> };

/**
 * The settings in force for a command: one that is not given has its default, and the store is always named.
 * @throws Fault `configuration` for anything given that is unknown, malformed, unreadable or a secret in a file
 */
export function loadSettings({ flags = {}, ...place }: SettingsRequest): LoadedSettings {
  const layers = [flagLayer(flags, place), environmentLayer(place), ...fileLayers(place)];
  const chosen = [...keyOf].map(([name, key]) => ({ name, key, choices: choicesOf(key, layers) }));
  const raw = chosen.flatMap(({ key, choices }) => {
    const [first] = choices;
    if (!first) return [];
    return [
      [
        key,
        isMapped(key)
          ? Object.fromEntries(choices.map(({ entry, raw: value }) => [entry, value]))
          : first.raw,
      ],
    ];
  });
  const parsed = Settings.parse(Object.fromEntries(raw));
  const settings = { ...parsed, store: parsed.store ?? storeFile(place) };
  const sources = chosen.flatMap(({ name, key, choices }): [string, Source][] => {
    if (choices.length === 0)
      return [[name, { value: display(key, settings[key]), from: "default", name: "default" }]];
    if (!isMapped(key)) return choices.map((one) => [name, sourceOf(one, display(key, settings[key]))]);
    return choices.map((one) => [`${name}.${one.entry}`, sourceOf(one, display(key, one.raw))]);
  });
  return { settings, sources: Object.fromEntries(sources) };
}

/** `entry` is empty for a setting that is not a map. */
type Choice = { readonly from: From; readonly name: string; readonly entry: string; readonly raw: unknown };

function choicesOf(key: SettingKey, layers: readonly Layer[]): readonly Choice[] {
  const choices = new Map<string, Choice>();
  for (const { from, given } of layers) {
    const value = given.get(key);
    if (!value) continue;
    const { raw, name } = value;
    const entries =
      isMapped(key) && typeof raw === "object" && raw !== null ? Object.entries(raw) : [["", raw] as const];
    for (const [entry, inner] of entries) {
      const line = entry === "" ? name : value.place([entry], "key").replace(/:\d+$/, "");
      if (!choices.has(entry)) choices.set(entry, { from, name: line, entry, raw: inner });
    }
  }
  return [...choices.values()];
}

function sourceOf({ from, name }: Choice, value: unknown): Source {
  return { value, from, name };
}

function display(key: SettingKey, value: unknown): unknown {
  if (typeof value === "number" && key.endsWith("Ms")) return durationText(value);
  return typeof value === "string" ? withoutSecrets(value) : value;
}
