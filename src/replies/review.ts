import * as z from "zod";
import { normalizeBreaks, splitLines } from "../text/fences.ts";
import { labelReader, type LabelReader } from "./reply-fields.ts";
import { measureLeadIn, RANKING_MARKER, readItem, REVIEW_HEADING } from "./label-lists.ts";
import { locateRanking } from "./ranking.ts";

/** The JSON form of a review: what stands for and against each answer, and all labels in `ranking`, best first. */
export const ReviewReply = z.strictObject({
  reviews: z.array(
    z.strictObject({ label: z.string(), strengths: z.array(z.string()), weaknesses: z.array(z.string()) }),
  ),
  ranking: z.array(z.string()),
});
export type ReviewReply = z.infer<typeof ReviewReply>;

/** What one reviewer says of one answer. */
export type Remarks = { readonly label: string; readonly strengths: string[]; readonly weaknesses: string[] };

export type Review =
  | { readonly ok: true; readonly ranking: string[]; readonly remarks: Remarks[] }
  | { readonly ok: false; readonly reason: string };

const MAX_REMARKS = 50;
const MAX_REMARK_LENGTH = 2_000;

const REMARK_LIST = z.union([z.array(z.unknown()), z.string().transform((text) => [text])]).catch([]);
const lenientReviews = z
  .array(
    z.object({ label: z.string(), strengths: REMARK_LIST, weaknesses: REMARK_LIST }).nullable().catch(null),
  )
  .catch([]);

const bullet = /^[\s>#*_`•+-]{0,40}(?:\d{1,2}[.)]\s)?[\s*_`]{0,10}/;

type Collector = {
  readonly add: (label: string, side: "strengths" | "weaknesses", remark: string) => void;
  readonly remarks: () => Remarks[];
};

/** Keeps at most 50 remarks of 2,000 characters a side, in the order of `labels`; an answer without any is left out. */
function collector(labels: readonly string[]): Collector {
  const rows = new Map(
    labels.map((label): [string, Remarks] => [label, { label, strengths: [], weaknesses: [] }]),
  );
  return {
    add: (label, side, remark) => {
      const text = remark.slice(0, MAX_REMARK_LENGTH).trim();
      const list = rows.get(label)?.[side];
      if (text !== "" && list !== undefined && list.length < MAX_REMARKS) list.push(text);
    },
    remarks: () => [...rows.values()].filter((row) => row.strengths.length + row.weaknesses.length > 0),
  };
}

function jsonRemarks(json: object, reader: LabelReader, into: Collector) {
  for (const review of lenientReviews.parse("reviews" in json ? json.reviews : [])) {
    const label = review === null ? null : reader.whole(review.label);
    if (review === null || label === null) continue;
    for (const side of ["strengths", "weaknesses"] as const)
      for (const remark of review[side]) if (typeof remark === "string") into.add(label, side, remark);
  }
}

function textRemarks(body: string, reader: LabelReader, into: Collector) {
  let label: string | null = null;
  let side: "strengths" | "weaknesses" | null = null;
  for (const { text } of splitLines(body)) {
    if (text.trim() === "") continue;
    const item = readItem(text, reader);
    if (item !== null || RANKING_MARKER.test(text.slice(0, 300)) || measureLeadIn(text) > 0) {
      label = item?.label ?? null;
      side = null;
    }
    const rest = item === null ? text : item.rest;
    const heading = REVIEW_HEADING.exec(rest.slice(0, 200));
    if (heading !== null) side = heading[1] === undefined ? "weaknesses" : "strengths";
    if (label === null || side === null) continue;
    const said = heading === null ? rest : rest.slice(heading[0].length);
    const [first = "", second] = heading?.[1] === undefined ? [said] : splitSides(said);
    into.add(label, side, cleanRemark(first));
    if (second === undefined) continue;
    side = "weaknesses";
    into.add(label, side, cleanRemark(second));
  }
}

/** `Strengths: short. Weaknesses: wrong.` on one line is both. */
function splitSides(said: string): string[] {
  const [, before, after] =
    /^(.{0,2000}?)[\s*_`;,(]*\b(?:weakness(?:es)?|cons)[*_`]{0,6}:(.*)$/i.exec(said.slice(0, 5_000)) ?? [];
  return before === undefined || after === undefined ? [said] : [before, after];
}

function cleanRemark(text: string): string {
  return text
    .slice(0, MAX_REMARK_LENGTH)
    .replace(bullet, "")
    .trim()
    .replace(/^\*\*|\*\*$/g, "");
}

/**
 * Reads a review: its ranking as `parseRanking` does, and strengths and weaknesses from the JSON form
 * `ReviewReply` or from text with headings per answer before the ranking. The ranking decides: with a good one
 * and no remarks to be read the review is good, and `remarks` has no row for an answer without any.
 */
export function parseReview(reply: string, labels: readonly string[]): Review {
  const text = normalizeBreaks(reply);
  const located = locateRanking(text, labels);
  const reader = labelReader(labels);
  if (!located.ok) return located;
  const into = collector(labels);
  if (reader !== null && located.json !== null) jsonRemarks(located.json, reader, into);
  else if (reader !== null) textRemarks(text.slice(0, located.at), reader, into);
  return { ok: true, ranking: located.ranking, remarks: into.remarks() };
}
