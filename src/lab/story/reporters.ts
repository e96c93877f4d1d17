import { printable, oneLine } from "../../reports/printable.ts";
import type { StoryCheck, StoryReport } from "./checks.ts";

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
const escaped = (text: string): string =>
  oneLine(text, 1_000).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** An annotation of GitHub's for each check that failed. */
export const githubLines = (stories: readonly ReportedStory[]): string[] =>
  stories.flatMap((story) =>
    casesOf(story)
      .filter(({ ok }) => ok === false)
      .map(
        ({ what, found }) =>
          `::error file=${property(story.file)},title=${property(story.id)}::${escaped(`${what}; found: ${found}`)}`,
      ),
  );
