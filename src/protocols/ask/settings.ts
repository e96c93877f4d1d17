import * as z from "zod";
import { CouncilSettings } from "../council/index.ts";

/**
 * How far `ask` may climb:
 *
 * | effort | where final answers can be extracted | an open question |
 * | --- | --- | --- |
 * | 1 | drafts, and their vote | drafts, the central one |
 * | 2 | a round of critique and revision, and the vote | the drafts' claims compared |
 * | 3 | the same | a synthesis, whether or not they contradict each other |
 * | 4 | the same | contradictions go through the council's review first |
 * | 5 | a second round where no answer has most of all votes | contradictions go through a round of revision before the review |
 */
const Effort = z.int().min(1).max(5);

export const AskSettings = CouncilSettings.extend({ effort: Effort.default(4) });
export type AskSettings = z.infer<typeof AskSettings>;
