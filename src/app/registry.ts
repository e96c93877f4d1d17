import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { configFolder, type FileContext } from "../config/paths.ts";
import { loadAll, loadNamed, listNames, type AnyProtocol, type Registry } from "../engine/protocol.ts";
import { refusal, type DeliberationId, type Models } from "../kernel/index.ts";
import { once } from "../kernel/once.ts";
import type { SimScript } from "../sim/belief.ts";
import type { OwnModels } from "../models/define-model.ts";
import { findNearest, quoteValue, toOneLine } from "../text/words.ts";
import type { AppContext, AppReactor, ExportForm, FeatureExports, ProcessParts } from "./context.ts";

export const withReactors = (features: readonly AppFeature[]): readonly AppReactor[] =>
  features.flatMap((feature) => feature.reactors ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));

export type BroughtModels = Pick<ProcessParts, "models" | "ownModels">;

/** The models that replace all others, or those beside them: a program's own, and those of features. @throws Fault `configuration` */
export async function bringModels(
  models: Models | OwnModels = {},
  features: readonly AppFeature[] = [],
): Promise<BroughtModels> {
  if (isModels(models)) return { models };
  const own: OwnModels = Object.assign({}, ...features.map((one) => one.models), models);
  if (Object.keys(own).length === 0) return {};
  return { ownModels: (await import("../models/own-model.ts")).checkOwnModels(own) };
}

const isModels = (models: Models | OwnModels): models is Models => typeof models["complete"] === "function";

/** Loads a protocol by name. @throws Fault `configuration` for an unknown name, with the nearest one */
export async function protocolNamed(registry: Registry<AnyProtocol>, name: string): Promise<AnyProtocol> {
  const protocol = await loadNamed(registry, name);
  if (protocol) return protocol;
  const names = listNames(registry);
  throw refusal(
    `there is no protocol ${JSON.stringify(name.slice(0, 60))}`,
    `the nearest is ${findNearest(name, names)}; there are ${names.join(", ")}`,
  );
}

/** What a feature brings to a process; everything is loaded on use. */
export type AppFeature = {
  readonly name: string;
  readonly protocols?: Readonly<Record<string, () => Promise<AnyProtocol>>>;
  readonly reactors?: readonly AppReactor[];
  /** Models by reference, made by `defineModel` or a package of the AI SDK. */
  readonly models?: OwnModels;
  /** What a simulated model replies to its prompts. */
  readonly script?: () => Promise<SimScript>;
  /** Reads what its files in a folder name that takes effect only where they are trusted, or `file`, which somebody named. */
  readonly trusts?: (reading: FileContext, file?: string) => Promise<void>;
  readonly exports?: FeatureExports;
  /** Does what a run of one of its protocols leaves to do when it has ended, such as to write a file. */
  readonly settle?: (context: AppContext, id: DeliberationId, place: FileContext) => Promise<void>;
};

/**
 * Loads the features that settings name, by their default exports.
 * @throws Fault `untrusted`, `configuration` for a module that cannot be loaded, or has no feature
 */
export async function loadFeatures(
  place: FileContext,
  shipped: readonly AppFeature[],
): Promise<readonly AppFeature[]> {
  const { settings } = (await import("../config/sources.ts")).loadSettings(place);
  const { packageFile } = await import("../models/sdk-package.ts");
  const features: AppFeature[] = [];
  for (const name of settings.features) {
    const refuse = (why: string, next: string) => refusal(`the feature ${quoteValue(name)} ${why}`, next);
    const home = configFolder(place);
    const file = isAbsolute(name) ? name : packageFile(name, home);
    if (file === null) throw refuse("is not installed", `cd "${home}" && npm install ${name}`);
    const loaded: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
      throw refuse(
        `cannot be loaded: ${toOneLine(String(error), 300)}`,
        "correct it, or take it out of features",
      );
    });
    const brought = [Reflect.get(Object(loaded), "default")].flat().filter(isFeature);
    if (brought.length === 0)
      throw refuse("has no feature as its default export", "export default defineFeature({ name: … })");
    for (const one of brought) {
      const isTaken = [...shipped, ...features].some((other) => other.name === one.name);
      if (isTaken) throw refuse(`is called ${one.name}, as another one is`, "give it a name of its own");
      features.push(one);
    }
  }
  return features;
}

/** Each part is checked by whoever takes it. */
const isFeature = (value: unknown): value is AppFeature =>
  typeof value === "object" && value !== null && /^[a-z][a-z0-9-]*$/.test(String(Reflect.get(value, "name")));

export const exportsIn = (features: readonly AppFeature[]): readonly FeatureExports[] =>
  features.flatMap(({ exports }) => exports ?? []);

/** What a run can be exported as: the formats that every run has, and those of features. */
export const exportForms = (features: readonly AppFeature[]): ReadonlyMap<string, ExportForm> =>
  new Map<string, ExportForm>([
    ["md", { type: "text/markdown; charset=utf-8", ending: "md" }],
    ["html", { type: "text/html; charset=utf-8", ending: "html" }],
    ["json", { type: "application/json", ending: "json" }],
    ["jsonl", { type: "application/x-ndjson", ending: "jsonl" }],
    ["csv", { type: "text/csv; charset=utf-8", ending: "csv" }],
    ["adr", { type: "text/markdown; charset=utf-8", ending: "md" }],
    ...exportsIn(features).flatMap(({ formats }) => Object.entries(formats)),
    ["local2", { type: "application/x-ndjson", ending: "jsonl" }],
  ]);

/** Loads what simulated models say to prompts of these features, once. */
export const scriptsOf = (features: readonly AppFeature[]): (() => Promise<readonly SimScript[]>) =>
  once(() => Promise.all(features.flatMap(({ script }) => script?.() ?? [])));

/** The built-in protocols, those of features, and these, which can replace them by name. */
export function withProtocols(
  own: Registry<AnyProtocol>,
  features: readonly AppFeature[] = [],
): Registry<AnyProtocol> {
  const load = (name: string) => async (): Promise<AnyProtocol> => {
    const protocol = await loadNamed(own, name);
    if (protocol?.name === name) return protocol;
    throw refusal(
      `the protocol registered as ${name} is called ${protocol?.name ?? "nothing"}`,
      "register it under its own name",
    );
  };
  const brought = features.flatMap((feature) => Object.entries(feature.protocols ?? {}));
  return {
    ...Object.fromEntries(brought),
    ...Object.fromEntries(listNames(own).map((name) => [name, load(name)])),
  };
}

/** The protocol that answers where none is named: the first one. */
export const usualProtocol = (registry: Registry<AnyProtocol>): string => listNames(registry)[0] ?? "";

/** The protocols that people put a question before: those with a seat for models. */
export const askedProtocols = async (registry: Registry<AnyProtocol>): Promise<readonly AnyProtocol[]> =>
  (await loadAll(registry)).filter(isAsked);

/** The protocol by which one model answers alone, if there is one. */
export async function soloProtocol(registry: Registry<AnyProtocol>): Promise<AnyProtocol | undefined> {
  for (const name of listNames(registry)) {
    const protocol = await loadNamed(registry, name);
    const [seat, ...others] = protocol?.seats ?? [];
    if (protocol && seat?.filledBy === "models" && seat.max === 1 && others.length === 0) return protocol;
  }
  return undefined;
}

export const isAsked = ({ seats }: Pick<AnyProtocol, "seats">): boolean =>
  seats.some(({ filledBy }) => filledBy === "models");
