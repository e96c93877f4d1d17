import type { CostTable } from "./costs.ts";

/**
 * A piece of a debate's report, in no format yet. `words`, heads and labels are ours, though foreign names may stand in
 * words; `text` and `points` are foreign, and stay whole.
 */
export type Block =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "warning"; readonly title: string; readonly text: string }
  | { readonly kind: "facts"; readonly rows: readonly (readonly [label: string, text: string])[] }
  | {
      readonly kind: "table";
      readonly heads: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "points"; readonly texts: readonly string[] }
  | { readonly kind: "costs"; readonly costs: CostTable };

/** A heading with what stands below it. */
export type Part = {
  readonly heading: string;
  readonly blocks: readonly Block[];
  readonly parts?: readonly Part[];
  /** Whether a reader may fold it away, where the format can; it stands open at first. */
  readonly folds?: boolean;
};

export const words = (text: string): Block => ({ kind: "words", text });

/** Points, or words for there being none. */
export const points = (texts: readonly string[], none: string): Block =>
  texts.length > 0 ? { kind: "points", texts } : words(none);
