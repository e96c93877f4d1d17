import { familyOf, Fault, Json, type ModelRef, type UserId } from "../kernel/index.ts";
import { judgeTemplate } from "../prompts/index.ts";
import { checkedRef } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { criticOf, memoryOf, pairwiseOf } from "./reactions.ts";

/** What an opening pins for the reactors that come after its answer. */
export type ReactionPlan = {
  readonly settings: Readonly<Record<string, Json>>;
  /** Whom they call, beside those who sit somewhere. */
  readonly models: readonly ModelRef[];
  /** Templates that they render. */
  readonly templates: readonly string[];
  readonly notes: readonly string[];
};

/** Which reactors answer a deliberation, as the settings say. @throws Fault `configuration`, `authentication` for a judge that cannot work */
export function reactionPlan(
  parley: Parley,
  {
    answering,
    pairwise = false,
    user = parley.settings.user,
  }: {
    /** Whose answers are graded. */
    readonly answering: readonly ModelRef[];
    /** Whether two answers are to be compared. */
    readonly pairwise?: boolean;
    readonly user?: UserId;
  },
): ReactionPlan {
  const { settings } = parley;
  const critic = criticOf(parley, settings);
  if (critic && settings.judge.length > 0) checkedRef(parley, critic.model);
  const memory = { ...memoryOf(parley, settings), user };
  const compares = pairwise && critic !== null;
  return {
    settings: {
      // JSON, whatever their types are called: what they are read from is.
      ...(critic ? { critic: Json.parse(critic) } : {}),
      ...(critic && compares ? { pairwise: Json.parse(pairwiseOf(critic)) } : {}),
      // Without anything to say of an answer that was not remembered, nothing has to say so.
      ...(memory.write || critic ? { memory: Json.parse(memory) } : {}),
    },
    models: critic ? [critic.model] : [],
    templates: critic
      ? [judgeTemplate("grade", critic.form), ...(compares ? [judgeTemplate("preference", critic.form)] : [])]
      : [],
    notes: critic ? familyNotes(parley, critic.model, answering) : [],
  };
}

/** A judge of the family that it judges is warned of, or refused where families are strict. */
function familyNotes({ settings }: Parley, judge: ModelRef, answering: readonly ModelRef[]): string[] {
  const family = familyOf(judge, settings.families);
  const shared = answering.find((ref) => familyOf(ref, settings.families) === family);
  if (family === null || shared === undefined) return [];
  const why = `the judge ${judge} is of the family ${family}, like ${shared}, whose answers it grades`;
  if (settings.strictFamilies) {
    const next = "choose a judge of another family, or drop --strict-families";
    throw new Fault("configuration", { why, next });
  }
  return [`${why.charAt(0).toUpperCase()}${why.slice(1)}: it may favour them`];
}
