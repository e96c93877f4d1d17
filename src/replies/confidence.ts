import * as z from "zod";
import { findFields, toText } from "./reply-fields.ts";

/** The JSON form of a judge's confidence; the reason stands first, so that it is given before the number. */
export const ConfidenceReply = z.strictObject({ reason: z.string(), confidence: z.number() });

export type Confidence =
  | { readonly ok: true; readonly confidence: number; readonly reason: string }
  | { readonly ok: false; readonly reason: string };

const confidencePattern =
  /^[\s*_`~≈]{0,9}(-?\d{1,9}(?:\.\d{1,9})?)\s{0,3}(%|percent|(?:\/|out of|of)\s{0,3}100(?![\d.]))?[\s*_`.]{0,9}$/i;

/**
 * A confidence as an integer from 0 to 100, rounded, what is beyond drawn to the bound: a number, or a text such as
 * `85`, `85%` or `85/100`. Null for anything else, also for a bare number between 0 and 1: whether 0.85 is of 1 or of
 * 100 cannot be told, and nothing is rescaled. 0 and 1 themselves are of 100.
 */
export function readConfidence(value: unknown): number | null {
  const [, digits, scale] =
    typeof value === "string" ? (confidencePattern.exec(value.slice(0, 100)) ?? []) : [];
  const number = typeof value === "number" ? value : digits === undefined ? NaN : Number(digits);
  if (!Number.isFinite(number)) return null;
  if (scale === undefined && number > 0 && number < 1) return null;
  return Math.min(100, Math.max(0, Math.round(number)));
}

/** Reads a judge's confidence and its reason from the last JSON object with `confidence`: see `confidenceOf`. */
export function parseConfidence(text: string): Confidence {
  const found = findFields(text, "confidence");
  if (!found.ok) return found;
  const value = found.fields.get("confidence");
  const confidence = readConfidence(value);
  if (confidence === null)
    return {
      ok: false,
      reason: `the confidence ${JSON.stringify(value)?.slice(0, 40) ?? ""} is no number from 0 to 100`,
    };
  return { ok: true, confidence, reason: toText(found.fields.get("reason")) };
}
