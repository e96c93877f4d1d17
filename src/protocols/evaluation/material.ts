import type { ProtocolContext } from "../../engine/index.ts";
import type { EvaluationPrompt } from "./prompt.ts";
import type { Clarification } from "../../prompts/problem.ts";

type Labelled = NonNullable<EvaluationPrompt["coverage"]>[number];

/** The texts of a debate that its evaluators are shown. */
export type EvaluationTexts = {
  readonly problem: string;
  readonly solution: string;
  /** Questions with their answers, in the order asked. */
  readonly clarifications: readonly Clarification[];
  /** What the agents say of how they cover the requirements, by agent. */
  readonly coverage: readonly Labelled[];
};

const COVERAGE = "coverage/";

/** The texts as the opening's context; `textsIn` reads them back. */
export const createEvaluationContext = ({
  problem,
  solution,
  clarifications,
  coverage,
}: EvaluationTexts): { readonly name: string; readonly text: string }[] => [
  { name: "problem", text: problem },
  { name: "solution", text: solution },
  ...clarifications.flatMap(({ question, answer }, index) => [
    { name: `clarification-${index + 1}/question`, text: question },
    { name: `clarification-${index + 1}/answer`, text: answer },
  ]),
  ...coverage.map(({ label, text }) => ({ name: `${COVERAGE}${label}`, text })),
];

/** @throws RangeError for a context without problem or solution, which `contextOf` never makes */
export function readTexts(context: ProtocolContext["context"]): EvaluationTexts {
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
