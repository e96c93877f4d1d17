import { ModelRef, nameWithoutProvider, refusal } from "../kernel/index.ts";
import { agentPrograms, OWN_CHOICE } from "../models/programs.ts";
import { oneLine } from "../reports/printable.ts";
import { findMeant, quoteValue } from "../text/words.ts";
import type { EffectiveSettings } from "./context.ts";
import { openCatalog } from "./listed-models.ts";
import type { Searched } from "./reachable.ts";

/** So many models are named where one has to be chosen. */
const MAX_NAMED = 6;

const lastPart = (model: string): string => model.slice(model.lastIndexOf("/") + 1);
const plain = (model: string): string => lastPart(model).replace(/(?:\.gguf|:[^/:]*)$/i, "");
/** What a name may mean, the closest first: the model as its provider calls it, without the vendor before it, without tag or ending. */
const READINGS: readonly ((model: string) => string)[] = [
  (model) => model.replace(/:latest$/, ""),
  (model) => lastPart(model.replace(/:latest$/, "")),
  plain,
];

/**
 * The model that a name without a provider means among those that can be reached.
 * @throws Fault `configuration` for none, with those that there are; and for several, with these
 */
export async function findBareModel({ env, settings }: Searched, asked: string): Promise<ModelRef> {
  const [name = "", options] = asked.split(/(?=\?)/, 2);
  if (agentPrograms.has(name)) return ModelRef.parse(`${name}/${OWN_CHOICE}${options ?? ""}`);
  const { reachable } = await import("./reachable.ts");
  const places = await reachable({ env, settings });
  const catalog = openCatalog(settings, { env, cwd: process.cwd() });
  const refs = places.flatMap(({ provider, models, all = models }) =>
    all.map((model) => `${provider}/${model}`),
  );
  // Of a provider whose key is set, the models that lists name.
  const keyed = places.flatMap(({ provider, all }) =>
    all ? [] : catalog.models().filter((ref) => ref.startsWith(`${provider}/`)),
  );
  const all = [...new Set([...refs, ...keyed])];
  const wanted = name.toLowerCase();
  for (const read of READINGS) {
    const meant = all.filter((ref) => read(ref.slice(placeOf(ref).length + 1)).toLowerCase() === wanted);
    const [only] = meant;
    if (only !== undefined && meant.length === 1) return ModelRef.parse(`${only}${options ?? ""}`);
    if (only !== undefined)
      throw refusal(
        `${quoteValue(name)} is the name of ${meant.length} models that can be reached`,
        choose(meant),
      );
  }
  const nearest = findMeant(name, all.map(plain));
  const isLike = (model: string) => model === nearest || model.toLowerCase().startsWith(wanted);
  const like = all.filter((ref) => isLike(plain(ref)));
  const next =
    all.length === 0 ? "write provider/model, for example openai/gpt-6.1-terra" : choose([...like, ...all]);
  throw refusal(`no model that can be reached is called ${quoteValue(name)}`, next);
}

const placeOf = (ref: string): string =>
  ref.startsWith("compatible/") ? ref.split("/", 2).join("/") : (ref.split("/", 1)[0] ?? "");

const choose = (refs: readonly string[]): string =>
  [...new Set(refs)]
    .slice(0, MAX_NAMED)
    .map((ref) => oneLine(ref, 200))
    .join(", ");

const LISTS = ["models", "clientModels", "chair", "reviewers", "synthesizer", "judge"] as const;

/** The settings with a provider for every model that was named without one. @throws Fault as `findBareModel` does */
export async function withFoundModels<S extends EffectiveSettings>(
  env: Searched["env"],
  settings: S,
): Promise<S> {
  const refs = [...LISTS.flatMap((key) => settings[key]), settings.modelB ?? ""];
  if (!refs.some((ref) => ref !== "" && nameWithoutProvider(ref) !== undefined)) return settings;
  const find = async (ref: ModelRef): Promise<ModelRef> => {
    const name = nameWithoutProvider(ref);
    return name === undefined ? ref : findBareModel({ env, settings }, name);
  };
  const lists = await Promise.all(
    LISTS.map(async (key) => [key, await Promise.all(settings[key].map(find))] as const),
  );
  const modelB = settings.modelB === undefined ? {} : { modelB: await find(settings.modelB) };
  return { ...settings, ...Object.fromEntries(lists), ...modelB };
}
