import { findNearest } from "../text/words.ts";
import type { AnyReactor } from "../engine/reactor.ts";
import { loadReactors } from "../engine/index.ts";
import { Json, type ModelRef, type RecallRules, type UserId, refusal } from "../kernel/index.ts";
import { explainIssue } from "../config/explain.ts";
import type { Note } from "../engine/opening-part.ts";
import type { Resources } from "../config/resources.ts";
import type { AppContext, EffectiveSettings, ReactionsAsked, ReactorPlan } from "./context.ts";

/** What an opening pins for the reactors that the settings enable. @throws Fault `configuration`, `authentication` for a judge that cannot work */
export async function reactionPlan(context: AppContext, asked: ReactionsAsked) {
  const { reactors, settings } = context;
  const planned = new Map<string, ReactorPlan>();
  for (const reactor of reactors)
    if ("plan" in reactor && reactor.plan) planned.set(reactor.name, await reactor.plan(context, asked));
  refuseUnknown(settings.reactors, reactors);
  const named = await loadReactors(
    reactors,
    (name) => planned.get(name)?.pinned !== undefined || settings.reactors[name] !== undefined,
  );
  const enabled = named.flatMap((reactor) => {
    const pinned =
      planned.get(reactor.name)?.pinned ?? reactorSettings(reactor, settings.reactors[reactor.name]);
    // The reactor's schema or settings file has validated them.
    return pinned === undefined ? [] : [{ reactor, pinned, needs: reactor.requires?.(pinned as never) }];
  });
  return {
    // The settings were read from JSON or YAML, so they are JSON.
    settings: Object.fromEntries(enabled.map(({ reactor, pinned }) => [reactor.name, Json.parse(pinned)])),
    /** The models that reactors call, besides the participants' models. */
    models: [...new Set(enabled.flatMap(({ needs }) => needs?.models ?? []))],
    /** The templates that reactors render. */
    templates: [...new Set(enabled.flatMap(({ needs }) => needs?.templates ?? []))],
    notes: [...planned.values()].flatMap(({ notes = [] }) => notes),
  };
}

/** A reactor's settings below `reactors`; undefined if it is off. @throws Fault `configuration` */
export function reactorSettings(reactor: AnyReactor, given: unknown): unknown {
  if (given === undefined || given === false) return undefined;
  const { name, settings, switch: own } = reactor;
  if (own !== undefined)
    throw refusal(
      `reactors.${name}: this reactor is turned on by the setting ${own}`,
      `remove it and set ${own}`,
    );
  if (!settings) return undefined; // it reacts to every deliberation
  const read = settings.safeParse(given === true ? {} : given, { reportInput: true });
  if (read.success) return read.data;
  const { path, say, next } = explainIssue(settings, read.error);
  const why = say(["reactors", name, ...path].join("."));
  throw refusal(why, next ?? "correct it in parley.yaml");
}

function refuseUnknown(given: Readonly<Record<string, unknown>>, known: AppContext["reactors"]): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw refusal(`reactors: there is no reactor "${unknown}"`, `did you mean ${findNearest(unknown, names)}?`);
}

export const fileNotes = ({ warnings }: { readonly warnings: readonly string[] }): Note[] =>
  warnings.map((text) => ({ code: "warning", text }));

/**
 * The model that grades answers: the first judge of the settings, else that of `critic.yaml`; null if the critic is off, or `auto`
 * without a judge in the request or a file.
 * @throws Fault `configuration` for an invalid `critic.yaml` or rubric
 */
export function graderOf(
  resources: Pick<Resources, "critic">,
  settings: Pick<EffectiveSettings, "critic" | "judge">,
): ModelRef | null {
  if (settings.critic === "off") return null;
  const [[judge], loaded] = [settings.judge, resources.critic()];
  if (settings.critic === "auto" && judge === undefined && !loaded.says.model) return null;
  const { model } = loaded.critic; // Read only where somebody grades.
  return judge ?? model;
}

/** The memory owner and the recall rules; null if memory is off. @throws Fault `configuration` for an invalid `memory.yaml` */
export function recallSettings(
  resources: Pick<Resources, "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): { readonly user: UserId; readonly rules: RecallRules } | null {
  return settings.memory ? { user: settings.user, rules: resources.memory().memory.recall } : null;
}
