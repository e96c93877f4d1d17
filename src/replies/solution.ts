import * as z from "zod";
import type { Assessment } from "../kernel/index.ts";
import { readConfidence } from "./confidence.ts";
import { findFields, toTexts } from "./reply-fields.ts";

/** The JSON form of what the judge of a debate writes in the end. */
export const SolutionReply = z.strictObject({
  solutionMarkdown: z.string(),
  tradeoffs: z.array(z.string()),
  recommendations: z.array(z.string()),
  unfulfilledMajorRequirements: z.array(z.string()),
  openQuestions: z.array(z.string()),
  confidence: z.number().nullable(),
});

export type Solution =
  | { readonly ok: true; readonly markdown: string; readonly assessment: Assessment }
  | { readonly ok: false; readonly reason: string };

/** The most that a judge may be confident of a solution that leaves a major requirement unfulfilled. */
const MAX_UNFULFILLED = 40;

const FULFILLED =
  /^\W{0,9}(?:all|every)(?: of)?(?: the)? (?:major )?requirements? (?:is|are|was|were|has been|have been) (?:fully )?(?:fulfilled|met|covered|satisfied|addressed)\W{0,9}$/i;

/**
 * Reads the judge's solution and assessment from the last JSON object with `solutionMarkdown`. A list that is missing or
 * unreadable is empty; a confidence that `confidenceOf` does not read is null, because the solution is worth more than
 * the number; one that is capped keeps what the judge said. Refuses a reply without such an object, or with an empty solution.
 */
export function parseSolution(text: string): Solution {
  const found = findFields(text, "solutionMarkdown");
  if (!found.ok) return found;
  const { fields } = found;
  const written = fields.get("solutionmarkdown");
  const markdown = typeof written === "string" ? written.trim().toWellFormed() : "";
  if (markdown === "")
    return {
      ok: false,
      reason: typeof written === "string" ? "solutionMarkdown is empty" : "solutionMarkdown is no text",
    };
  const unfulfilled = toTexts(fields.get("unfulfilledmajorrequirements")).filter(
    (item) => !FULFILLED.test(item),
  );
  const confidence = readConfidence(fields.get("confidence"));
  const isCapped = confidence !== null && unfulfilled.length > 0 && confidence > MAX_UNFULFILLED;
  const many = unfulfilled.length === 1 ? "requirement is" : "requirements are";
  const why = `${unfulfilled.length} major ${many} not fulfilled`;
  return {
    ok: true,
    markdown,
    assessment: {
      confidence: isCapped ? MAX_UNFULFILLED : confidence,
      ...(isCapped ? { capped: { said: confidence, why } } : {}),
      tradeoffs: toTexts(fields.get("tradeoffs")),
      recommendations: toTexts(fields.get("recommendations")),
      unfulfilledMajorRequirements: unfulfilled,
      openQuestions: toTexts(fields.get("openquestions")),
    },
  };
}
