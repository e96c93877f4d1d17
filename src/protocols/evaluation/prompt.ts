import * as z from "zod";
import { defineTemplate } from "../../prompts/template.ts";
import { clarificationsText, requirementsText, type Problem } from "../../prompts/problem.ts";
import { fence, materialText, type Desk, type LabeledText } from "../../prompts/material.ts";
import type { Json, Message } from "../../kernel/index.ts";
import { EvaluationReply, parseEvaluation } from "../../replies/evaluation.ts";
import { texts } from "./templates/index.ts";

/** What an independent evaluator is asked with. */
export const evaluationTemplate = defineTemplate(
  "evaluation",
  ["problem", "clarifications", "requirements", "solution", "persona"],
  texts.evaluation,
);

export type EvaluationPrompt = Omit<Problem, "material"> & {
  readonly problem: string;
  readonly solution: string;
  readonly persona: string;
  /** The major requirements that the judge of the debate named as unfulfilled. */
  readonly unfulfilled?: readonly string[] | undefined;
  /** What the agents wrote of how they cover the requirements, under their labels. */
  readonly coverage?: readonly LabeledText[] | undefined;
};

/** Asks somebody who took no part for eight scores; `readEvaluation` reads what comes back. */
export const evaluationPrompt = (desk: Desk, prompt: EvaluationPrompt): Message[] =>
  evaluationTemplate.render(desk, {
    problem: materialText(desk, { question: prompt.problem, context: [] }),
    clarifications: clarificationsText(desk, prompt.clarifications),
    requirements: [requirementsText(desk, prompt.requirements), ...fenceClaims(desk, prompt)]
      .filter((text) => text !== "")
      .join("\n\n"),
    solution: fence(desk, { kind: "solution", label: "", text: prompt.solution }),
    persona: prompt.persona,
  });

/** The JSON Schema of an evaluation, for providers that can hold a model to it. */
export const evaluationSchema = {
  name: "evaluation",
  schema: z.toJSONSchema(EvaluationReply) as Json, // a JSON Schema is JSON
};

/** An evaluation as read: see `parseEvaluation`. */
export const readEvaluation = parseEvaluation;

const fenceClaims = (desk: Desk, { unfulfilled = [], coverage = [] }: EvaluationPrompt): string[] => [
  ...(unfulfilled.length === 0
    ? []
    : [
        "# What the debate's judge calls unfulfilled",
        fence(desk, {
          kind: "unfulfilled",
          label: "",
          text: unfulfilled.map((item) => `- ${item}`).join("\n"),
        }),
      ]),
  ...(coverage.length === 0
    ? []
    : [
        "# What the debaters say of their own coverage",
        ...coverage.map(({ label, text }) => fence(desk, { kind: "coverage", label, text })),
      ]),
];

/** A user's own prompt, and what only its form has a place for. */
export type OwnEvaluation = {
  /** With `{problem}`, `{clarifications}`, `{final_solution}` and `{requirements_info}`, each as often as it likes. */
  readonly text: string;
  /** The debaters' roles, by id; null where unknown. */
  readonly roles: Readonly<Record<string, string | null>>;
};

const PLACEHOLDER = /\{(problem|clarifications|final_solution|requirements_info)\}/g;
type Placeholder = "problem" | "clarifications" | "final_solution" | "requirements_info";

/**
 * Asks in a user's own words, every placeholder filled with fenced text in one pass: what a text contains is never read as
 * a placeholder. The system turn of the shipped template stands before it, since it says what a fence is, and the persona
 * after that. `readEvaluation` reads what comes back.
 */
export function ownEvaluationPrompt(desk: Desk, prompt: EvaluationPrompt, own: OwnEvaluation): Message[] {
  const values: Record<Placeholder, string> = {
    problem: materialText(desk, { question: prompt.problem, context: [] }),
    clarifications: clarificationsText(desk, prompt.clarifications) || "(none)",
    final_solution: fence(desk, { kind: "solution", label: "", text: prompt.solution }),
    requirements_info: fence(desk, {
      kind: "requirements",
      label: "",
      text: formatRequirementsInfo(prompt, own),
    }),
  };
  const system = [
    ...evaluationPrompt(desk, prompt).flatMap(({ role, text }) => (role === "system" ? [text] : [])),
    prompt.persona.trim(),
  ].filter((text) => text !== "");
  // The pattern matches nothing but the names of the values.
  const text = own.text.replaceAll(PLACEHOLDER, (match, name: Placeholder, at: number) =>
    onOwnLines(values[name], { before: own.text[at - 1], after: own.text[at + match.length] }),
  );
  return [
    ...(system.length > 0 ? [{ role: "system", text: system.join("\n\n") } as const] : []),
    { role: "user", text },
  ];
}

/** A fence's lines are lines of their own, wherever in a line it is to stand. */
const onOwnLines = (
  text: string,
  {
    before = "\n",
    after = "\n",
  }: { readonly before: string | undefined; readonly after: string | undefined },
): string => `${before === "\n" ? "" : "\n"}${text}${after === "\n" || after === "\r" ? "" : "\n"}`;

/** The requirements under the names that prompts written for Dialectic (0.7) know them by, and the minor ones. */
const formatRequirementsInfo = (
  { requirements, unfulfilled = [], coverage = [] }: EvaluationPrompt,
  { roles }: OwnEvaluation,
): string =>
  JSON.stringify(
    {
      majorRequirements: requirements.major,
      minorRequirements: requirements.minor,
      judgeUnfulfilledRequirements: unfulfilled,
      agentRequirementsCoverage: coverage.map(({ label, text }) => ({
        agentId: label,
        agentRole: roles[label] ?? null,
        requirementsCoverage: text,
      })),
    },
    undefined,
    2,
  );
