// What a hand-off of a forest asks, and answers in the form that `src/features/forest/protocol/replies.ts` reads.

/** A piece of material in a prompt: `kind` and `label` as its mark has them. */
export type PromptPiece = { readonly kind: string; readonly label: string; readonly text: string };

/** The pieces of material in a prompt, and the task around them, without the marks. */
export function readPrompt(prompt: string): {
  readonly pieces: readonly PromptPiece[];
  readonly task: string;
} {
  const pieces: PromptPiece[] = [];
  const begin = /^\[BEGIN ([a-z]+)(?: ([^\n]*?))? (#[0-9a-f]{16})\]\n/gm;
  let task = "";
  let from = 0;
  for (let found = begin.exec(prompt); found; found = begin.exec(prompt)) {
    const [mark, kind = "", label = "", name = ""] = found;
    const start = found.index + mark.length;
    const last = `[END ${label === "" ? kind : `${kind} ${label}`} ${name}]`;
    const end = prompt.indexOf(last, start);
    if (end < 0) break; // what does not end is no piece, and neither is what follows it
    task += prompt.slice(from, found.index);
    pieces.push({ kind, label, text: prompt.slice(start, end).trimEnd() });
    from = begin.lastIndex = end + last.length;
  }
  task += prompt.slice(from);
  return { pieces, task: task.replaceAll(/\n{3,}/g, "\n\n").trim() };
}

const MAX_FORMULAS = 20;

/** The formulas of a field, one a line. */
export const formulasIn = (lines: string): readonly string[] =>
  lines
    .split("\n")
    .map((formula) => formula.trim())
    .filter(Boolean)
    .slice(0, MAX_FORMULAS);

export const alignmentText = (score: number, reason: string): string =>
  JSON.stringify({ score, reason: reason.trim() });

export const divergenceText = (formulas: readonly string[]): string =>
  JSON.stringify({ candidates: formulas.map((formula) => ({ formula })) });
