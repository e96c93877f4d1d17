import { splitSentences } from "../../text/sentences.ts";
import { isNote } from "../appraisal.ts";
import type { SimModel, SimScript } from "../belief.ts";
import { shownTexts } from "../prompt.ts";
import { banner } from "../wording.ts";

/** What a simulated model replies where it summarizes a conversation, or its part in a debate. */
export const script: SimScript = ({ own, task, pieces }) => {
  const [contributions] = shownTexts(pieces, "contributions");
  if (!contributions) return null;
  const [, limit = "2500"] = /\bat most (\d{1,9}) characters/.exec(task || own) ?? [];
  return (model) => summarize(model, contributions.text, Number(limit));
};

/**
 * Nothing but sentences as they were written, each once and the last final answer under each label, in their order and under their headings: those that say most
 * for their length, final answers first, then figures and names. Never longer than asked for, in UTF-16 units.
 */
function summarize(model: SimModel, text: string, maxLength: number): string {
  let heading = "";
  const sentences = new Map<string, { heading: string; text: string }>();
  for (const line of text.split("\n"))
    if (/^Round \d{1,3}, [^:\n]{1,80}:\s*$/.test(line)) heading = line.trim();
    else
      for (const one of splitSentences(line).filter((sentence) => !isNote(sentence))) {
        const key = finalAnswer.test(one) ? `final ${heading.split(" by ")[1]}` : one;
        sentences.delete(key);
        sentences.set(key, { heading, text: one });
      }
  const all = [...sentences.values()];
  let room = maxLength - banner(model).length;
  const kept = new Set<object>();
  const headings = new Set([""]);
  for (const one of all.toSorted((a, b) => rateWorth(b.text) - rateWorth(a.text))) {
    const cost = 1 + one.text.length + (headings.has(one.heading) ? 0 : 1 + one.heading.length);
    if (cost > room) continue;
    room -= cost;
    kept.add(one);
    headings.add(one.heading);
  }
  const lines = all
    .filter((one) => kept.has(one))
    .flatMap((one, index, list) =>
      one.heading === (list[index - 1]?.heading ?? "") ? [one.text] : [one.heading, one.text],
    );
  const [first = { text: "There was nothing to summarize." }] = all;
  return [banner(model), ...(lines.length > 0 ? lines : [first.text])].join("\n").slice(0, maxLength);
}

const finalAnswer = /^\W{0,8}final answer\b/i;

/** Figures, and capitals that do not begin the sentence, for its length. */
function rateWorth(text: string): number {
  const [figures = 0, names = 0] = [/(?<![\p{L}\d])\d/gu, /(?<=[\p{Ll}\p{N},;:)] )\p{Lu}/gu].map((pattern) =>
    Math.min(4, text.match(pattern)?.length ?? 0),
  );
  const worth = (0.2 + 2 * figures + names) / (text.length + 40);
  return finalAnswer.test(text) ? 20 + worth : worth;
}
