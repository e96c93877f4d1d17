import * as z from "zod";
import { ConfidenceReply, parseConfidence, parseSolution, SolutionReply } from "../judging/index.ts";
import type { Json, Message } from "../kernel/index.ts";
import { summarySlots, type SummaryPrompt } from "./debate.ts";
import { fence, type Desk, type Labelled } from "./material.ts";
import { problemSlots, type Problem } from "./problem.ts";
import { render } from "./template.ts";

/** The slots of the templates that the judge of a debate is asked with. */
export const DEBATE_JUDGE_SLOTS = {
  "debate-judge-summary": ["text", "maxLength", "focus", "persona"],
  "debate-confidence": ["material", "clarifications", "requirements", "solutions", "count", "persona"],
  "debate-synthesis": ["material", "clarifications", "requirements", "rounds", "summary", "persona"],
  "debate-synthesis-repair": ["reply", "reason"],
} as const;
type Slots = typeof DEBATE_JUDGE_SLOTS;

export const DEBATE_JUDGE_TEMPLATES: readonly string[] = Object.keys(DEBATE_JUDGE_SLOTS);

/** What the judge is asked when the last round's proposals and refinements are too long to be shown whole. */
export const judgeSummaryPrompt = (desk: Desk, prompt: SummaryPrompt): Message[] =>
  rendered(desk, "debate-judge-summary", summarySlots(desk, prompt));

export type ConfidencePrompt = Problem & {
  /** The agents' solutions as they stand, in label order. */
  readonly answers: readonly Labelled[];
  readonly persona: string;
};

/** What the judge is asked after a round, to decide on another; `readConfidence` reads what comes back. */
export const confidencePrompt = (desk: Desk, prompt: ConfidencePrompt): Message[] =>
  rendered(desk, "debate-confidence", {
    ...problemSlots(desk, prompt),
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
  rendered(desk, "debate-synthesis", {
    ...problemSlots(desk, prompt),
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
  rendered(desk, "debate-synthesis-repair", {
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

const rendered = <N extends keyof Slots>(
  desk: Desk,
  name: N,
  values: Record<Slots[N][number], string>,
): Message[] => render({ name, text: desk.template(name) }, values);
