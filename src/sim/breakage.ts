import type { Chance } from "./chance.ts";
import type { ReviewContent } from "./review.ts";
import { outcomeText, type Outcome } from "./solution.ts";

/**
 * The ways in which models break the form that was asked for, each of which a reader has to notice. A
 * review loses its end, names a label twice, leaves one out or invents one.
 */
export function brokenReview(
  content: ReviewContent,
  write: (content: ReviewContent) => string,
  chance: Chance,
): string {
  const [first = "A", ...others] = content.ranking;
  const way = chance.pick("breakage", ["cut", "repeated", "missing", "unknown"]);
  switch (way) {
    case "cut":
      return cut(write(content), chance);
    case "repeated":
      return write({ ...content, ranking: [first, first, ...others.slice(1)] });
    case "missing":
      return write({ ...content, ranking: others.length > 0 ? [first, ...others.slice(1)] : ["Z9"] });
    case "unknown":
      return write({ ...content, ranking: [...content.ranking, "Z9"] });
  }
}

/** A synthesis whose block of contributors cannot stand: cut off, gone, or with weights that do not sum to 1. */
export function brokenSynthesis(text: string, chance: Chance): string {
  const block = text.lastIndexOf("```json");
  const way = chance.pick("breakage", ["cut", "missing", "sum"]);
  switch (way) {
    case "cut":
      return text.slice(0, block + 7 + Math.floor((text.length - block - 12) * chance.roll("cut")));
    case "missing":
      return text.slice(0, block).trimEnd();
    case "sum":
      return text.slice(0, block) + text.slice(block).replace(/"weight":[\d.]+/, '"weight":1.4');
  }
}

/** A judge's outcome that is no object: cut off, without its solution, or nothing but the solution as it is. */
export function brokenOutcome(outcome: Outcome, chance: Chance): string {
  const way = chance.pick("breakage", ["cut", "empty", "bare"]);
  switch (way) {
    case "cut":
      return cut(outcomeText(outcome), chance);
    case "empty":
      return outcomeText({ ...outcome, solutionMarkdown: "" });
    case "bare":
      return outcome.solutionMarkdown;
  }
}

/** A text that lost its marker, or in which something impossible stands behind it. */
export const brokenResult = (text: string, chance: Chance): string =>
  chance.roll("breakage") < 0.5
    ? text.replace(/\[RESULT\].*$/s, "").trimEnd()
    : text.replace(/\[RESULT\].*$/s, "[RESULT] 17");

/** The first third to two thirds of a text. */
export const cut = (text: string, chance: Chance): string =>
  text.slice(0, Math.max(1, Math.floor(text.length * (0.3 + 0.4 * chance.roll("cut")))));
