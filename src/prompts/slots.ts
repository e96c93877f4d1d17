import { COUNCIL_SLOTS } from "./council.ts";
import { JUDGE_SLOTS } from "./judge.ts";
import { LADDER_SLOTS } from "./ladder.ts";

/** The slots of every template that ships, no more and no fewer than it has. */
export const PROMPT_SLOTS: Readonly<Record<string, readonly string[]>> = {
  ...COUNCIL_SLOTS,
  ...JUDGE_SLOTS,
  ...LADDER_SLOTS,
};
