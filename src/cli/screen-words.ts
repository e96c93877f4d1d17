import type { StepView } from "../views/progress.ts";
import { oneLine } from "../reports/printable.ts";
import { formatDuration, formatNumber } from "../text/format.ts";

type Work = { readonly doing: string; readonly done: string };

const WORKS: { readonly [work: string]: Work | undefined } = {
  draft: { doing: "drafting", done: "draft" },
  review: { doing: "reviewing", done: "review" },
  synthesis: { doing: "writing", done: "synthesis" },
  comparison: { doing: "comparing", done: "comparison" },
  revision: { doing: "revising", done: "revision" },
  critique: { doing: "criticising", done: "critique" },
};

/** A kind of work, as a step key names it, in words; one that is not known here by its own name. */
export const workWords = (work: string): Work => WORKS[work] ?? { doing: work, done: work };

/** What a step took, in brackets, as far as it is known: ` (1.2 s, 312 tokens)`. */
export function tookWords({ latencyMs, tokensOut }: Pick<StepView, "latencyMs" | "tokensOut">): string {
  const parts = [
    latencyMs === null ? "" : formatDuration(latencyMs),
    tokensOut === null ? "" : `${formatNumber(tokensOut)} tokens`,
  ].filter(Boolean);
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** Where a step is, for a participant's row. */
export function stateWords({ work, state, text, attempt, again: repeated, why, ...took }: StepView): string {
  const { doing, done } = workWords(work);
  const again = repeated ? " again" : "";
  const retried = attempt > 1 ? `, attempt ${attempt}` : "";
  switch (state) {
    case "calling":
      return `${doing}${again}…${retried}`;
    case "writing":
      return `${doing}${again}… ${formatNumber(text.length)} characters${retried}`;
    case "done":
      return `${done} done${tookWords(took)}`;
    case "failed":
      return `${done} failed: ${oneLine(why ?? "for an unknown reason", 300)}`;
  }
}

/** A model for a narrow place: without the parameters of a simulated one. */
export const modelWords = (model: string): string => oneLine(model.split("?")[0] ?? model, 100);
