import type { SimScript } from "../belief.ts";
import { script as council } from "./council.ts";
import { script as debate } from "./debate.ts";
import { script as judging } from "./judging.ts";
import { script as respond } from "./respond.ts";
import { script as summaries } from "./summaries.ts";

/** What simulated models say to the built-in prompts; the first that knows a prompt counts. */
export const scripts: readonly SimScript[] = [respond, council, debate, summaries, judging];
