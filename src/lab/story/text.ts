import { checksOf, type StoryCheck, type StoryReport, type StoryReports } from "./checks.ts";
import { oneLine } from "../../reports/printable.ts";
import { styleOf, type Style } from "../../reports/style.ts";
import { wrapped } from "../../reports/text-width.ts";
import { pluralize, formatNumber } from "../../text/format.ts";

export type StoryStyle = {
  /** Whether it may be styled: a terminal, and no `NO_COLOR`. */
  readonly color: boolean;
  /** Cells of a line. */
  readonly width: number;
};

/** So much of an answer, or of what was found, is shown; all of it is in the journal. */
const MAX_SHOWN_LENGTH = 300;

/** A story for a person: its turns with their answers, every check, and of one that does not hold what there is. Ends in a newline. */
export function storyText(report: StoryReport, { color, width }: StoryStyle): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const checks = checksOf(report);
  const failed = checks.filter(({ ok }) => ok === false).length;
  const passedOver = checks.filter(({ ok }) => ok === null).length;
  const title = [report.id, report.title].filter((one) => one !== "").join(": ");
  const verdict = report.ok
    ? `passed, ${pluralize(checks.length - passedOver, "check")}${passedOver === 0 ? "" : `; ${passedOver} not looked at`}`
    : `FAILED, ${formatNumber(failed)} of ${pluralize(checks.length, "check")}`;
  const body = [
    ...report.turns.flatMap(({ query, answer, checks: own }, index) => [
      ...block(`Turn ${index + 1}: ${oneLine(query, MAX_SHOWN_LENGTH)}`, { width: narrow, indent: 2 }),
      ...(answer === null
        ? []
        : block(oneLine(answer, MAX_SHOWN_LENGTH), { width: narrow, indent: 4 }).map(style.dim)),
      ...own.flatMap((one) => checkLines(one, { width: narrow, style })),
    ]),
    ...(report.checks.length > 0 ? ["  Afterwards"] : []),
    ...report.checks.flatMap((one) => checkLines(one, { width: narrow, style })),
  ];
  return `${[
    ...wrapped(oneLine(title, MAX_SHOWN_LENGTH), narrow).map(style.bold),
    ...(report.simulated ? [style.yellow("simulated models")] : []),
    ...body,
    ...block(verdict, { width: narrow, indent: 2 }).map(report.ok ? style.green : style.red),
  ].join("\n")}\n`;
}

type Laying = { readonly width: number; readonly indent: number };

const block = (text: string, { width, indent }: Laying): string[] =>
  wrapped(text, width - indent).map((line) => `${" ".repeat(indent)}${line}`);

function checkLines(
  { ok, what, found }: StoryCheck,
  { width, style }: { readonly width: number; readonly style: Style },
): string[] {
  const mark = ok ? style.green("ok  ") : ok === null ? style.yellow("skip") : style.red("FAIL");
  const text = ok ? what : ok === null ? `${what}: ${found}` : `${what}; found: ${found}`;
  return wrapped(oneLine(text, 2 * MAX_SHOWN_LENGTH), width - 9).map((line, index) =>
    index === 0 ? `    ${mark} ${line}` : `         ${line}`,
  );
}

/** How many of the stories passed, and which did not, in a line without a newline. */
export function storiesLine({ stories }: StoryReports): string {
  const failed = stories.filter(({ ok }) => !ok).map(({ id }) => oneLine(id, 60));
  const all = pluralize(stories.length, "story").replace(/storys$/, "stories");
  if (failed.length === 0) return `${all} passed`;
  return `${formatNumber(failed.length)} of ${all} failed: ${failed.join(", ")}`;
}
