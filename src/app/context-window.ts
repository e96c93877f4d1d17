import type { NewDeliberation } from "../engine/index.ts";
import { bareReference, MIN_REPLY_TOKENS, ModelRef, personOf, refusal } from "../kernel/index.ts";
import { formatNumber } from "../text/format.ts";
import type { AppContext, EffectiveSettings } from "./context.ts";

/** Ollama's own default cuts longer prompts silently; requests for this many tokens run on most machines. */
const OLLAMA_CONTEXT = 8_192;

/**
 * The tokens that a respondent's prompt and reply may have together; undefined if neither settings nor server say. `needed`: what
 * the question and its files need, for which a server that allocates its context per request makes room.
 */
export function contextTokensOf(
  ref: ModelRef | string,
  settings: Pick<EffectiveSettings, "compatible" | "respondContext">,
  needed = 0,
): number | undefined {
  const model = ModelRef.parse(bareReference(ref));
  const room = makesRoom(model, settings) ? Math.max(OLLAMA_CONTEXT, contextSizeFor(needed)) : undefined;
  return settings.respondContext ?? declaredContext(model, settings) ?? room;
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

/** A power of two, or half as much again: few sizes, since a model is loaded anew for each, and none much larger than needed. */
export function contextSizeFor(tokens: number): number {
  const above = 2 ** Math.ceil(Math.log2(Math.max(1, tokens)));
  return tokens <= above * 0.75 ? above * 0.75 : above;
}

/** No tokenizer packs more letters than this into a token of a text that people write. */
const MAX_LETTERS_PER_TOKEN = 8;

/**
 * Refuses a question that with its files is surely too long for a model, before anybody is asked. What may fit by a tokenizer that
 * is not known here is left to the provider, which says so.
 * @throws Fault `configuration` with what would do
 */
export function refuseTooLong(
  { models, settings }: Pick<AppContext, "models" | "settings">,
  { question, context, participants }: Pick<NewDeliberation, "question" | "context" | "participants">,
): void {
  const letters = context.reduce((sum, { text }) => sum + text.length, question.length);
  const tokens = Math.ceil(letters / MAX_LETTERS_PER_TOKEN);
  for (const { model } of participants) {
    if (personOf(model) !== undefined) continue;
    const declared = declaredContext(model, settings);
    const window = declared ?? models.facts?.(model).context ?? Infinity;
    if (tokens + MIN_REPLY_TOKENS <= window) continue;
    const needed = formatNumber(contextSizeFor(tokens + MIN_REPLY_TOKENS));
    const raise = declared === undefined ? "" : `, or raise context of this endpoint (now ${declared})`;
    throw refusal(
      `the question and its files have more than ${formatNumber(tokens)} tokens, and ${model} takes ${formatNumber(window)} with its reply`,
      `attach less, or choose models that take ${needed} or more (parley models)${raise}`,
    );
  }
}
