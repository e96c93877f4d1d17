import { checksOf, type StoryCheck, type StoryReport, type StoryReports } from "./checks.ts";
import { oneLine, printable } from "../../../reports/printable.ts";
import { styleOf, type Style } from "../../../reports/style.ts";
import { wrap } from "../../../reports/text-width.ts";
import { pluralize, formatNumber } from "../../../text/format.ts";

export type StoryStyle = {
  readonly color: boolean;
  /** The width of a line in cells. */
  readonly width: number;
};

/** Characters of an answer, or of what was found, that are shown. */
const MAX_SHOWN_LENGTH = 300;

/** Formats a story's turns, answers and checks for a terminal. Ends in a newline. */
export function storyText(report: StoryReport, { color, width }: StoryStyle): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const checks = checksOf(report);
  const failed = checks.filter(({ ok }) => ok === false).length;
  const skipped = report.skipped === 0 ? "" : `; ${formatNumber(report.skipped)} skipped`;
  const title = [report.id, report.title].filter((one) => one !== "").join(": ");
  const verdict = report.ok
    ? `passed, ${pluralize(checks.length - report.skipped, "check")}${skipped}`
    : `FAILED, ${formatNumber(failed)} of ${pluralize(checks.length - report.skipped, "check")}${skipped}`;
  const body = [
    ...report.turns.flatMap(({ query, answer, checks: own }, index) => [
      ...block(`Turn ${index + 1}: ${oneLine(query, MAX_SHOWN_LENGTH)}`, { width: narrow, indent: 2 }),
      ...(answer === null
        ? []
        : block(oneLine(answer, MAX_SHOWN_LENGTH), { width: narrow, indent: 4 }).map(style.dim)),
      ...own.flatMap((one) => checkLines(one, { width: narrow, style })),
    ]),
    ...(report.checks.length > 0 ? ["  Whole story"] : []),
    ...report.checks.flatMap((one) => checkLines(one, { width: narrow, style })),
  ];
  return `${[
    ...wrap(oneLine(title, MAX_SHOWN_LENGTH), narrow).map(style.bold),
    ...(report.simulated ? [style.yellow("simulated models")] : []),
    ...body,
    ...(report.turns.length > 0
      ? block(`Memory owner: ${report.user}`, { width: narrow, indent: 2 })
      : []
    ).map(style.dim),
    ...block(verdict, { width: narrow, indent: 2 }).map(report.ok ? style.green : style.red),
  ].join("\n")}\n`;
}

type BlockStyle = { readonly width: number; readonly indent: number };

const block = (text: string, { width, indent }: BlockStyle): string[] =>
  wrap(text, width - indent).map((line) => `${" ".repeat(indent)}${line}`);

function checkLines(
  { ok, what, found }: StoryCheck,
  { width, style }: { readonly width: number; readonly style: Style },
): string[] {
  const mark = ok ? style.green("ok  ") : ok === null ? style.yellow("skip") : style.red("FAIL");
  const text = ok ? what : ok === null ? `${what}: ${found}` : `${what}; found: ${found}`;
  return wrap(oneLine(text, 2 * MAX_SHOWN_LENGTH), width - 9).map((line, index) =>
    index === 0 ? `    ${mark} ${line}` : `         ${line}`,
  );
}

/** Says how many stories passed and which failed, without a newline. */
export function storiesLine({ stories }: StoryReports): string {
  const failed = stories.filter(({ ok }) => !ok).map(({ id }) => oneLine(id, 60));
  const all = pluralize(stories.length, "story");
  if (failed.length === 0) return `${all} passed`;
  return `${formatNumber(failed.length)} of ${all} failed: ${failed.join(", ")}`;
}

/** A text of foreign words as a value, or the content, of an element of XML 1.0, without characters that it does not have. */
const xml = (text: string): string =>
  printable(text)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");

/** What is read of a story's report. */
export type ReportedStory = Pick<StoryReport, "id" | "file"> & {
  readonly turns: readonly { readonly checks: readonly StoryCheck[] }[];
  readonly checks: readonly StoryCheck[];
};

/** Every check of a story, by a name that none has twice in a turn. */
const casesOf = ({ turns, checks }: ReportedStory): readonly StoryCheck[] => [
  ...turns.flatMap((turn, index) =>
    turn.checks.map((one) => ({ ...one, what: `turn ${index + 1}: ${one.what}` })),
  ),
  ...checks,
];

/** Stories as JUnit's XML, one suite each and one case a check; ends in a newline. */
export function junitText(stories: readonly ReportedStory[]): string {
  const counts = (checks: readonly StoryCheck[]) => {
    const count = (ok: boolean | null) => checks.filter((one) => one.ok === ok).length;
    return `tests="${checks.length}" failures="${count(false)}" skipped="${count(null)}"`;
  };
  const testCase = ({ what, ok, found }: StoryCheck, suite: string) => {
    const inner =
      ok === false
        ? `<failure message="${xml(found)}"/>`
        : ok === null
          ? `<skipped message="${xml(found)}"/>`
          : "";
    return `    <testcase classname="${xml(suite)}" name="${xml(what)}">${inner}</testcase>`;
  };
  const suites = stories.flatMap((story) => {
    const checks = casesOf(story);
    return [
      `  <testsuite name="${xml(story.id)}" file="${xml(story.file)}" ${counts(checks)}>`,
      ...checks.map((one) => testCase(one, story.id)),
      "  </testsuite>",
    ];
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts(stories.flatMap(casesOf))}>\n${suites.join("\n")}\n</testsuites>\n`;
}

/** A line of foreign words in a workflow command of GitHub's. */
const escapeCommand = (text: string): string =>
  oneLine(text, 1_000).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => escapeCommand(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** An annotation of GitHub's for each check that failed. */
export const githubLines = (stories: readonly ReportedStory[]): string[] =>
  stories.flatMap((story) =>
    casesOf(story)
      .filter(({ ok }) => ok === false)
      .map(
        ({ what, found }) =>
          `::error file=${property(story.file)},title=${property(story.id)}::${escapeCommand(`${what}; found: ${found}`)}`,
      ),
  );
