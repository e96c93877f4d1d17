import { familyOf, Fault, ModelRef, personOf, type Families, refusal } from "../kernel/index.ts";
import type { Note, Panel } from "../engine/opening-part.ts";
import { DEFAULT_PERSONAS } from "../config/settings.ts";
import { checkModelRef, type AppContext } from "./context.ts";
import { FREE } from "./listed-models.ts";
import type { Reachable } from "./reachable.ts";

// Simulated models stand in for missing ones where a person sees that they do. A service answers with them only where they are named, or it
// was told to: a lost variable of the environment must not become a made-up answer in a product.

/** Simulated members that differ in skill and family. */
const SIMULATED: readonly ModelRef[] = [
  "sim/ada?skill=0.95&family=sim-a&seed=1",
  "sim/bo?skill=0.9&family=sim-b&seed=2",
  "sim/cy?skill=0.85&family=sim-c&seed=3",
].map((ref) => ModelRef.parse(ref));

export const PANEL_SIZE = 3;

/**
 * Chooses the configured models, or else each member's own: its persona's model, or else one of the first of these that
 * exist: the models of servers on this machine, the models of the keys in the environment, the simulated panel.
 * @throws Fault `configuration`, `authentication` for a model that cannot work
 */
export async function choosePanel(context: AppContext): Promise<Panel> {
  const { settings } = context;
  const check = (ref: string) => checkModelRef(context, ref);
  const discovered = settings.models.length > 0 ? undefined : await discover(context);
  const models = dealTo(discovered?.models ?? settings.models, settings.personas?.length ?? 0);
  const members = await Promise.all(models.map(check));
  const chairs = await Promise.all(
    (settings.chair.length > 0 ? settings.chair : [...new Set(members.filter(isModel))]).map(check),
  );
  const [reviewers = [], synthesizers = [], judges = []] = await Promise.all(
    [settings.reviewers, settings.synthesizer, settings.judge].map((refs) => Promise.all(refs.map(check))),
  );
  const notes = [
    ...(discovered?.notes ?? personaNotes(context, members)),
    ...familyNotes({ members, reviewers, synthesizers }, settings),
  ];
  return { members, chairs, reviewers, synthesizers, judges, notes };
}

/** Each once, and those for whom there is none left one of them in turn. */
export const dealTo = (models: readonly string[], seats: number): readonly string[] =>
  Array.from(
    { length: models.length === 0 ? 0 : Math.max(models.length, seats) },
    (_, index) => models[index % models.length] ?? "",
  );

const isModel = (ref: string): boolean => personOf(ref) === undefined;

type Discovered = { readonly models: readonly string[]; readonly notes: readonly Note[] };

async function discover(context: AppContext): Promise<Discovered> {
  const own = personaModels(context);
  if (own.every(({ model }) => model !== undefined))
    return { models: own.flatMap(({ model }) => model ?? []), notes: [] };
  const { models, notes } = await discoverPanel(context);
  return { models: models.map((model, index) => own[index]?.model ?? model), notes };
}

async function discoverPanel(context: AppContext): Promise<Discovered> {
  const { reachable } = await import("./reachable.ts");
  const { families, personas } = context.settings;
  const size = personas?.length ?? PANEL_SIZE;
  const providers = await reachable(context);
  const usable = providers.filter(({ models }) => models.length > 0);
  const local = usable.filter(({ provider }) => FREE.test(`${provider}/`));
  const chosen = local.length > 0 ? local : usable;
  if (chosen.length > 0) {
    const models = spread(chosen.flatMap(refsAt), { families, size });
    const through = local.length > 0 ? "home" : "keys";
    return { models, notes: [{ code: "models-discovered", through, models }] };
  }
  if (context.withoutModels !== undefined) {
    const why = "no model is configured, and simulated ones do not answer here in place of real ones";
    throw new Fault("no-model", { why, next: context.withoutModels });
  }
  return { models: dealTo(SIMULATED, size).slice(0, size), notes: [{ code: "simulated-models" }] };
}

/** The personas of the members in their order; of the default ones those that no file hides. */
export function listPersonas({
  resources,
  settings,
}: Pick<AppContext, "resources" | "settings">): readonly string[] {
  const known = resources.personas();
  const shown = DEFAULT_PERSONAS.filter((id) => known.has(id));
  return settings.personas ?? (shown.length > 0 ? shown : DEFAULT_PERSONAS);
}

/** The members' personas in their order, each with the model that it names. */
function personaModels({ resources, settings }: AppContext) {
  const personas = resources.personas();
  return listPersonas({ resources, settings }).map((id) => ({ id, model: personas.get(id)?.model }));
}

/** A note on the models of members' personas that the configured models override. */
function personaNotes(context: AppContext, members: readonly string[]): Note[] {
  const unused = personaModels(context).flatMap(({ id, model }, index) =>
    model === undefined || index >= members.length || model === members[index] ? [] : [`${id}: ${model}`],
  );
  const text = `Note: models are set, so these personas' own are not used: ${unused.join(", ")}`;
  return unused.length === 0 ? [] : [{ code: "warning", text }];
}

export const refsAt = ({ provider, models }: Reachable): string[] =>
  models.map((model) => `${provider}/${model}`);

type Spread = { readonly families: Families; readonly size: number };

/** Models from as many families as possible; one repeats if there are fewer. */
export function spread(refs: readonly string[], { families, size }: Spread): readonly string[] {
  const family = (ref: string) => familyOf(ref, families) ?? ref;
  const firsts = new Map<string, string>();
  for (const ref of refs) if (!firsts.has(family(ref))) firsts.set(family(ref), ref);
  return dealTo([...new Set([...firsts.values(), ...refs])].slice(0, size), size);
}

type Seats = Pick<Panel, "members" | "reviewers" | "synthesizers">;
type FamilyRules = { readonly families: Families; readonly strictFamilies: boolean };

/** Notes on members that share a family, and on models of a member's family that judge its work. @throws Fault under strict families */
function familyNotes({ members, reviewers, synthesizers }: Seats, settings: FamilyRules): Note[] {
  const families = members.flatMap((ref) => familyOf(ref, settings.families) ?? []);
  const repeated = families.find((one, index) => families.indexOf(one) !== index);
  const notes: Note[] = [];
  if (repeated !== undefined) {
    const count = families.filter((one) => one === repeated).length;
    notes.push({ code: "shared-family", family: repeated, members: count, of: members.length });
  }
  for (const judge of [...reviewers, ...synthesizers]) {
    const family = familyOf(judge, settings.families);
    if (family !== null && families.includes(family))
      notes.push(judgeFamilyNote({ judge, family, model: null }, settings));
  }
  return notes;
}

/** The note on a judge that judges its own family. @throws Fault `configuration` under strict families */
export function judgeFamilyNote(
  shared: Omit<Extract<Note, { code: "judge-shares-family" }>, "code">,
  { strictFamilies }: Pick<FamilyRules, "strictFamilies">,
): Note {
  if (!strictFamilies) return { code: "judge-shares-family", ...shared };
  const { judge, family, model } = shared;
  throw refusal(
    `the judge ${judge} is of the family ${family}, like ${model === null ? "a member" : `${model}, whose answers it grades`}`,
    "choose a judge of another family, or allow shared families (setting: strict-families)",
  );
}
