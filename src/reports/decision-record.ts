import { isVoice, type Entry, type ReportPart } from "../kernel/index.ts";
import { formatDuration, pluralize } from "../text/format.ts";
import { warningLines, type ShownResult } from "./answer.ts";
import { block, bullets, partMarkdown, plainMarkdown, section } from "./markdown.ts";
import { inline } from "./printable.ts";
import { earlierPart } from "./deliberation-parts.ts";
import { namesOf } from "./names.ts";
import { describeBaseline, formatCost, unpricedModels } from "./words.ts";

/**
 * A run as a decision record in Markdown (the headings of MADR 4): what was asked, what each member proposed in short, the answer as the
 * decision, what speaks against it, and how it was found. Its status is `proposed`: people decide. Ends in a newline.
 */
export function decisionRecord(entries: readonly Entry[], shown: ShownResult): string {
  const { result, parts, agreement = "" } = shown;
  const { question, answer, finalAnswer, control, participants, calls, wallMs, id } = result;
  const [first = ""] = question.trim().split("\n");
  const voices = participants.filter(isVoice);
  const nameOf = namesOf(participants);
  const options = voices.map(({ id: voice, model, finalAnswer: final, answer: text }) => {
    const gist = final ?? text?.trim().split(/\n|(?<=[.!?])\s/, 1)[0] ?? "no answer";
    return `${nameOf(voice)} (${model}): ${gist}`;
  });
  const baseline = answer === null ? "" : `Baseline: ${describeBaseline(control, participants)}`;
  const usage = [
    pluralize(calls, "call"),
    formatCost(result, unpricedModels(entries)),
    wallMs === null ? "" : formatDuration(wallMs),
  ];
  const sections = [
    `---\nstatus: proposed\ndate: ${entries[0]?.at.slice(0, 10) ?? ""}\ndecision-makers: []\n---`,
    `# ${inline(first.replace(/^#{1,6} /, ""), 120) || "A decision"}`,
    bullets(warningLines(shown)),
    section(
      "## Context and Problem Statement",
      block(question),
      (shown.earlier ?? []).length === 0 ? "" : partMarkdown(earlierPart(shown), { level: 3 }),
    ),
    section("## Considered Options", bullets(options)),
    section(
      "## Decision Outcome",
      answer === null ? "There is no answer." : plainMarkdown(answer, 3),
      finalAnswer === null || finalAnswer === answer?.trim() ? "" : inline(`Final answer: ${finalAnswer}`),
    ),
    section("### Consequences", ...parts.flatMap(arguedIn).map((part) => partMarkdown(part, { level: 4 }))),
    section(
      "## More Information",
      bullets([agreement, baseline, usage.filter(Boolean).join(", "), `Run ${id}`].filter(Boolean)),
    ),
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

/** The parts that argue: dissent, trade-offs, open questions. */
const arguedIn = (one: ReportPart): ReportPart[] => {
  const blocks = one.blocks.filter(({ kind }) => kind === "points");
  return [
    ...(blocks.length > 0 ? [{ heading: one.heading, blocks }] : []),
    ...(one.parts ?? []).flatMap(arguedIn),
  ];
};
