import type { NewDeliberation } from "../engine/index.ts";
import type { OpeningContext } from "../engine/opening-part.ts";
import { bareReference, ModelRef } from "../kernel/index.ts";
import { contextSizeFor } from "../prompts/context-window.ts";
import type { AppContext, EffectiveSettings } from "./context.ts";

/** Ollama's own default cuts longer prompts silently; requests for this many tokens run on most machines. */
export const OLLAMA_CONTEXT = 8_192;

/** The window that is assumed where nobody says. */
const USUAL_CONTEXT = 32_768;

/**
 * The window that a conversation is fitted to: as the settings or an endpoint's row say, as large as needed where a server allocates
 * it per request (`needed`: for the question and its files), else as the price list says.
 */
export function windowOf(
  ref: ModelRef | string,
  { models, settings }: Pick<AppContext, "models" | "settings">,
  needed = 0,
): ReturnType<OpeningContext["window"]> {
  const model = ModelRef.parse(bareReference(ref));
  const room = makesRoom(model, settings) ? Math.max(OLLAMA_CONTEXT, contextSizeFor(needed)) : undefined;
  const contextTokens = settings.respondContext ?? declaredContext(model, settings) ?? room;
  if (contextTokens !== undefined) return { contextTokens };
  return { contextTokens: models.facts?.(ref).context ?? USUAL_CONTEXT, soft: true };
}

/** What the settings say of an endpoint of the user's own. */
export function declaredContext(
  model: string,
  { compatible }: Pick<EffectiveSettings, "compatible">,
): number | undefined {
  const [provider, name = ""] = bareReference(model).split("/");
  return provider === "compatible" && Object.hasOwn(compatible, name) ? compatible[name]?.context : undefined;
}

/** True if the model's server allocates its context length per request. */
export function makesRoom(model: ModelRef, { compatible }: Pick<EffectiveSettings, "compatible">): boolean {
  const [provider, name = ""] = bareReference(model).split("/");
  if (provider !== "compatible") return provider === "ollama";
  return compatible[name]?.wire === "ollama";
}

/** By model, the context that a run's calls need, of models whose servers allocate it; undefined where there are none. */
export async function contextsOf(
  context: AppContext,
  opening: NewDeliberation,
): Promise<Readonly<Record<string, number>> | undefined> {
  const { participants } = opening;
  if (!participants.some(({ model }) => makesRoom(ModelRef.parse(model), context.settings))) return undefined;
  return (await import("./context-sizes.ts")).contextSizes(context, opening);
}
