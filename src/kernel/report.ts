import type { Entry } from "./envelope.ts";

// What a protocol says about its own section of a result, in no format yet: a terminal, a document and a page render it.

/**
 * An element of HTML or SVG as plain data. Its attributes have the names of HTML and SVG: `class`, `stroke-width`. A text in it is never
 * read as HTML.
 */
export type ElementTree = {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (ElementTree | string)[];
};

/**
 * A block of a report. `words`, headings and labels are Parley's own, though foreign names may stand in them; `text` and
 * `points` are foreign, and are shown whole. A `figure` is an `svg` element for a page, which brings the
 * style: it says no more than the blocks beside it, and other formats leave it out.
 */
export type ReportBlock =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "warning"; readonly title: string; readonly text: string }
  | { readonly kind: "facts"; readonly rows: readonly (readonly [label: string, text: string])[] }
  | {
      readonly kind: "table";
      readonly heads: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  /** `verbatim`: the language of a text that is code. `isOwn`: whether it is what the document is there for, as an answer. */
  | { readonly kind: "text"; readonly text: string; readonly verbatim?: string; readonly isOwn?: boolean }
  | { readonly kind: "points"; readonly texts: readonly string[] }
  | { readonly kind: "figure"; readonly figure: ElementTree };

/** A heading with what stands below it; without blocks and parts it is left out. */
export type ReportPart = {
  readonly heading: string;
  readonly blocks: readonly ReportBlock[];
  readonly parts?: readonly ReportPart[];
  /** Whether it is folded, where the format can, until a reader opens it; a sentence stands in its place where nothing can be folded. */
  readonly folds?: boolean | string;
};

/** What stands against an answer, a line each, and in a line whose inputs it is from; null where nobody said. */
export type Dissent = { readonly points: readonly string[]; readonly from: string | null };

/** The exports of a protocol's `report.ts`: one of the two functions. */
export type ProtocolReport = {
  /** Formats the view's section as lines of text. */
  sectionLines?(section: never): readonly string[];
  /** Formats the section as parts of a report; `result` is the whole result. */
  sectionParts?(section: never, result: never): readonly ReportPart[];
  /** True if the section itself is the protocol's answer, so that a report needs no other. */
  readonly isVerdict?: boolean;
  /** Formats what was said for a document, whole, in place of drafts, critiques and reviews. */
  courseParts?(entries: readonly Entry[]): readonly ReportPart[];
  /** How many models agree, and on what they differ, on one line below the answer. */
  agreement?(section: never, result: never): string;
  /** What a reader has to know before the answer, beside what is missing: a line each. */
  cautions?(section: never, result: never): readonly string[];
  /** What stands with the answer everywhere. */
  dissent?(section: never, result: never): Dissent;
};
