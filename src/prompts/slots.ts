import { COUNCIL_SLOTS } from "./council.ts";
import { DEBATE_JUDGE_SLOTS } from "./debate-judge.ts";
import { DEBATE_SLOTS } from "./debate.ts";
import { EVALUATION_SLOTS } from "./evaluation.ts";
import { JUDGE_SLOTS } from "./judge.ts";
import { LADDER_SLOTS } from "./ladder.ts";
import { RESPOND_SLOTS } from "./respond.ts";

/** The slots of every template that ships, no more and no fewer than it has. */
export const PROMPT_SLOTS: Readonly<Record<string, readonly string[]>> = {
  ...COUNCIL_SLOTS,
  ...DEBATE_SLOTS,
  ...DEBATE_JUDGE_SLOTS,
  ...EVALUATION_SLOTS,
  ...JUDGE_SLOTS,
  ...LADDER_SLOTS,
  ...RESPOND_SLOTS,
};
