import type { ReportPart } from "../../../../kernel/index.ts";
import { part, table, words } from "../../../../reports/part.ts";
import type { AuthorshipSection } from "./view.ts";

export const isVerdict = true;

/** Each draft's author beside the guess, and how many were right. */
export const sectionParts = ({
  guesses,
  correct,
  read,
  chance,
  model,
  run,
}: AuthorshipSection): ReportPart[] => [
  part(
    "Guesses",
    table(
      ["Author", "Guess", "Right"],
      guesses.map(({ author, guess, why }) => [
        author,
        guess ?? `none: ${why ?? ""}`,
        author === guess ? "yes" : "no",
      ]),
    ),
  ),
  part("Right", words(`${correct} of ${read}; blind guessing comes to ${(chance * read).toFixed(1)}`)),
  part("Guessed by", words(`${model}, of the run ${run}`)),
];
