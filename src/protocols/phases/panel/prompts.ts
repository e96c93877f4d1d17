import { parseContributors } from "../../../replies/contributors.ts";
import { ReviewReply, type Remarks } from "../../../replies/review.ts";
import type { Message } from "../../../kernel/index.ts";
import {
  ANSWERS_SLOTS,
  answersValues,
  fence,
  type AnswersPrompt,
  type Desk,
} from "../../../prompts/material.ts";
import { defineTemplate, replySchema } from "../../../prompts/template.ts";
import { draftTemplate } from "../draft.ts";
import { markdownLines, MAX_SECTIONED_LENGTH } from "../markdown.ts";
import { texts } from "./templates/index.ts";

const reviewTemplate = defineTemplate("council-review", ANSWERS_SLOTS, texts["council-review"]);
const repairTemplate = defineTemplate(
  "council-review-repair",
  ["reply", "labels", "reason"],
  texts["council-review-repair"],
);
const synthesisTemplate = defineTemplate(
  "council-synthesis",
  [...ANSWERS_SLOTS, "reviews", "standing", "absent", "directive"],
  texts["council-synthesis"],
);

export const panelTemplates = [draftTemplate, reviewTemplate, repairTemplate, synthesisTemplate];

/** A reviewer's prompt, with the others' answers under labels, in the order in which this reviewer sees them. */
export const reviewPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  reviewTemplate.render(desk, answersValues(desk, prompt));

/** The one repair turn for a review that could not be read. */
export const reviewRepairPrompt = (
  desk: Desk,
  prompt: { readonly reply: string; readonly labels: readonly string[]; readonly reason: string },
): Message[] =>
  repairTemplate.render(desk, {
    reply: fence(desk, { kind: "review", label: "", text: prompt.reply }),
    labels: prompt.labels.join(", "),
    reason: fence(desk, { kind: "reason", label: "", text: prompt.reason }),
  });

/** The answers are in label order. */
export type SynthesisPrompt = AnswersPrompt & {
  /** By review, then label; anonymous. */
  readonly remarks: readonly (readonly Remarks[])[];
  /** The agreements and contradictions of the answers, where they were compared. */
  readonly comparison?: string | undefined;
  /** Shown only where the strategy asks for it. */
  readonly standing: readonly string[] | undefined;
  /** Members who did not answer, with why. */
  readonly absent: readonly { readonly name: string; readonly why: string }[];
  readonly directive: string;
};

/** The chair's prompt. The strategy reaches no other participant. */
export const synthesisPrompt = (desk: Desk, prompt: SynthesisPrompt): Message[] =>
  synthesisTemplate.render(desk, {
    ...answersValues(desk, prompt),
    reviews: [
      ...(prompt.comparison === undefined
        ? []
        : [fence(desk, { kind: "comparison", label: "", text: prompt.comparison })]),
      ...prompt.remarks.flatMap((review, index) => fenceRemarks(desk, review, index + 1)),
    ].join("\n\n"),
    standing: prompt.standing ? `# The members' standing, best first\n${prompt.standing.join("\n")}` : "",
    absent: prompt.absent
      .map(({ name, why }) => fence(desk, { kind: "absent", label: name, text: why }))
      .join("\n"),
    directive: prompt.directive,
  });

/** The JSON Schema of a review, for providers that can hold a model to it. */
export const reviewSchema = replySchema("review", ReviewReply);

export type Synthesis = {
  /** The chair's answer, without the sections and the block. */
  readonly text: string;
  readonly dissent: readonly string[];
  readonly insights: readonly string[];
  readonly vetoed: readonly { readonly label: string; readonly flaw: string }[];
  readonly claims: ReturnType<typeof parseContributors>;
};

/** Reads a chair's reply: the answer, its sections, and the last block of contributors; what is missing is empty. */
export function readSynthesis(reply: string, labels: readonly string[]): Synthesis {
  const claims = parseContributors(reply, [...labels]);
  const { text, sections } = takeSections(claims.text, ["dissent", "unique insights", "vetoed"]);
  const vetoes = readBullets(sections.get("vetoed")).map((line) => ({ line, veto: readVeto(line, labels) }));
  // A veto of an unknown label stays in the answer's text.
  const unread = vetoes.flatMap(({ line, veto }) => (veto ? [] : [`Vetoed: ${line}`]));
  const vetoed = vetoes.flatMap(({ veto }) => veto ?? []);
  return {
    text: [text.trim(), ...unread].join("\n\n").trim(),
    dissent: readBullets(sections.get("dissent")),
    insights: readBullets(sections.get("unique insights")),
    vetoed,
    claims,
  };
}

/** Reads `A: flaw`, `Answer b is wrong` or `**C** (flaw)`: a known label, then the flaw. */
function readVeto(line: string, labels: readonly string[]): Synthesis["vetoed"][number] | undefined {
  const [, named = "", rest = ""] =
    /^\W*(?:(?:answer|response|draft)\W+)?([A-Z]\d*)\b(.*)$/is.exec(line) ?? [];
  const label = labels.find((one) => one.toLowerCase() === named.toLowerCase());
  const bare = rest.replace(/^[\s:*_)\]\u2013\u2014-]+/u, "").trim();
  const flaw = /^\((.*)\)\W*$/s.exec(bare)?.[1] ?? bare;
  return label === undefined || flaw === "" ? undefined : { label, flaw };
}

/**
 * Takes the sections with these headings out of a markdown text. A section ends at the next heading, at a `Final answer:`
 * line, and where a paragraph follows its list: those belong to the answer.
 */
function takeSections(
  text: string,
  names: readonly string[],
): { text: string; sections: Map<string, string[]> } {
  const kept: string[] = [];
  const sections = new Map<string, string[]>();
  let current: string[] | undefined;
  const from = Math.max(0, text.length - MAX_SECTIONED_LENGTH);
  for (const { line, heading, isCode } of markdownLines(text.slice(from))) {
    const name = heading?.toLowerCase();
    if (!isCode && current && endsSection(line, current)) current = undefined;
    if (name !== undefined) current = names.includes(name) ? (sections.get(name) ?? []) : undefined;
    if (name !== undefined && current) sections.set(name, current);
    else (current ?? kept).push(line);
  }
  return { text: text.slice(0, from) + kept.join("\n"), sections };
}

const ITEM = /^\s{0,3}(?:[-*+]|\d+[.)])\s/;

const endsSection = (line: string, section: readonly string[]): boolean =>
  /^[\s*_]*final answer[*_]*:/i.test(line) ||
  (/^\S/.test(line) &&
    !ITEM.test(line) &&
    section.at(-1)?.trim() === "" &&
    section.some((earlier) => ITEM.test(earlier)));

/** A section's list items, or its paragraphs where it is no list. */
function readBullets(lines: readonly string[] = []): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const [, item] = /^\s{0,3}(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? [];
    if (item !== undefined) items.push(item);
    else if (line.trim() === "") items.push("");
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return items
    .map((item) => item.trim())
    .filter((item) => item !== "" && !/^\(?(none|nothing|n\/a)\W*$/i.test(item));
}

const fenceRemarks = (desk: Desk, review: readonly Remarks[], number: number): string[] =>
  review.map(({ label, strengths, weaknesses }) => {
    const text = [...strengths.map((one) => `+ ${one}`), ...weaknesses.map((one) => `- ${one}`)].join("\n");
    return fence(desk, { kind: "review", label: `${number} of answer ${label}`, text });
  });
