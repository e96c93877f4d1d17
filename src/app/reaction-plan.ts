import { findNearest } from "../text/words.ts";
import type { PromptTemplate } from "../engine/protocol.ts";
import type { AnyReactor } from "../engine/reactor.ts";
import { loadReactors, type Reactors } from "../engine/index.ts";
import { familyOf, Fault, Json, type ModelRef, type UserId } from "../kernel/index.ts";
import { explainIssue } from "../config/explain.ts";
import type { Note } from "../engine/opening-part.ts";
import { checkModelRef, type AppContext } from "./context.ts";
import { judgeFamilyNote } from "./panel.ts";
import { criticSettings, memorySettings, pairwiseSettings } from "./reactions.ts";

/** What an opening pins for the reactors that come after its answer. */
export type ReactionPlan = {
  readonly settings: Readonly<Record<string, Json>>;
  /** Whom they call, beside those who sit somewhere. */
  readonly models: readonly ModelRef[];
  /** Templates that they render. */
  readonly templates: readonly PromptTemplate[];
  readonly notes: readonly Note[];
};

/** Which reactors answer a deliberation, as the settings say. @throws Fault `configuration`, `authentication` for a judge that cannot work */
export async function reactionPlan(
  context: AppContext,
  {
    answering,
    pairwise = false,
    user,
  }: {
    /** Whose answers are graded. */
    readonly answering: readonly ModelRef[];
    /** Whether two answers are to be compared. */
    readonly pairwise?: boolean;
    readonly user: UserId;
  },
): Promise<ReactionPlan> {
  const { reactors, resources, settings } = context;
  const critic = criticSettings(resources, settings);
  if (critic && settings.judge.length > 0) await checkModelRef(context, critic.model);
  const memory = { ...memorySettings(resources, settings), user };
  /** What the settings of their own say of the reactors that have some. */
  const configured: Readonly<Record<string, unknown>> = {
    critic: critic ?? undefined,
    pairwise: critic && pairwise ? pairwiseSettings(critic) : undefined,
    // Without anything to say of an answer that was not remembered, nothing has to say so.
    memory: memory.write || critic ? memory : undefined,
  };
  refuseUnknown(settings.reactors, reactors);
  const named = await loadReactors(
    reactors,
    (name) => configured[name] !== undefined || settings.reactors[name] !== undefined,
  );
  const enabled = named.flatMap((reactor) => {
    const pinned = configured[reactor.name] ?? reactorSettings(reactor, settings.reactors[reactor.name]);
    // The reactor's own schema has read them, or its own file.
    return pinned === undefined ? [] : [{ reactor, pinned, needs: reactor.requires?.(pinned as never) }];
  });
  return {
    // JSON, whatever their types are called: what they are read from is.
    settings: Object.fromEntries(enabled.map(({ reactor, pinned }) => [reactor.name, Json.parse(pinned)])),
    models: [...new Set(enabled.flatMap(({ needs }) => needs?.models ?? []))],
    templates: [...new Set(enabled.flatMap(({ needs }) => needs?.templates ?? []))],
    notes: critic ? familyNotes(context, critic.model, answering) : [],
  };
}

/** The settings that a reactor is given below `reactors`; undefined where it is off. @throws Fault `configuration` */
export function reactorSettings(reactor: AnyReactor, given: unknown): unknown {
  if (given === undefined || given === false) return undefined;
  const { name, settings, switch: own } = reactor;
  if (own !== undefined)
    throw new Fault("configuration", {
      why: `reactors.${name}: this reactor is turned on by the setting ${own}`,
      next: `remove it and set ${own}`,
    });
  if (!settings) return undefined; // it reacts to every deliberation
  const read = settings.safeParse(given === true ? {} : given, { reportInput: true });
  if (read.success) return read.data;
  const { path, say, next } = explainIssue(settings, read.error);
  const why = say(["reactors", name, ...path].join("."));
  throw new Fault("configuration", { why, next: next ?? "correct it in parley.yaml" });
}

function refuseUnknown(given: Readonly<Record<string, unknown>>, known: Reactors): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Fault("configuration", {
    why: `reactors: there is no reactor "${unknown}"`,
    next: `did you mean ${findNearest(unknown, names)}?`,
  });
}

function familyNotes({ settings }: AppContext, judge: ModelRef, answering: readonly ModelRef[]): Note[] {
  const family = familyOf(judge, settings.families);
  const shared = answering.find((ref) => familyOf(ref, settings.families) === family);
  if (family === null || shared === undefined) return [];
  return [judgeFamilyNote({ judge, family, model: shared }, settings)];
}
