import { splitSentences } from "../../text/sentences.ts";
import { isNote } from "../appraisal.ts";
import type { SimModel } from "../belief.ts";
import type { TaskOf } from "../prompt.ts";
import { banner } from "../wording.ts";

type SummaryLine = { readonly text: string; readonly heading?: SummaryLine; readonly worth: number };

/**
 * A summary of nothing but sentences as they were written, in their order and under their headings: those that say most
 * for their length, final answers first, then figures and names. Never longer than asked for, in UTF-16 units.
 */
export function summarize(model: SimModel, { text, most }: TaskOf<"summary">): string {
  const { lines, sentences } = readLines(text);
  const ranked = sentences.toSorted((a, b) => b.worth - a.worth);
  const [best] = ranked;
  const selection = new Set<SummaryLine>();
  let length = banner(model).length;
  for (const sentence of ranked) {
    const added = [sentence.heading, sentence].flatMap((one) => (one && !selection.has(one) ? [one] : []));
    const cost = added.reduce((sum, one) => sum + 1 + one.text.length, 0);
    if (length + cost > most) continue;
    length += cost;
    for (const one of added) selection.add(one);
  }
  const kept = selection.size > 0 ? lines.filter((line) => selection.has(line)) : [best?.heading, best];
  const written = kept.flatMap((line) => line?.text ?? []);
  return [banner(model), ...(best ? written : ["There was nothing to summarize."])].join("\n").slice(0, most);
}

/** Of the same sentence, and of the final answers under one label, only the last counts. */
function readLines(text: string): {
  readonly lines: readonly SummaryLine[];
  readonly sentences: readonly SummaryLine[];
} {
  const lines: SummaryLine[] = [];
  const latest = new Map<string, SummaryLine>();
  let heading: SummaryLine | undefined;
  for (const written of text.split("\n")) {
    if (headingLine.test(written)) lines.push((heading = { text: written.trim(), worth: 0 }));
    else
      for (const sentence of splitSentences(written).filter((one) => !isNote(one))) {
        const isFinal = finalAnswer.test(sentence);
        const line = { text: sentence, ...(heading && { heading }), worth: rateWorth(sentence, isFinal) };
        const label = / by (\S{1,40}):$/.exec(heading?.text ?? "")?.[1] ?? "";
        latest.set(isFinal ? `final ${label}` : `said ${sentence}`, line);
        lines.push(line);
      }
  }
  return { lines, sentences: [...latest.values()] };
}

/** The heading of a contribution: `Round 2, critique by B:`. */
const headingLine = /^Round \d{1,3}, [^:\n]{1,80}:\s*$/;
const finalAnswer = /^\W{0,8}final\s{1,3}answer\b/i;
const figures = /(?<![\p{L}\d])\d/gu;
/** Capitals that do not begin the sentence. */
const names = /(?<=[\p{Ll}\p{N},;:)] )\p{Lu}/gu;

const rateWorth = (text: string, isFinal: boolean): number => {
  const [figureCount, nameCount] = [figures, names].map((pattern) =>
    Math.min(4, text.match(pattern)?.length ?? 0),
  );
  return (isFinal ? 20 : 0) + (0.2 + 2 * (figureCount ?? 0) + (nameCount ?? 0)) / (text.length + 40);
};
