import type { Summary } from "../kernel/index.ts";
import { align } from "../reports/labelled-rows.ts";
import { oneLine } from "../reports/printable.ts";
import { cutTo, widthOf } from "../reports/text-width.ts";
import { shortAge } from "../reports/words.ts";

export const NO_DELIBERATIONS = 'No runs yet. Ask: parley "your question"';

const MIN_QUESTION_CELLS = 12;

/** One line a deliberation, on a narrow terminal two, in the order given: id (never cut), age, status, question. Ends in a newline. `now`: milliseconds since 1970. */
export function listText(
  summaries: readonly Summary[],
  { now, width, isFiltered = false }: { now: number; width: number; isFiltered?: boolean },
): string {
  if (summaries.length === 0)
    return isFiltered ? "No such run. parley list shows all\n" : `${NO_DELIBERATIONS}\n`;
  const ids = summaries.map(({ id }) => id as string);
  const idCells = Math.max(2, ...ids.map(widthOf));
  const facts = align(
    [
      ["ASKED", "STATUS"],
      // Parsing a recorded time reads no clock.
      ...summaries.map(({ openedAt, status }) => [age(now - Date.parse(openedAt)), oneLine(status, 40)]),
    ],
    width,
  );
  const factCells = Math.max(...facts.map(widthOf));
  const questions = ["QUESTION", ...summaries.map(shownQuestion)];
  const lines = ["ID", ...ids].map((id, index) => {
    const left = `${id.padEnd(idCells)}  ${(facts[index] ?? "").padEnd(factCells)}`;
    const cells = width - widthOf(left) - 2;
    const question = questions[index] ?? "";
    if (cells >= MIN_QUESTION_CELLS) return `${left}  ${cutTo(question, cells)}`;
    // No room beside it, so it goes below.
    return index === 0 ? left.trimEnd() : `${left.trimEnd()}\n  ${cutTo(question, width - 2)}`;
  });
  return `${lines.join("\n")}\n`;
}

/** A follow-up is marked: the first run of a conversation is in no series. */
const shownQuestion = ({ question, series }: Summary): string =>
  `${series === null ? "" : "↳ "}${oneLine(question, 200)}`;

const age = (ms: number): string => {
  if (Number.isNaN(ms)) return "?";
  return ms < 60_000 ? "just now" : `${shortAge(ms)} ago`;
};
