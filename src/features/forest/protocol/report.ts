import type { ReportPart } from "../../../kernel/index.ts";
import { part, table, words } from "../../../reports/part.ts";
import type { ForestSection } from "./view.ts";

export const isVerdict = true;

const passedWord = (passed: boolean | null): string =>
  passed === null ? "not judged" : passed ? "passed" : "failed";

/** What the cycle brought forth, the gates of every candidate, and the weather. */
export const sectionParts = ({
  summary,
  candidates,
  fruits,
  tested,
  weather,
}: ForestSection): ReportPart[] => [
  part("Cycle", words(summary ?? `${fruits} of ${tested} candidates are fruits so far`)),
  part(
    "Candidates",
    table(
      ["Tree", "Candidate", "Kind", "Why"],
      candidates.map(({ tree, formula, classification, reason }) => [
        ...[tree, formula, classification ?? "-", reason],
      ]),
    ),
  ),
  part(
    "Gates",
    table(
      ["Candidate", "Gate", "Outcome", "Why"],
      candidates.flatMap(({ formula, gates }) =>
        gates.map(({ gate, passed, detail }) => [formula, gate, passedWord(passed), detail]),
      ),
    ),
  ),
  part(
    "Risks that the skeptic named",
    table(
      ["Candidate", "Risk"],
      candidates.flatMap(({ formula, risks }) => risks.map((risk) => [formula, risk])),
    ),
  ),
  part(
    "Weather",
    table(
      ["Tree", "Weather", "Slots", "Why"],
      weather.map(({ tree, weather: name, slots, reason }) => [tree, name, String(slots), reason]),
    ),
  ),
];
