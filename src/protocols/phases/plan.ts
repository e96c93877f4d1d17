import type { CallCount, PlanContext } from "../../engine/index.ts";
import { StepKey, type Participant } from "../../kernel/index.ts";
import { seatDrafts, type SeatedDraft } from "./table.ts";

/** A call that every course of a run makes. */
export const ALWAYS: CallCount = { low: 1, expected: 1, high: 1 };
/** A call that the usual course makes. */
export const USUALLY: CallCount = { low: 0, expected: 1, high: 1 };
/** A call that only some courses make: a repair, a fallback, a detour. */
export const AT_MOST: CallCount = { low: 0, expected: 0, high: 1 };

/** What stands in a plan's prompts for a text that is not written yet. */
export const UNWRITTEN = "x";

/** What stands in a repair's prompt for why a reply could not be read. */
export const UNREADABLE = UNWRITTEN.repeat(1_000);

/** The drafts that these members will have written, without their texts. */
export const plannedTable = (
  context: Pick<PlanContext, "shuffle">,
  members: readonly Participant[],
): readonly SeatedDraft[] =>
  seatDrafts(
    context,
    members.map((by) => ({ by, step: StepKey.parse(`draft/${by.id}`), text: UNWRITTEN, final: null })),
  );

/** As many times this reply's limit as an answer shows such replies. */
export const times = (count: number, tokens: number): number[] => Array.from({ length: count }, () => tokens);
