import type { Message } from "../../../../kernel/index.ts";
import {
  fence,
  materialText,
  sourcesText,
  type Desk,
  type LabeledText,
  type Material,
} from "../../../../prompts/material.ts";
import {
  clarificationsText,
  PROBLEM_SLOTS,
  problemValues,
  type Clarification,
  type ProblemPrompt,
} from "../problem.ts";
import { defineTemplate, replySchema } from "../../../../prompts/template.ts";
import { ConfidenceReply } from "../../../../replies/confidence.ts";
import { QuestionsReply } from "../../../../replies/questions.ts";
import { SolutionReply } from "../../../../replies/solution.ts";
import { texts } from "./templates/index.ts";

const ROUND_SLOTS = [...PROBLEM_SLOTS, "history", "persona"] as const;
const SUMMARY_SLOTS = ["text", "maxLength", "focus", "persona"] as const;

const template = <const S extends string>(name: keyof typeof texts, slots: readonly S[]) =>
  defineTemplate(name, slots, texts[name]);

const CLARIFY_SLOTS = ["material", "clarifications", "persona", "most", "focus"] as const;
const clarifyTemplate = template("debate-clarify", CLARIFY_SLOTS);
const proposalTemplate = template("debate-proposal", ROUND_SLOTS);
const critiqueTemplate = template("debate-critique", [...ROUND_SLOTS, "proposal"]);
const refinementTemplate = template("debate-refinement", [...ROUND_SLOTS, "proposal", "critiques", "count"]);
const summaryTemplate = template("debate-summary", SUMMARY_SLOTS);
const judgeSummaryTemplate = template("debate-judge-summary", SUMMARY_SLOTS);
const ownSummaryTemplate = template("debate-own-summary", ["prompt", "persona"]);
const confidenceTemplate = template("debate-confidence", [...PROBLEM_SLOTS, "solutions", "count", "persona"]);
const solutionTemplate = template("debate-synthesis", [...PROBLEM_SLOTS, "rounds", "summary", "persona"]);
const repairTemplate = template("debate-synthesis-repair", ["reply", "reason"]);

export const debateTemplates = [
  clarifyTemplate,
  proposalTemplate,
  critiqueTemplate,
  refinementTemplate,
  summaryTemplate,
  judgeSummaryTemplate,
  ownSummaryTemplate,
  confidenceTemplate,
  solutionTemplate,
  repairTemplate,
];

export const questionsSchema = replySchema("questions", QuestionsReply);
export const solutionSchema = replySchema("solution", SolutionReply);
export const confidenceSchema = replySchema("confidence", ConfidenceReply);

export type ClarifyPrompt = {
  readonly material: Material;
  readonly persona: string;
  /** The questions that were asked before, by any agent, with their answers. */
  readonly answered: readonly Clarification[];
  /** The maximum number of questions. */
  readonly most: number;
  /** The user's own instruction, beside the built-in ones. */
  readonly focus?: string | undefined;
};

/** An agent's prompt before the first round; `parseQuestions` reads the reply. */
export const clarifyPrompt = (desk: Desk, prompt: ClarifyPrompt): Message[] =>
  clarifyTemplate.render(desk, {
    material: materialText(desk, prompt.material),
    clarifications: clarificationsText(desk, prompt.answered),
    persona: prompt.persona,
    most: String(prompt.most),
    focus: prompt.focus ?? "",
  });

export type RoundPrompt = ProblemPrompt & {
  /** The agent's own perspective on earlier rounds, as `historyText` writes it; undefined in the first round. */
  readonly history: string | undefined;
  readonly persona: string;
};

/** The prompt for a whole solution that says how it covers the requirements. */
export const proposalPrompt = (desk: Desk, prompt: RoundPrompt): Message[] =>
  proposalTemplate.render(desk, roundValues(desk, prompt));

/** The prompt for a critique of another's proposal. What two critics of it share comes first, byte by byte. */
export const critiquePrompt = (
  desk: Desk,
  prompt: RoundPrompt & { readonly proposal: LabeledText },
): Message[] =>
  critiqueTemplate.render(desk, {
    ...roundValues(desk, prompt),
    proposal: proposalText(desk, prompt.proposal),
  });

const proposalText = (desk: Desk, { label, text, sources }: LabeledText): string =>
  fence(desk, { kind: "proposal", label, text }) + sourcesText(desk, [{ label, text, sources }]);

export type RefinementPrompt = RoundPrompt & {
  /** The agent's own. */
  readonly proposal: LabeledText;
  /** The critiques of that proposal, without their authors. */
  readonly critiques: readonly string[];
};

/** The prompt for the agent's own proposal, improved and whole. */
export const refinementPrompt = (desk: Desk, prompt: RefinementPrompt): Message[] =>
  refinementTemplate.render(desk, {
    ...roundValues(desk, prompt),
    proposal: proposalText(desk, prompt.proposal),
    critiques: prompt.critiques
      .map((text, index) => fence(desk, { kind: "critique", label: String(index + 1), text }))
      .join("\n\n"),
    count: String(prompt.critiques.length),
  });

export type SummaryPrompt = {
  readonly text: string;
  /** In UTF-16 units. */
  readonly maxLength: number;
  /** The user's own instruction beside the built-in ones, as earlier openings pinned it. */
  readonly focus?: string | undefined;
  readonly persona: string;
};

/** The prompt for a summary of an agent's own perspective that is too long to be shown whole. */
export const summaryPrompt = (desk: Desk, prompt: SummaryPrompt): Message[] =>
  summaryTemplate.render(desk, summaryValues(desk, prompt));

/** The prompt for a summary of the last round's proposals and refinements, for the judge. */
export const judgeSummaryPrompt = (desk: Desk, prompt: SummaryPrompt): Message[] =>
  judgeSummaryTemplate.render(desk, summaryValues(desk, prompt));

/** Where a summary prompt of the user's own has the text to summarize, and the maximum length. */
const CONTENT = "{content}";
const MAX_LENGTH = "{maxLength}";

/** The user's own prompt in place of the built-in ones; the text comes last where the prompt does not place it. */
export function ownSummaryPrompt(
  desk: Desk,
  { own, text, maxLength, persona }: Omit<SummaryPrompt, "focus"> & { readonly own: string },
): Message[] {
  const content = fence(desk, { kind: "contributions", label: "", text });
  const placed = own.includes(CONTENT) ? own : `${own.trimEnd()}\n\n${CONTENT}`;
  const prompt = placed.replaceAll(MAX_LENGTH, String(maxLength)).split(CONTENT).join(content);
  return ownSummaryTemplate.render(desk, { prompt, persona });
}

const summaryValues = (
  desk: Desk,
  { text, maxLength, focus, persona }: SummaryPrompt,
): Record<(typeof SUMMARY_SLOTS)[number], string> => ({
  text: fence(desk, { kind: "contributions", label: "", text }),
  maxLength: String(maxLength),
  focus: focus ?? "",
  persona,
});

const roundValues = (desk: Desk, prompt: RoundPrompt): Record<(typeof ROUND_SLOTS)[number], string> => ({
  ...problemValues(desk, prompt),
  history: prompt.history ?? "",
  persona: prompt.persona,
});

export type PromptHistory = {
  /** Made at the start of `round`: it stands for all rounds before that one. */
  readonly summary?: { readonly round: number; readonly text: string } | undefined;
  /** Oldest first, each with the agent's own texts and the critiques it received, in order. */
  readonly rounds: readonly {
    readonly round: number;
    readonly items: readonly {
      readonly kind: "proposal" | "critique" | "refinement";
      readonly text: string;
    }[];
  }[];
};

/** An agent's own perspective on the debate so far: its summary, if any, then every text since, whole. */
export function historyText(desk: Desk, { summary, rounds }: PromptHistory): string {
  const since = summary?.round ?? 0;
  const pieces = [
    ...(summary
      ? [fence(desk, { kind: "summary", label: `before round ${summary.round}`, text: summary.text })]
      : []),
    ...rounds
      .filter(({ round }) => round >= since)
      .flatMap(({ round, items }) =>
        items.map(({ kind, text }) =>
          fence(desk, { kind: "history", label: `round ${round} ${kind}`, text }),
        ),
      ),
  ];
  return pieces.length === 0 ? "" : ["# Your part in the debate so far", ...pieces].join("\n\n");
}

/** The agents' texts of one round, under the same labels in every round. */
export type JudgedRound = {
  readonly round: number;
  readonly proposals: readonly LabeledText[];
  /** Under the label of the agent that wrote it; `of` is the label of the proposal. None where the judge is not to see any. */
  readonly critiques?: readonly (LabeledText & { readonly of: string })[];
  readonly refinements: readonly LabeledText[];
};

/**
 * The rounds as the judge sees them: proposals, critiques and refinements under labels. A proposal that equals the last text
 * under its label is not shown a second time.
 */
export function roundsText(desk: Desk, rounds: readonly JudgedRound[]): string {
  const standing = new Map<string, string>();
  return rounds
    .map(({ round, proposals, critiques = [], refinements }) => {
      const fresh = proposals.filter(({ label, text }) => standing.get(label) !== text);
      for (const { label, text } of [...proposals, ...refinements]) standing.set(label, text);
      return [
        `# Round ${round}`,
        ...(fresh.length < proposals.length
          ? ["Who has no proposal here goes on with the text that stood at the end of the round before."]
          : []),
        ...fresh.map(({ label, text }) => fence(desk, { kind: "proposal", label, text })),
        ...critiques.map(({ label, of, text }) =>
          fence(desk, { kind: "critique", label: `of ${of} by ${label}`, text }),
        ),
        ...refinements.map(({ label, text }) => fence(desk, { kind: "refinement", label, text })),
      ].join("\n\n");
    })
    .join("\n\n");
}

export type ConfidencePrompt = ProblemPrompt & {
  /** The agents' current solutions, in label order. */
  readonly answers: readonly LabeledText[];
  readonly persona: string;
};

/** The judge's prompt after a round, to decide on another; `parseConfidence` reads the reply. */
export const confidencePrompt = (desk: Desk, prompt: ConfidencePrompt): Message[] =>
  confidenceTemplate.render(desk, {
    ...problemValues(desk, prompt),
    solutions: prompt.answers
      .map(({ label, text }) => fence(desk, { kind: "solution", label, text }))
      .join("\n\n"),
    count: String(prompt.answers.length),
    persona: prompt.persona,
  });

export type SolutionPrompt = ProblemPrompt & {
  /** As `roundsText` writes them. */
  readonly rounds: string;
  /** Under their labels, for what they rest on. */
  readonly answers?: readonly LabeledText[];
  /** The judge's own summary of what is not shown whole. */
  readonly summary?: string | undefined;
  readonly persona: string;
};

/** The judge's prompt for the solution; `parseSolution` reads the reply. */
export const solutionPrompt = (desk: Desk, prompt: SolutionPrompt): Message[] =>
  solutionTemplate.render(desk, {
    ...problemValues(desk, prompt),
    rounds: prompt.rounds + sourcesText(desk, prompt.answers ?? []),
    summary:
      prompt.summary === undefined
        ? ""
        : `# Your summary of the last round\n${fence(desk, { kind: "summary", label: "", text: prompt.summary })}`,
    persona: prompt.persona,
  });

/** The one repair turn for a solution that could not be read. */
export const solutionRepairPrompt = (
  desk: Desk,
  { reply, reason }: { readonly reply: string; readonly reason: string },
): Message[] =>
  repairTemplate.render(desk, {
    reply: fence(desk, { kind: "reply", label: "", text: reply }),
    reason: fence(desk, { kind: "reason", label: "", text: reason }),
  });
