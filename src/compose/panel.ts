import { loadPersonas } from "../config/index.ts";
import { familyOf, Fault, ModelRef, type Families } from "../kernel/index.ts";
import { reachable, type Reachable } from "./reachable.ts";
import type { Parley } from "./parley.ts";

/** Which models speak, how they came to be chosen, and what the user should know about that. */
export type Panel = {
  readonly members: readonly ModelRef[];
  /** Who synthesises, and who steps in. */
  readonly chairs: readonly ModelRef[];
  readonly judges: readonly ModelRef[];
  readonly notes: readonly string[];
};

/** Simulated members that differ in skill and family, as a panel of real ones would. */
const SIMULATED: readonly ModelRef[] = [
  "sim/ada?skill=0.95&family=sim-a&seed=1",
  "sim/bo?skill=0.9&family=sim-b&seed=2",
  "sim/cy?skill=0.85&family=sim-c&seed=3",
].map((ref) => ModelRef.parse(ref));

const MEMBERS = 3;

/**
 * The configured models; without any, those that the members' personas name, then what a local Ollama has, then what the keys in the environment reach,
 * and only then the simulated panel.
 * @throws Fault `configuration` for a reference that cannot work
 */
export async function findPanel(parley: Parley): Promise<Panel> {
  const { settings } = parley;
  const found = settings.models.length > 0 ? undefined : await discover(parley);
  const members = (found?.members ?? settings.models).map((ref) => checkedRef(parley, ref));
  const chairs = (settings.chair.length > 0 ? settings.chair : [...new Set(members)]).map((ref) =>
    checkedRef(parley, ref),
  );
  const judges = settings.judge.map((ref) => checkedRef(parley, ref));
  const notes = [...(found?.notes ?? []), ...familyNotes({ members, judges }, settings)];
  return { members, chairs, judges, notes };
}

/** @throws Fault `configuration`, `authentication` when the reference can be told not to work before any call */
export function checkedRef(parley: Parley, ref: string): ModelRef {
  const parsed = ModelRef.safeParse(ref);
  if (!parsed.success) {
    const why = `"${ref}" is no model; a model is written provider/model`;
    throw new Fault("configuration", {
      why,
      next: "for example openai/gpt-5-mini, or sim/ada; parley models lists them",
    });
  }
  const trouble = parley.troubleWith(parsed.data);
  if (trouble)
    throw new Fault(trouble.code, { why: trouble.why, next: "parley models shows what can be reached" });
  return parsed.data;
}

async function discover(parley: Parley): Promise<{ members: readonly string[]; notes: readonly string[] }> {
  const own = ownModels(parley);
  if (own.length > 0) return { members: own, notes: [] };
  const places = await reachable(parley);
  const local = places.find(({ provider, models }) => provider === "ollama" && models.length > 0);
  if (local) {
    const members = spread(
      local.models.map((model) => `ollama/${model}`),
      parley.settings.families,
    );
    return { members, notes: [`No models are configured; asking the local Ollama: ${members.join(", ")}`] };
  }
  const keyed = places.filter(({ provider, models }) => provider !== "ollama" && models.length > 0);
  if (keyed.length > 0) {
    const members = spread(keyed.flatMap(preferred), parley.settings.families);
    return {
      members,
      notes: [`No models are configured; asking those that your keys reach: ${members.join(", ")}`],
    };
  }
  return {
    members: SIMULATED,
    notes: [
      "No model is configured, no Ollama runs here and no key is set: this is the simulated panel. It really computes arithmetic, " +
        "counting and small puzzles, and knows a few facts; anything else it fills with a placeholder. Set a key, start Ollama or use --models for real answers.",
    ],
  };
}

/** The models that the members' personas name, where every one of them does. */
function ownModels(parley: Parley): readonly string[] {
  const personas = loadPersonas(parley);
  const named = parley.settings.personas.flatMap((id) => personas.get(id)?.model ?? []);
  return named.length === parley.settings.personas.length ? named : [];
}

const preferred = ({ provider, models }: Reachable): string[] =>
  models.map((model) => `${provider}/${model}`);

/** Three at most, as many families as there are; the same model again when there is no other. */
function spread(refs: readonly string[], families: Families): string[] {
  const chosen: string[] = [];
  const seen = new Set<string>();
  for (const ref of refs) {
    const family = familyOf(ref, families) ?? ref;
    if (chosen.length < MEMBERS && !seen.has(family)) {
      seen.add(family);
      chosen.push(ref);
    }
  }
  for (const ref of refs) if (chosen.length < MEMBERS && !chosen.includes(ref)) chosen.push(ref);
  for (let index = 0; chosen.length > 0 && chosen.length < MEMBERS; index += 1)
    chosen.push(chosen[index] ?? "");
  return chosen;
}

type Seats = { readonly members: readonly ModelRef[]; readonly judges: readonly ModelRef[] };

/** Warns of members of one family, and of a judge of a member's; `strict-families` refuses the latter. */
function familyNotes(
  { members, judges }: Seats,
  settings: { readonly families: Families; readonly strictFamilies: boolean },
): string[] {
  const family = (ref: ModelRef) => familyOf(ref, settings.families);
  const known = members.flatMap((ref) => family(ref) ?? []);
  const notes: string[] = [];
  const repeated = known.find((one, index) => known.indexOf(one) !== index);
  if (repeated !== undefined) {
    notes.push(
      `Several members are of the family ${repeated}: their errors are likely to agree, so their votes count for less than their number`,
    );
  }
  for (const judge of judges) {
    const own = family(judge);
    if (own === null || !known.includes(own)) continue;
    const why = `the judge ${judge} is of the family ${own}, like a member`;
    if (settings.strictFamilies) {
      throw new Fault("configuration", {
        why,
        next: "choose a judge of another family, or drop --strict-families",
      });
    }
    notes.push(`${why.charAt(0).toUpperCase()}${why.slice(1)}: it may favour it`);
  }
  return notes;
}
