import { parseQuestions, QuestionsReply } from "../judging/index.ts";
import type { Json, Message } from "../kernel/index.ts";
import * as z from "zod";
import { fence, materialText, type Desk, type Labelled, type Material } from "./material.ts";
import { clarificationsText, problemSlots, type Clarification, type Problem } from "./problem.ts";
import { render } from "./template.ts";

/** The slots of the templates that debating agents are asked with; `DEBATE_JUDGE_SLOTS` has their judge's. */
export const DEBATE_SLOTS = {
  "debate-clarify": ["material", "clarifications", "persona", "most", "focus"],
  "debate-proposal": ["material", "clarifications", "requirements", "history", "persona"],
  "debate-critique": ["material", "clarifications", "requirements", "proposal", "history", "persona"],
  "debate-refinement": [
    "material",
    "clarifications",
    "requirements",
    "proposal",
    "critiques",
    "count",
    "history",
    "persona",
  ],
  "debate-summary": ["text", "maxLength", "focus", "persona"],
} as const;
type Slots = typeof DEBATE_SLOTS;

export const DEBATE_TEMPLATES: readonly string[] = Object.keys(DEBATE_SLOTS);

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
  rendered(desk, "debate-clarify", {
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
  rendered(desk, "debate-proposal", roundSlots(desk, prompt));

/**
 * What an agent is asked about another's proposal. All that two critics of it are told alike stands first, byte by byte.
 * The label should be the same for both, too.
 */
export const critiquePrompt = (
  desk: Desk,
  prompt: RoundPrompt & { readonly proposal: Labelled },
): Message[] =>
  rendered(desk, "debate-critique", {
    ...roundSlots(desk, prompt),
    proposal: fence(desk, { kind: "proposal", ...prompt.proposal }),
  });

export type RefinementPrompt = RoundPrompt & {
  /** The agent's own. */
  readonly proposal: Labelled;
  /** Of that proposal; nobody is told whose they are. */
  readonly critiques: readonly string[];
};

/** What an agent is asked for last in a round: its proposal again, improved and whole. */
export const refinementPrompt = (desk: Desk, prompt: RefinementPrompt): Message[] =>
  rendered(desk, "debate-refinement", {
    ...roundSlots(desk, prompt),
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
  rendered(desk, "debate-summary", summarySlots(desk, prompt));

/** The slots of a prompt for a summary, whoever is to write it. */
export const summarySlots = (
  desk: Desk,
  { text, maxLength, focus, persona }: SummaryPrompt,
): Record<Slots["debate-summary"][number], string> => ({
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

const roundSlots = (desk: Desk, prompt: RoundPrompt): Record<Slots["debate-proposal"][number], string> => ({
  ...problemSlots(desk, prompt),
  history: prompt.history ?? "",
  persona: prompt.persona,
});

const rendered = <N extends keyof Slots>(
  desk: Desk,
  name: N,
  values: Record<Slots[N][number], string>,
): Message[] => render({ name, text: desk.template(name) }, values);
