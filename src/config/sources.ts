// L1. Flag before environment before project file before user file before default; of a map, entry by entry.
// L2. Every value that was given is checked, also one that another overrules.
// L3. No password reaches what is quoteValue.

import { writeDuration } from "./duration.ts";
import { environmentLayer, fileLayers, flagLayer, type SettingOrigin, type SettingLayer } from "./layers.ts";
import { defaultStoreFile, type FileContext } from "./paths.ts";
import { redactSecrets } from "./text-file.ts";
import { isMapSetting, settingKeys, Settings, type SettingKey } from "./settings.ts";

/** An effective value, fit to be quoteValue, and where it came from: `--models`, `PARLEY_MODELS`, a file and line, `default`. */
export type ValueSource = {
  readonly value: unknown;
  readonly from: SettingOrigin | "default";
  readonly name: string;
};

export type LoadedSettings = {
  readonly settings: Settings & { readonly store: string };
  /** By key as files write it; entries of a map one by one (`families.ollama/mine`). */
  readonly sources: Readonly<Record<string, ValueSource>>;
};

export type SettingsRequest = FileContext & { readonly flags?: Readonly<Record<string, unknown>> };

/**
 * The settings in force for a command: one that is not given has its default, and the store is always named.
 * @throws Fault `configuration` for anything given that is unknown, malformed, unreadable or a secret in a file
 */
export function loadSettings({ flags = {}, ...place }: SettingsRequest): LoadedSettings {
  const layers = [flagLayer(flags, place), environmentLayer(place), ...fileLayers(place)];
  const chosen = [...settingKeys].map(([name, key]) => ({ name, key, choices: collectChoices(key, layers) }));
  const raw = chosen.flatMap(({ key, choices }) => {
    const [first] = choices;
    if (!first) return [];
    return [
      [
        key,
        isMapSetting(key)
          ? Object.fromEntries(choices.map(({ entry, raw: value }) => [entry, value]))
          : first.raw,
      ],
    ];
  });
  const parsed = Settings.parse(Object.fromEntries(raw));
  const settings = { ...parsed, store: parsed.store ?? defaultStoreFile(place) };
  const sources = chosen.flatMap(({ name, key, choices }): [string, ValueSource][] => {
    if (choices.length === 0)
      return [[name, { value: displayValue(key, settings[key]), from: "default", name: "default" }]];
    if (!isMapSetting(key))
      return choices.map((one) => [name, sourceOf(one, displayValue(key, settings[key]))]);
    return choices.map((one) => [`${name}.${one.entry}`, sourceOf(one, displayValue(key, one.raw))]);
  });
  return { settings, sources: Object.fromEntries(sources) };
}

/** `entry` is empty for a setting that is not a map. */
type Choice = {
  readonly from: SettingOrigin;
  readonly name: string;
  readonly entry: string;
  readonly raw: unknown;
};

function collectChoices(key: SettingKey, layers: readonly SettingLayer[]): readonly Choice[] {
  const choices = new Map<string, Choice>();
  for (const { from, values: given } of layers) {
    const value = given.get(key);
    if (!value) continue;
    const { raw, name } = value;
    const entries =
      isMapSetting(key) && typeof raw === "object" && raw !== null
        ? Object.entries(raw)
        : [["", raw] as const];
    for (const [entry, inner] of entries) {
      const line = entry === "" ? name : value.place([entry], "key").replace(/:\d+$/, "");
      if (!choices.has(entry)) choices.set(entry, { from, name: line, entry, raw: inner });
    }
  }
  return [...choices.values()];
}

function sourceOf({ from, name }: Choice, value: unknown): ValueSource {
  return { value, from, name };
}

function displayValue(key: SettingKey, value: unknown): unknown {
  if (typeof value === "number" && key.endsWith("Ms")) return writeDuration(value);
  return typeof value === "string" ? redactSecrets(value) : value;
}
