import type { ReportPart } from "../kernel/index.ts";

export const words = (text: string) => ({ kind: "words", text }) as const;

export const points = (texts: readonly string[]) => ({ kind: "points", texts }) as const;

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  ({ kind: "table", heads, rows }) as const;

export const part = (heading: string, ...blocks: ReportPart["blocks"]): ReportPart => ({ heading, blocks });
