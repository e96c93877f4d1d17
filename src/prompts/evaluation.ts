import * as z from "zod";
import { EvaluationReply, parseEvaluation } from "../judging/index.ts";
import type { Json, Message } from "../kernel/index.ts";
import { fence, materialText, type Desk, type Labelled } from "./material.ts";
import { clarificationsText, requirementsText, type Problem } from "./problem.ts";
import { render } from "./template.ts";

/** The slots of the template that an independent evaluator is asked with. */
export const EVALUATION_SLOTS = {
  evaluation: ["problem", "clarifications", "requirements", "solution", "persona"],
} as const;

export const EVALUATION_TEMPLATES: readonly string[] = Object.keys(EVALUATION_SLOTS);

export type EvaluationPrompt = Omit<Problem, "material"> & {
  readonly problem: string;
  readonly solution: string;
  readonly persona: string;
  /** The major requirements that the judge of the debate named as unfulfilled. */
  readonly unfulfilled?: readonly string[] | undefined;
  /** What the agents wrote of how they cover the requirements, under their labels. */
  readonly coverage?: readonly Labelled[] | undefined;
};

/** Asks somebody who took no part for eight scores; `readEvaluation` reads what comes back. */
export const evaluationPrompt = (desk: Desk, prompt: EvaluationPrompt): Message[] =>
  render(
    { name: "evaluation", text: desk.template("evaluation") },
    {
      problem: materialText(desk, { question: prompt.problem, context: [] }),
      clarifications: clarificationsText(desk, prompt.clarifications),
      requirements: [requirementsText(desk, prompt.requirements), ...claims(desk, prompt)]
        .filter((text) => text !== "")
        .join("\n\n"),
      solution: fence(desk, { kind: "solution", label: "", text: prompt.solution }),
      persona: prompt.persona,
    },
  );

/** The JSON Schema of an evaluation, for providers that can hold a model to it. */
export const evaluationSchema = {
  name: "evaluation",
  schema: z.toJSONSchema(EvaluationReply) as Json, // a JSON Schema is JSON
};

/** An evaluation as read: see `parseEvaluation`. */
export const readEvaluation = parseEvaluation;

const claims = (desk: Desk, { unfulfilled = [], coverage = [] }: EvaluationPrompt): string[] => [
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
