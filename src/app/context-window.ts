import type { NewDeliberation } from "../engine/index.ts";
import type { OpeningContext } from "../engine/opening-part.ts";
import { bareReference, MIN_REPLY_TOKENS, ModelRef, personOf, refusal } from "../kernel/index.ts";
import { contextSizeFor, leastTokens, neededTokens } from "../prompts/context-window.ts";
import { formatNumber } from "../text/format.ts";
import type { AppContext, EffectiveSettings } from "./context.ts";

/** Ollama's own default cuts longer prompts silently; requests for this many tokens run on most machines. */
const OLLAMA_CONTEXT = 8_192;

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

/**
 * Refuses a question that with its files is surely too long for a model, before anybody is asked. What may fit by a tokenizer that is
 * not known here is left to the provider, which says so; a server that would cut it silently is asked for its model's window.
 * @throws Fault `configuration` with the setting that decides and what would do
 */
export async function refuseTooLong(
  { env, models, settings }: Pick<AppContext, "env" | "models" | "settings">,
  asked: Pick<NewDeliberation, "question" | "context" | "participants" | "settings">,
): Promise<void> {
  const texts = [asked.question, ...asked.context.map(({ text }) => text)];
  const [least, most] = [texts.reduce((sum, text) => sum + leastTokens(text), 0), neededTokens(texts)];
  const set = asked.settings["contextTokens"] === undefined ? undefined : settings.respondContext;
  for (const model of new Set(asked.participants.map((one) => one.model))) {
    if (personOf(model) !== undefined) continue;
    const declared = declaredContext(model, settings);
    const isCut = makesRoom(model, settings);
    const [tokens, how] = isCut ? [most - 2 * MIN_REPLY_TOKENS, "about"] : [least, "more than"];
    const needed = tokens + MIN_REPLY_TOKENS;
    const atHome =
      needed > OLLAMA_CONTEXT ? await (await import("./reachable.ts")).factsAtHome(model, env) : {};
    const own = declared ?? atHome.context ?? models.facts?.(model).context ?? Infinity;
    const window = Math.min(own, set ?? Infinity);
    if (needed <= window) continue;
    const size = formatNumber(contextSizeFor(needed));
    const raise = declared === undefined ? "" : `, or raise context of this endpoint (now ${declared})`;
    throw refusal(
      `the question and its files have ${how} ${formatNumber(tokens)} tokens, and ${model} takes ${formatNumber(window)} with its reply`,
      window === set
        ? `attach less, or raise respond-context (now ${set}) to ${size} or more`
        : `attach less, or choose models that take ${size} or more (parley models)${raise}`,
    );
  }
}
