import { isStoredKey, listKeys, type StoredKey } from "../config/keys.ts";
import type { FileContext } from "../config/paths.ts";
import { loadSettings } from "../config/sources.ts";
import { refusal } from "../kernel/index.ts";
import { providers } from "../models/index.ts";
import { findNearest, quoteValue } from "../text/words.ts";

const variablesByProvider: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(providers).flatMap(([name, { keyVariables }]) =>
    keyVariables.length > 0 ? [[name, keyVariables] as const] : [],
  ),
);

/** The variable of a provider's key, or of an endpoint's of the settings. @throws Fault `configuration` for one without */
export function keyVariableOf(provider: string, place: FileContext): string {
  const [variable] = variablesByProvider.get(provider) ?? [];
  if (variable !== undefined) return variable;
  const name = /^compatible\/(.+)$/.exec(provider)?.[1];
  const own =
    name === undefined ? undefined : loadSettings({ ...place, flags: {} }).settings.compatible[name];
  if (own?.keyEnv !== undefined) return own.keyEnv;
  throw refusal(
    `${quoteValue(provider)} is not a provider with a key; expected ${[...variablesByProvider.keys()].join(", ")}`,
    findNearest(provider, [...variablesByProvider.keys()]) ?? "openai",
  );
}

/** A key that is known, and where it comes from; never the key. */
export type KnownKey = {
  readonly provider: string;
  readonly variable: string;
  readonly where: "environment" | StoredKey["where"];
};

/** The keys that calls would use, then those that are stored and not used. */
export function knownKeys(place: FileContext): readonly (KnownKey & { readonly used: boolean })[] {
  const { env } = place;
  const stored = listKeys(place);
  const named = [...variablesByProvider].flatMap(([provider, variables]) =>
    variables.map((variable) => ({ provider, variable })),
  );
  const others = stored
    .filter(({ variable }) => !named.some((one) => one.variable === variable))
    .map(({ variable }) => ({ provider: variable, variable }));
  return [...named, ...others].flatMap(({ provider, variable }) => {
    const isSet = !isStoredKey(env, variable) && (env[variable] ?? "").trim() !== "";
    const kept = stored.find((one) => one.variable === variable);
    return [
      ...(isSet ? [{ provider, variable, where: "environment" as const, used: true }] : []),
      ...(kept ? [{ provider, variable, where: kept.where, used: !isSet }] : []),
    ];
  });
}
