import {
  checkInput,
  loadReactors,
  prepareDryRun,
  type DryCourse,
  type NewDeliberation,
} from "../engine/index.ts";
import { bareReference } from "../kernel/index.ts";
import type { AppContext } from "./context.ts";
import { contextSizeFor } from "../prompts/context-window.ts";
import { declaredContext, makesRoom } from "./context-window.ts";

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
