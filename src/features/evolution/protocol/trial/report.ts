import type { ReportPart } from "../../../../kernel/index.ts";
import { part, table, words } from "../../../../reports/part.ts";
import type { TrialSection } from "./view.ts";

export const isVerdict = true;

export const RIVALS = { parent: "its parent", none: "no persona" };
export const DECISIONS = {
  better: "better",
  "no-better": "not better",
  open: "open",
  undecided: "cannot be told",
};

export const sectionParts = (section: TrialSection): ReportPart[] => {
  const { child, parent, model, judges, simulated, questions, alpha, tests, accepted, why } = section;
  const verdict = accepted === null ? "no verdict yet" : accepted ? "accepted" : "not accepted";
  return [
    part("Verdict", words(`${child}: ${verdict}${why === null ? "" : `; ${why}`}`)),
    part(
      "Tests",
      table(
        ["Against", "Won", "Lost", "Tied", "Decision"],
        tests.map(({ against, wins, losses, ties, decision }) => [
          against === "parent" ? `${RIVALS.parent}, ${parent}` : RIVALS.none,
          ...[wins, losses, ties].map(String),
          DECISIONS[decision],
        ]),
      ),
    ),
    part(
      "Asked",
      words(
        `${questions} questions at most, on ${model}${simulated ? " (simulated)" : ""}; ${judges.length === 0 ? "answers are known" : `judged by ${judges.join(", ")}`}; error ${alpha.toPrecision(2)}`,
      ),
    ),
  ];
};
