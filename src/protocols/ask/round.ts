import type { Floor } from "../../engine/index.ts";
import type { RevisionRound } from "../../phases/revise.ts";
import type { AskSettings } from "./settings.ts";

/** A round of revision within what the settings bound. */
export const roundOf = (
  { settings }: Floor<AskSettings>,
  round: Pick<RevisionRound, "round" | "table" | "differ">,
): RevisionRound => ({
  ...round,
  maxOutputTokens: settings.maxOutputTokens.draft,
  timeoutMs: settings.callTimeoutMs,
  patienceMs: settings.patienceMs,
});
