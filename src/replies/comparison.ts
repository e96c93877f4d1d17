import * as z from "zod";
import { jsonObjects, parseJson } from "./json-objects.ts";
import { openReply } from "./verdicts.ts";
import { labelReader, type LabelReader } from "./reply-fields.ts";

const Stance = z.strictObject({ claim: z.string(), answers: z.array(z.string()) });

/** The JSON form of a comparison of labeled answers, claim by claim. */
export const ComparisonReply = z.strictObject({
  agreements: z.array(Stance),
  contradictions: z.array(z.strictObject({ topic: z.string(), stances: z.array(Stance) })),
  unique: z.array(Stance),
});

/** A claim, and the labels of the answers that make it. */
export type ComparedClaim = { readonly claim: string; readonly answers: string[] };

export type Comparison =
  | {
      readonly ok: true;
      readonly agreements: ComparedClaim[];
      readonly contradictions: { readonly topic: string; readonly stances: ComparedClaim[] }[];
      readonly unique: ComparedClaim[];
    }
  | { readonly ok: false; readonly reason: string };

/** Maximum claims kept of a kind, and maximum length of each. */
const MAX_CLAIMS = 50;
const MAX_OBJECTS = 50;
const MAX_CHARACTERS = 1_000;

/** Strict in what makes the object one of comparison, lenient in its rows: a row that cannot be used is left out. */
const ComparisonShape = z.object({
  agreements: z.array(z.unknown()),
  contradictions: z.array(z.unknown()),
  unique: z.array(z.unknown()).default([]),
});
const StanceShape = z.object({ claim: z.string(), answers: z.array(z.string()) });
const ContradictionShape = z.object({ topic: z.string(), stances: z.array(z.unknown()) });

/**
 * Reads a comparison from the last JSON object of that form in a text. Labels come back in the spelling of `labels`,
 * each once. A row is left out when it makes no claim or names no known answer; a contradiction, when fewer than two
 * stances with different holders are left of it, because it could not send anybody back to work. Where contradictions
 * were written but none can be used it refuses: "none" is what ends a deliberation, and it is never guessed.
 */
export function parseComparison(reply: string, labels: readonly string[]): Comparison {
  const reader = labelReader(labels);
  if (!reader) return { ok: false, reason: "the labels cannot be told apart" };
  const opened = openReply(reply);
  if (!opened.ok) return opened;
  const { text } = opened;
  const found = jsonObjects(text)
    .slice(-MAX_OBJECTS)
    .map(({ start, end }) => ComparisonShape.safeParse(parseJson(text.slice(start, end))))
    .findLast(({ success }) => success);
  if (!found?.success)
    return { ok: false, reason: "there is no JSON object with agreements and contradictions" };
  const stances = (rows: readonly unknown[]) =>
    rows.slice(0, MAX_CLAIMS).flatMap((row) => readStance(row, reader) ?? []);
  const contradictions = found.data.contradictions.slice(0, MAX_CLAIMS).flatMap((row) => {
    const read = ContradictionShape.safeParse(row);
    if (!read.success) return [];
    const sides = stances(read.data.stances);
    return isContradiction(sides) ? [{ topic: boundText(read.data.topic), stances: sides }] : [];
  });
  if (found.data.contradictions.length > 0 && contradictions.length === 0)
    return { ok: false, reason: "no contradiction in it says which answers hold what" };
  return {
    ok: true,
    agreements: stances(found.data.agreements),
    contradictions,
    unique: stances(found.data.unique),
  };
}

function readStance(row: unknown, reader: LabelReader): ComparedClaim | undefined {
  const read = StanceShape.safeParse(row);
  if (!read.success) return undefined;
  const claim = boundText(read.data.claim);
  const answers = [...new Set(read.data.answers.flatMap((label) => reader.whole(label) ?? []))];
  return claim === "" || answers.length === 0 ? undefined : { claim, answers };
}

/** Two sides at least, and not the same answers on all of them. */
function isContradiction(sides: readonly ComparedClaim[]): boolean {
  return new Set(sides.map(({ answers }) => answers.toSorted().join("\n"))).size > 1;
}

function boundText(text: string): string {
  return text.trim().slice(0, MAX_CHARACTERS).toWellFormed();
}
