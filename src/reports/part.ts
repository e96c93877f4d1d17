import type { ElementTree, ReportBlock, ReportPart } from "../kernel/index.ts";

/** A sentence of our own, though foreign names may stand in it. */
export const words = (text: string) => ({ kind: "words", text }) as const;

/** Points; without any, what `none` says. */
export const points = (texts: readonly string[], none = "") =>
  texts.length > 0 || none === "" ? ({ kind: "points", texts } as const) : words(none);

/** A foreign text, whole. */
export const quote = (text: string) => ({ kind: "text", text }) as const;

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  ({ kind: "table", heads, rows }) as const;

/** A figure; no block where there is nothing to draw. */
export const figures = (figure: ElementTree | undefined) =>
  figure ? [{ kind: "figure", figure } as const] : [];

export const part = (heading: string, ...blocks: ReportPart["blocks"]): ReportPart => ({ heading, blocks });

/** Whether anything stands in a part: without that, nothing is said of it. */
export const hasContent = ({ blocks, parts = [] }: ReportPart): boolean =>
  blocks.some((block) => !isEmptyBlock(block)) || parts.some(hasContent);

/** Whether a block has nothing to show. */
export function isEmptyBlock(block: ReportBlock): boolean {
  switch (block.kind) {
    case "words":
    case "text":
      return block.text === "";
    case "warning":
      return block.title + block.text === "";
    case "facts":
    case "table":
      return block.rows.length === 0;
    case "points":
      return block.texts.length === 0;
    case "figure":
      return false;
  }
}
