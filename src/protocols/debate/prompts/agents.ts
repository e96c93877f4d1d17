import * as z from "zod";
import { defineTemplate } from "../../../prompts/template.ts";
import {
  clarificationsText,
  PROBLEM_SLOTS,
  problemValues,
  type Clarification,
  type Problem,
} from "../../../prompts/problem.ts";
import {
  fence,
  materialText,
  type Desk,
  type LabeledText,
  type Material,
} from "../../../prompts/material.ts";
import type { Json, Message } from "../../../kernel/index.ts";
import { parseQuestions, QuestionsReply } from "../../../replies/questions.ts";
import { texts } from "../templates/index.ts";

const ROUND_SLOTS = [...PROBLEM_SLOTS, "history", "persona"] as const;
export const SUMMARY_SLOTS = ["text", "maxLength", "focus", "persona"] as const;

const clarifyTemplate = defineTemplate(
  "debate-clarify",
  ["material", "clarifications", "persona", "most", "focus"],
  texts["debate-clarify"],
);
const proposalTemplate = defineTemplate("debate-proposal", ROUND_SLOTS, texts["debate-proposal"]);
const critiqueTemplate = defineTemplate(
  "debate-critique",
  [...ROUND_SLOTS, "proposal"],
  texts["debate-critique"],
);
const refinementTemplate = defineTemplate(
  "debate-refinement",
  [...ROUND_SLOTS, "proposal", "critiques", "count"],
  texts["debate-refinement"],
);
const summaryTemplate = defineTemplate("debate-summary", SUMMARY_SLOTS, texts["debate-summary"]);

/** The templates that debating agents are asked with. */
export const debateAgentTemplates = [
  clarifyTemplate,
  proposalTemplate,
  critiqueTemplate,
  refinementTemplate,
  summaryTemplate,
];

export type ClarifyPrompt = {
  readonly material: Material;
  readonly persona: string;
  /** What was asked and answered before, by whomever. */
  readonly answered: readonly Clarification[];
  /** So many questions at most. */
  readonly most: number;
  /** The user's own instruction, which stands beside the built-in ones. */
  readonly focus?: string | undefined;
};

/** What an agent is asked before the first round; `readQuestions` reads what comes back. */
export const clarifyPrompt = (desk: Desk, prompt: ClarifyPrompt): Message[] =>
  clarifyTemplate.render(desk, {
    material: materialText(desk, prompt.material),
    clarifications: clarificationsText(desk, prompt.answered),
    persona: prompt.persona,
    most: String(prompt.most),
    focus: prompt.focus ?? "",
  });

/** What every agent is shown in a round. */
export type RoundPrompt = Problem & {
  /** The agent's own perspective on the rounds before, as `historyText` writes it; undefined in the first. */
  readonly history: string | undefined;
  readonly persona: string;
};

/** What an agent is asked for first in a round: a whole solution that says how it covers the requirements. */
export const proposalPrompt = (desk: Desk, prompt: RoundPrompt): Message[] =>
  proposalTemplate.render(desk, roundValues(desk, prompt));

/**
 * What an agent is asked about another's proposal. All that two critics of it are told alike stands first, byte by byte.
 * The label should be the same for both, too.
 */
export const critiquePrompt = (
  desk: Desk,
  prompt: RoundPrompt & { readonly proposal: LabeledText },
): Message[] =>
  critiqueTemplate.render(desk, {
    ...roundValues(desk, prompt),
    proposal: fence(desk, { kind: "proposal", ...prompt.proposal }),
  });

export type RefinementPrompt = RoundPrompt & {
  /** The agent's own. */
  readonly proposal: LabeledText;
  /** Of that proposal; nobody is told whose they are. */
  readonly critiques: readonly string[];
};

/** What an agent is asked for last in a round: its proposal again, improved and whole. */
export const refinementPrompt = (desk: Desk, prompt: RefinementPrompt): Message[] =>
  refinementTemplate.render(desk, {
    ...roundValues(desk, prompt),
    proposal: fence(desk, { kind: "proposal", ...prompt.proposal }),
    critiques: prompt.critiques
      .map((text, index) => fence(desk, { kind: "critique", label: String(index + 1), text }))
      .join("\n\n"),
    count: String(prompt.critiques.length),
  });

export type SummaryPrompt = {
  /** What is to be summarised. */
  readonly text: string;
  /** UTF-16 units. */
  readonly maxLength: number;
  /** The user's own instruction, which stands beside the built-in ones. */
  readonly focus?: string | undefined;
  readonly persona: string;
};

/** What an agent is asked when its own perspective has grown too long to be shown whole. */
export const summaryPrompt = (desk: Desk, prompt: SummaryPrompt): Message[] =>
  summaryTemplate.render(desk, summaryValues(desk, prompt));

/** What fills the slots of a prompt for a summary, whoever is to write it. */
export const summaryValues = (
  desk: Desk,
  { text, maxLength, focus, persona }: SummaryPrompt,
): Record<(typeof SUMMARY_SLOTS)[number], string> => ({
  text: fence(desk, { kind: "contributions", label: "", text }),
  maxLength: String(maxLength),
  focus: focus ?? "",
  persona,
});

/** The JSON Schema of an agent's questions, for providers that can hold a model to it. */
export const questionsSchema = {
  name: "questions",
  schema: z.toJSONSchema(QuestionsReply) as Json, // a JSON Schema is JSON
};

/** An agent's questions as read: see `parseQuestions`. */
export const readQuestions = parseQuestions;

const roundValues = (desk: Desk, prompt: RoundPrompt): Record<(typeof ROUND_SLOTS)[number], string> => ({
  ...problemValues(desk, prompt),
  history: prompt.history ?? "",
  persona: prompt.persona,
});

export type PromptHistory = {
  /** Made at the start of `round`: it stands for all rounds before that one. */
  readonly summary?: { readonly round: number; readonly text: string } | undefined;
  /** Oldest first, each with what the agent wrote or was told, in the order in which that came about. */
  readonly rounds: readonly {
    readonly round: number;
    readonly items: readonly {
      readonly kind: "proposal" | "critique" | "refinement";
      readonly text: string;
    }[];
  }[];
};

/**
 * An agent's own perspective on the debate so far, for `proposalPrompt`, `critiquePrompt` and `refinementPrompt`: its
 * summary, then every text since, whole. Rounds that the summary stands for are not shown again. Without a summary all
 * is shown. Empty where there is nothing.
 */
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

/** What the agents held in one round, under the same labels in every round. */
export type JudgedRound = {
  readonly round: number;
  readonly proposals: readonly LabeledText[];
  readonly refinements: readonly LabeledText[];
};

/**
 * The rounds as the judge sees them: proposals and refinements under labels, never critiques. A proposal that is word
 * for word what stood under its label at the end of the round before is not shown a second time.
 */
export function roundsText(desk: Desk, rounds: readonly JudgedRound[]): string {
  const standing = new Map<string, string>();
  return rounds
    .map(({ round, proposals, refinements }) => {
      const fresh = proposals.filter(({ label, text }) => standing.get(label) !== text);
      for (const { label, text } of [...proposals, ...refinements]) standing.set(label, text);
      return [
        `# Round ${round}`,
        ...(fresh.length < proposals.length
          ? ["Who has no proposal here goes on with the text that stood at the end of the round before."]
          : []),
        ...fresh.map(({ label, text }) => fence(desk, { kind: "proposal", label, text })),
        ...refinements.map(({ label, text }) => fence(desk, { kind: "refinement", label, text })),
      ].join("\n\n");
    })
    .join("\n\n");
}
