import type { Entry } from "../kernel/index.ts";
import type { ShownResult } from "./answer.ts";
import { deliberationHead, deliberationParts, statusWords } from "./deliberation-parts.ts";
import { eventLine } from "./event-line.ts";
import { block, bullets, partMarkdown, plainMarkdown } from "./markdown.ts";
import { inline } from "./printable.ts";
import { pageHtml, type PageScreen } from "./page.ts";

/**
 * One deliberation as a markdown document, from all its entries in order, wherever it stands: the outcome
 * first, with all that is missing above it, then everything that was said and what it took. Events of unknown
 * types are left out and counted. No text of a model, a user or a provider can change the document's
 * structure. `folds`: whether what reads it can fold a part. Ends in a newline.
 */
export function deliberationMarkdown(entries: readonly Entry[], shown?: ShownResult, folds = false): string {
  if (!shown) return "# Nothing is recorded\n";
  const { result } = shown;
  const { title, warnings } = deliberationHead(entries, shown);
  const sections = [
    `# ${inline(title, 100)}`,
    block(result.question),
    [`**Status: ${inline(statusWords(entries, result))}**`, bullets(warnings)].filter(Boolean).join("\n\n"),
    answerMarkdown(shown),
    ...deliberationParts(entries, shown).map((part) => partMarkdown(part, { level: 2, folds })),
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

/** What answers nothing, and is told by its section, has no such part. */
function answerMarkdown({ result: { answer, finalAnswer }, isVerdict = false }: ShownResult): string {
  if (answer === null) return isVerdict ? "" : "## Answer\n\nThere is none.";
  const final = finalAnswer === null ? [] : [inline(`Final answer: ${finalAnswer}`)];
  return ["## Answer", plainMarkdown(answer, 3), ...final].join("\n\n");
}

/** The same as a page of its own (`pageHtml`): the answer first, what led to it folded. Ends in a newline. */
export function deliberationHtml(
  entries: readonly Entry[],
  shown: ShownResult,
  program?: Omit<PageScreen, "journal">,
): string {
  const { simulated, question, answer } = shown.result;
  const parts = deliberationParts(entries, shown);
  const screen = program && { ...program, journal: `[${entries.map(eventLine).join(",")}]` };
  return pageHtml({ ...deliberationHead(entries, shown), simulated, question, answer, parts, screen });
}
