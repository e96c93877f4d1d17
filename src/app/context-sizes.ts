import {
  checkInput,
  loadReactors,
  prepareDryRun,
  type DryCourse,
  type NewDeliberation,
} from "../engine/index.ts";
import { bareReference, MIN_REPLY_TOKENS, personOf, refusal, type ModelRef } from "../kernel/index.ts";
import type { AppContext } from "./context.ts";
import { contextSizeFor, neededTokens } from "../prompts/context-window.ts";
import { formatNumber } from "../text/format.ts";
import { declaredContext, makesRoom, OLLAMA_CONTEXT } from "./context-window.ts";
import { factsAtHome } from "./reachable.ts";

/** The usual course with replies of some 5,000 characters: memory is dear, and a longer prompt still loads the model once more. */
const COURSE: DryCourse = {
  ...{ course: "usual", finals: "none", isWritten: true, troubled: false, replyTokens: 1_500 },
};

/**
 * By model, the tokens of prompt and reply together that the run's phases will need at most, in few sizes and as far as its
 * endpoint has them, of models whose servers allocate them per request; undefined where there are none, or where the protocol
 * cannot be run dry.
 */
export async function contextSizes(
  context: AppContext,
  opening: NewDeliberation,
): Promise<Readonly<Record<string, number>> | undefined> {
  const { models, settings } = context;
  const needed = new Map<string, number>();
  try {
    const names = Object.keys(opening.reactions ?? {});
    const reactors = (await loadReactors(context.reactors, (name) => names.includes(name))).filter(
      ({ name }) => names.includes(name),
    );
    const run = await prepareDryRun(await checkInput(context, opening));
    await run(COURSE, {
      ports: () =>
        ({ memory: { recall: () => Promise.resolve({ engrams: [], facts: [], how: "" }) } }) as never, // no other is used
      reactors,
      onCall: ({ request, shown, limit }) => {
        const { model, contextTokens } = request;
        if (!makesRoom(model, settings)) return;
        const tokens = contextTokens ?? contextSizeFor(models.quote(request).tokensIn + shown + limit);
        const bare = bareReference(model);
        needed.set(bare, Math.max(tokens, needed.get(bare) ?? 0));
      },
    });
  } catch {
    return undefined;
  }
  const sizes = [...needed].map(([model, tokens]) => {
    return [model, Math.min(tokens, declaredContext(model, settings) ?? Infinity)] as const;
  });
  return sizes.length === 0 ? undefined : Object.fromEntries(sizes);
}

/** A word, or as many digits as a token has at most. */
const WORDS = /\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*|\p{N}{1,3}/gu;

/** No tokenizer packs more letters than this into a token of a text that people write. */
const MAX_LETTERS_PER_TOKEN = 8;

/** The tokens that a text has at least, by whichever tokenizer: none reaches over two words, or packs a long one into few. */
function leastTokens(text: string): number {
  let words = 0;
  for (const _ of text.matchAll(WORDS)) words += 1;
  return Math.max(words, Math.ceil(text.length / MAX_LETTERS_PER_TOKEN));
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
  const neededBy = async (model: ModelRef) => {
    const isCut = makesRoom(model, settings);
    const [tokens, how] = isCut ? [most - 2 * MIN_REPLY_TOKENS, "about"] : [least, "more than"];
    const needed = tokens + MIN_REPLY_TOKENS;
    const declared = declaredContext(model, settings);
    const atHome = needed > OLLAMA_CONTEXT ? await factsAtHome(model, env) : {};
    const own = declared ?? atHome.context ?? models.facts?.(model).context ?? Infinity;
    return { model, tokens, how, needed, declared, window: Math.min(own, set ?? Infinity) };
  };
  const held = new Set(asked.participants.flatMap(({ model }) => (personOf(model) ? [] : [model])));
  for (const { model, tokens, how, needed, declared, window } of await Promise.all([...held].map(neededBy))) {
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
