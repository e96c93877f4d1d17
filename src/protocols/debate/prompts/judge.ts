import * as z from "zod";
import { ConfidenceReply, parseConfidence } from "../../../replies/confidence.ts";
import { parseSolution, SolutionReply } from "../../../replies/solution.ts";
import type { Json, Message } from "../../../kernel/index.ts";
import { SUMMARY_SLOTS, summaryValues, type SummaryPrompt } from "./agents.ts";
import { fence, type Desk, type LabeledText } from "../../../prompts/material.ts";
import { PROBLEM_SLOTS, problemValues, type Problem } from "../../../prompts/problem.ts";
import { defineTemplate } from "../../../prompts/template.ts";
import { texts } from "../templates/index.ts";

const summaryTemplate = defineTemplate("debate-judge-summary", SUMMARY_SLOTS, texts["debate-judge-summary"]);
const confidenceTemplate = defineTemplate(
  "debate-confidence",
  [...PROBLEM_SLOTS, "solutions", "count", "persona"],
  texts["debate-confidence"],
);
const solutionTemplate = defineTemplate(
  "debate-synthesis",
  [...PROBLEM_SLOTS, "rounds", "summary", "persona"],
  texts["debate-synthesis"],
);
const repairTemplate = defineTemplate(
  "debate-synthesis-repair",
  ["reply", "reason"],
  texts["debate-synthesis-repair"],
);

/** The templates that the judge of a debate is asked with. */
export const debateJudgeTemplates = [summaryTemplate, confidenceTemplate, solutionTemplate, repairTemplate];

/** What the judge is asked when the last round's proposals and refinements are too long to be shown whole. */
export const judgeSummaryPrompt = (desk: Desk, prompt: SummaryPrompt): Message[] =>
  summaryTemplate.render(desk, summaryValues(desk, prompt));

export type ConfidencePrompt = Problem & {
  /** The agents' solutions as they stand, in label order. */
  readonly answers: readonly LabeledText[];
  readonly persona: string;
};

/** What the judge is asked after a round, to decide on another; `readConfidence` reads what comes back. */
export const confidencePrompt = (desk: Desk, prompt: ConfidencePrompt): Message[] =>
  confidenceTemplate.render(desk, {
    ...problemValues(desk, prompt),
    solutions: prompt.answers
      .map(({ label, text }) => fence(desk, { kind: "solution", label, text }))
      .join("\n\n"),
    count: String(prompt.answers.length),
    persona: prompt.persona,
  });

export type SolutionPrompt = Problem & {
  /** As `roundsText` writes them. */
  readonly rounds: string;
  /** The judge's own, of what is not shown whole. */
  readonly summary?: string | undefined;
  readonly persona: string;
};

/** What the judge is asked in the end; `readSolution` reads what comes back. */
export const solutionPrompt = (desk: Desk, prompt: SolutionPrompt): Message[] =>
  solutionTemplate.render(desk, {
    ...problemValues(desk, prompt),
    rounds: prompt.rounds,
    summary:
      prompt.summary === undefined
        ? ""
        : `# Your summary of the last round\n${fence(desk, { kind: "summary", label: "", text: prompt.summary })}`,
    persona: prompt.persona,
  });

/** The one repair turn for a judge's outcome that could not be read. */
export const solutionRepairPrompt = (
  desk: Desk,
  { reply, reason }: { readonly reply: string; readonly reason: string },
): Message[] =>
  repairTemplate.render(desk, {
    reply: fence(desk, { kind: "reply", label: "", text: reply }),
    reason: fence(desk, { kind: "reason", label: "", text: reason }),
  });

/** The JSON Schema of the judge's outcome, for providers that can hold a model to it. */
export const solutionSchema = {
  name: "solution",
  schema: z.toJSONSchema(SolutionReply) as Json, // a JSON Schema is JSON
};

/** The JSON Schema of the judge's confidence. */
export const confidenceSchema = {
  name: "confidence",
  schema: z.toJSONSchema(ConfidenceReply) as Json, // a JSON Schema is JSON
};

/** The judge's outcome as read: see `parseSolution`. */
export const readSolution = parseSolution;

/** The judge's confidence as read: see `parseConfidence`. */
export const readConfidence = parseConfidence;
