import type { Message } from "../../../../kernel/index.ts";
import {
  fence,
  materialText,
  type Desk,
  type LabeledText,
  type Material,
} from "../../../../prompts/material.ts";
import { clarificationsText, requirementsText, type Clarification, type ProblemPrompt } from "../problem.ts";
import { defineTemplate, replySchema } from "../../../../prompts/template.ts";
import { EvaluationReply } from "../../../../replies/evaluation.ts";
import { texts } from "./templates/index.ts";

export const evaluationTemplate = defineTemplate(
  "evaluation",
  ["problem", "clarifications", "requirements", "solution", "persona"],
  texts.evaluation,
);

export type EvaluationPrompt = Omit<ProblemPrompt, "material"> & {
  readonly problem: string;
  readonly solution: string;
  readonly persona: string;
  /** The major requirements that the judge of the debate named as unfulfilled. */
  readonly unfulfilled?: readonly string[] | undefined;
  /** By label, how the agents say that they cover the requirements. */
  readonly coverage?: readonly LabeledText[] | undefined;
};

/** The prompt for eight scores; `parseEvaluation` reads the reply. */
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

export const evaluationSchema = replySchema("evaluation", EvaluationReply);

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

/** A user's own prompt, with the values that only such a prompt has. */
export type OwnEvaluation = {
  /** With `{problem}`, `{clarifications}`, `{final_solution}` and `{requirements_info}`, each as often as it likes. */
  readonly text: string;
  /** The debaters' roles, by id; null where unknown. */
  readonly roles: Readonly<Record<string, string | null>>;
};

const PLACEHOLDER = /\{(problem|clarifications|final_solution|requirements_info)\}/g;
type Placeholder = "problem" | "clarifications" | "final_solution" | "requirements_info";

/**
 * A user's own prompt, every placeholder filled with fenced text in one pass: what a text contains is never read as a
 * placeholder. The system turn is that of the shipped template, which says what a fence is, then the persona.
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
  const text = own.text.replaceAll(PLACEHOLDER, (match, name: Placeholder, at: number) => {
    // A fence stands on lines of its own, wherever in a line it is to stand.
    const before = (own.text[at - 1] ?? "\n") === "\n" ? "" : "\n";
    const after = /^(?:[\r\n]|$)/.test(own.text.slice(at + match.length)) ? "" : "\n";
    return `${before}${values[name]}${after}`;
  });
  return [
    ...(system.length > 0 ? [{ role: "system", text: system.join("\n\n") } as const] : []),
    { role: "user", text },
  ];
}

/** The requirements under the names of prompts that were written for Dialectic (0.7). */
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

/** The texts of a debate that its evaluators are shown. */
export type EvaluationTexts = {
  readonly problem: string;
  readonly solution: string;
  /** Questions with their answers, in the order asked. */
  readonly clarifications: readonly Clarification[];
  /** By agent, how it says that it covers the requirements. */
  readonly coverage: readonly LabeledText[];
};

const COVERAGE = "coverage/";

/** The texts as the opening's context; `textsIn` reads them back. */
export const createEvaluationContext = ({
  problem,
  solution,
  clarifications,
  coverage,
}: EvaluationTexts): readonly { readonly name: string; readonly text: string }[] => [
  { name: "problem", text: problem },
  { name: "solution", text: solution },
  ...clarifications.flatMap(({ question, answer }, index) => [
    { name: `clarification-${index + 1}/question`, text: question },
    { name: `clarification-${index + 1}/answer`, text: answer },
  ]),
  ...coverage.map(({ label, text }) => ({ name: `${COVERAGE}${label}`, text })),
];

/** @throws RangeError for a context without problem or solution, which `createEvaluationContext` never makes */
export function readTexts(context: Material["context"]): EvaluationTexts {
  const texts = new Map(context.map(({ name, text }) => [name, text]));
  const problem = texts.get("problem");
  const solution = texts.get("solution");
  if (problem === undefined || solution === undefined)
    throw new RangeError("the opening has no problem and solution to evaluate");
  const clarifications: Clarification[] = [];
  for (let nth = 1; ; nth += 1) {
    const question = texts.get(`clarification-${nth}/question`);
    if (question === undefined) break;
    clarifications.push({ question, answer: texts.get(`clarification-${nth}/answer`) ?? "NA" });
  }
  return {
    problem,
    solution,
    clarifications,
    coverage: context.flatMap(({ name, text }) =>
      name.startsWith(COVERAGE) ? [{ label: name.slice(COVERAGE.length), text }] : [],
    ),
  };
}
