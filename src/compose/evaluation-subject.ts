import { coverageOf, requirementsOf, type EvaluationWork } from "../judging/index.ts";
import { familyOf, Fault, type Families } from "../kernel/index.ts";
import type { DebateRecord } from "../projections/index.ts";
import type { EvaluationTexts } from "../protocols/evaluation/index.ts";

/** All that evaluators have before them of a debate. */
export type EvaluationSubject = { readonly texts: EvaluationTexts; readonly work: EvaluationWork };

/**
 * What of a debate is evaluated. Its requirements are read out of the problem anew, so that debates of any origin are
 * measured alike; of an agent's coverage counts what it wrote last.
 * @throws Fault `configuration` for a debate without problem or solution
 */
export function subjectOf(record: DebateRecord, families: Families): EvaluationSubject {
  const { problem, clarifications, synthesis } = record;
  if (problem.trim() === "") throw missing(record, "has no problem", "name a result file that has one");
  if (synthesis === null || synthesis.text.trim() === "") {
    const next =
      record.source === "parley" && record.status === "open"
        ? `bring it to its end first: parley resume ${record.id}`
        : "name a debate that came to a synthesis";
    throw missing(record, "has no solution", next);
  }
  return {
    texts: {
      problem,
      solution: synthesis.text,
      clarifications: clarifications.map(({ question, answer }) => ({ question, answer: answer ?? "NA" })),
      coverage: coverageIn(record),
    },
    work: {
      debate: { id: record.id, simulated: record.simulated },
      debaters: debatersIn(record, families),
      requirements: mutable(requirementsOf(problem)),
      unfulfilled: [...synthesis.unfulfilledMajorRequirements],
    },
  };
}

const missing = ({ id }: DebateRecord, what: string, next: string): Fault<"configuration"> =>
  new Fault("configuration", { why: `the debate ${id.slice(0, 100)} ${what} to evaluate`, next });

const mutable = ({ major, minor }: ReturnType<typeof requirementsOf>): EvaluationWork["requirements"] => ({
  major: [...major],
  minor: [...minor],
});

/** From the last refinement of each agent, else from its last proposal; agents that say nothing of it are left out. */
function coverageIn({ agents, rounds }: DebateRecord): EvaluationTexts["coverage"] {
  return agents.flatMap(({ id }) => {
    const last = (kind: "refinements" | "proposals") =>
      rounds.flatMap((round) => round[kind].filter(({ by }) => by === id)).at(-1);
    const text = coverageOf((last("refinements") ?? last("proposals"))?.text ?? "");
    return text === null ? [] : [{ label: id, text }];
  });
}

/** The agents and the judge, with the families of all models that spoke for them. */
function debatersIn(record: DebateRecord, families: Families): EvaluationWork["debaters"] {
  const { agents, judge, rounds, judgeSummary, synthesis } = record;
  // Files name models without their provider.
  const known = (model: string | null) =>
    model === null ? null : (familyOf(model, families) ?? familyOf(`any/${model}`, families));
  const row = (
    { id, role, model, family }: DebateRecord["agents"][number],
    said: readonly { readonly model: string | null }[],
  ): EvaluationWork["debaters"][number] => {
    const found = [model, ...said.map((one) => one.model)].flatMap((one) => known(one) ?? []);
    return { id, role, families: [...new Set(found.length > 0 ? found : family === null ? [] : [family])] };
  };
  const said = rounds.flatMap(({ proposals, critiques, refinements }) => [
    ...proposals,
    ...critiques,
    ...refinements,
  ]);
  return [
    ...agents.map((agent) =>
      row(
        agent,
        said.filter(({ by }) => by === agent.id),
      ),
    ),
    ...(judge
      ? [
          row(
            judge,
            [judgeSummary, synthesis].filter((one) => one !== null),
          ),
        ]
      : []),
  ];
}
