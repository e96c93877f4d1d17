import { SDK } from "../models/providers.ts";
import { personOf, type Participant, refusal } from "../kernel/index.ts";
import { type AppContext, type Ceiling, type ClientBounds, type EffectiveSettings } from "./context.ts";
import { budgetFrom, capsOf, lowestOf } from "./opening.ts";
import { choosePanel, refsAt } from "./panel.ts";

// CEILING-1. What a server was configured with, and what is left to a client's key, are ceilings: of several caps the smallest counts, in
//     whatever way a request asks. Else: a client spends the owner's money beyond what the owner allowed.
// CEILING-2. A request names models of the owner's list alone: those of the settings and of `client-models`, or those of its key; where
//     none are set, those that are found. Simulated models cost nothing, and people are none. Else: a client spends on models never
//     offered.

/** The owner's settings with a request's own, whose caps lower the owner's (CEILING-1), and the caps of any run under them. */
export function settingsBelow<S extends Omit<EffectiveSettings, "organization" | "user">>(
  settings: S,
  own: Partial<S>,
  ceiling: Ceiling = {},
): { readonly settings: S; readonly client: ClientBounds } {
  const most = lowestOf(budgetFrom(settings), ceiling.budget);
  const caps = capsOf(lowestOf(most, budgetFrom(own)));
  return { client: { ceiling, most, owner: settings }, settings: { ...settings, ...own, ...caps } };
}

/** The models that settings or a request name, without their parameters. */
function namedIn(given: Readonly<Record<string, unknown>>): string[] {
  const values = MODEL_FIELDS.flatMap((field) => given[field] ?? []);
  const words = values.flatMap((value) => (typeof value === "string" ? value.split(/[,=\s]+/) : []));
  return words.map(bare).filter((ref) => ref.includes("/"));
}

const bare = (ref: string): string => ref.split("?", 1)[0] ?? ref;
const isFree = (ref: string): boolean => ref.startsWith("sim/") || personOf(ref) !== undefined;

/**
 * Checks the models of what a client asks for. `pack`: what the pack that it names sets.
 * @throws Fault `configuration` for a model that is not on the owner's list (CEILING-2)
 */
export async function refuseOtherModels(
  context: AppContext,
  participants: readonly Pick<Participant, "model">[],
  pack: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { client, requested, resources, settings } = context;
  if (client === undefined) return;
  const own = Object.fromEntries(Object.entries(settings).filter(([key]) => requested.has(key)));
  const named = [...participants.map(({ model }) => bare(model)), ...namedIn(own)].filter(
    (ref) => !isFree(ref),
  );
  const configured = namedIn(client.owner);
  const personas = [...resources.personas().values()].flatMap(({ model }) =>
    model === undefined ? [] : [bare(model)],
  );
  const endpoints = Object.keys(client.owner.compatible).map((name) => `compatible/${name}`);
  const listed = client.ceiling.models?.map(bare) ?? [
    ...configured,
    ...client.owner.clientModels.map(bare),
    ...endpoints,
    ...personas,
    ...namedIn(pack),
  ];
  const other = named.filter((ref) => !listed.includes(ref));
  if (other.length === 0) return;
  // Where no models are set, those that are found answer, also one that is not of the panel.
  const isFound = client.ceiling.models === undefined && client.owner.models.length === 0;
  const reached = isFound ? await (await import("./reachable.ts")).reachable(context) : [];
  const found = reached.flatMap(refsAt);
  // Where none is found, that is what is said.
  if (isFound && found.length === 0) await choosePanel({ ...context, settings: { ...settings, models: [] } });
  const refused = other.find((ref) => !found.includes(ref));
  if (refused === undefined) return;
  const all = [...new Set([...listed, ...found])].slice(0, 10);
  if (client.ceiling.models !== undefined && !namedIn(own).includes(refused))
    throw refusal(
      `this key may not use ${refused.slice(0, 100)}, which answers where a request names no model`,
      `name ${all.join(", ")}`,
    );
  const why = `the model ${refused.slice(0, 100)} is none that clients of this server may name`;
  const next = all.length === 0 ? "leave models out" : `name ${all.join(", ")}, or leave models out`;
  throw refusal(why, next);
}

/** The settings that name models. */
const MODEL_FIELDS = ["models", "chair", "reviewers", "synthesizer", "judge", "modelB", "mapModels"];

/** What comes from elsewhere may not name a package to be loaded. @throws Fault `configuration` */
export function refusePackages(request: Readonly<Record<string, unknown>>): void {
  const given = MODEL_FIELDS.flatMap((name) => request[name] ?? []);
  const refs = given.flatMap((one) => (typeof one === "string" ? one.split(/[,=\s]+/) : []));
  const found = refs.find((one) => one.startsWith(`${SDK}/`));
  if (found === undefined) return;
  const why = `a request may not name a package (${found.slice(0, 100)})`;
  throw refusal(why, "name it in the settings of the server");
}
