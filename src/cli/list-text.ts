import type { Summary } from "../kernel/index.ts";
import { aligned } from "../reports/labelled-rows.ts";
import { oneLine } from "../reports/printable.ts";
import { cutTo, widthOf } from "../reports/text-width.ts";
import { shortAge } from "../reports/words.ts";

export const NO_DELIBERATIONS = 'No runs yet. Ask: parley "your question"';

/** One line a deliberation, in the order given: id (never cut), age, status, question. Ends in a newline. `now`: milliseconds since 1970. */
export function listText(
  summaries: readonly Summary[],
  { now, width }: { now: number; width: number },
): string {
  if (summaries.length === 0) return `${NO_DELIBERATIONS}\n`;
  const ids = summaries.map(({ id }) => id as string);
  const idCells = Math.max(2, ...ids.map(widthOf));
  const facts = aligned(
    [
      ["ASKED", "STATUS"],
      // Parsing a recorded time reads no clock.
      ...summaries.map(({ openedAt, status }) => [age(now - Date.parse(openedAt)), oneLine(status, 40)]),
    ],
    width,
  );
  const factCells = Math.max(...facts.map(widthOf));
  const questions = ["QUESTION", ...summaries.map(({ question }) => oneLine(question, 200))];
  const lines = ["ID", ...ids].map((id, index) => {
    const left = `${id.padEnd(idCells)}  ${(facts[index] ?? "").padEnd(factCells)}`;
    const cells = width - widthOf(left) - 2;
    return cells < 12 ? left.trimEnd() : `${left}  ${cutTo(questions[index] ?? "", cells)}`;
  });
  return `${lines.join("\n")}\n`;
}

const age = (ms: number): string => {
  if (Number.isNaN(ms)) return "?";
  return ms < 60_000 ? "just now" : `${shortAge(ms)} ago`;
};
