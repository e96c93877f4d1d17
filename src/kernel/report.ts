// What a protocol says about its own section of a result, in no format yet: a terminal, a document and a page render it.

/**
 * A block of a report. `words`, headings and labels are Parley's own, though foreign names may stand in them; `text` and
 * `points` are foreign, and are shown whole.
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
  /** `verbatim`: the language of a text that is code. */
  | { readonly kind: "text"; readonly text: string; readonly verbatim?: string }
  | { readonly kind: "points"; readonly texts: readonly string[] };

/** A heading with what stands below it; without blocks and parts it is left out. */
export type ReportPart = {
  readonly heading: string;
  readonly blocks: readonly ReportBlock[];
  readonly parts?: readonly ReportPart[];
  /** Whether a reader may fold it away, where the format can; it stands open at first. */
  readonly folds?: boolean;
};
