import type { EffectiveSettings } from "../../../app/context.ts";

// How many names a label can have is bounded, whatever requests name. Else: a client fills the memory of the server and of whoever
//     gathers its figures.

/** How many models have figures of their own. */
const MAX_MODELS = 200;
const OTHER = { provider: "other", model: "other" } as const;

/** A model without its parameters, which may be anything. */
export const modelName = (ref: string): string => (ref.split("?", 1)[0] ?? "").slice(0, 200);

export type ModelLabels = { readonly provider: string; readonly model: string };

/**
 * Gives models their labels. A configured one has its own; any other has once it has answered, while there is room, because the name
 * of a model that there is not can be anything.
 */
export function createModelLabels(settings: EffectiveSettings) {
  const { models, chair, reviewers, synthesizer, judge, clientModels, modelB } = settings;
  const configured = [models, chair, reviewers, synthesizer, judge, clientModels, modelB ?? []].flat();
  const known = new Set(configured.map(modelName));
  return (ref: string, answered: boolean): ModelLabels => {
    const name = modelName(ref);
    if (!known.has(name)) {
      if (!answered || known.size >= MAX_MODELS) return OTHER;
      known.add(name);
    }
    const slash = name.indexOf("/");
    return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  };
}
