import manifest from "../../../../package.json" with { type: "json" };
import { inline, jsonText, oneLine } from "../../../reports/printable.ts";
import { pluralize } from "../../../text/format.ts";
import { namesIn, placeOf, saidOf, VERDICT_WORDS, type ShownFinding } from "../protocol/report.ts";
import type { ReviewSection } from "../protocol/view.ts";
import { KINDS } from "../protocol/work.ts";

/** A review as it is written; `id` is the run's, null where nobody had to be asked. */
export type WrittenReview = { readonly id: string | null; readonly section: ReviewSection };

/** By it, a comment on a pull request is found again. It is HTML that no reader sees. */
const COMMENT_MARK = "<!-- parley-review -->";

const MAX_SHOWN = 30;

/** Nothing that a model wrote notifies anybody or closes an issue. */
const quiet = (text: string, most?: number): string =>
  inline(text, most)
    .replaceAll("@", "@\u200b")
    .replaceAll(/#(?=\d)/g, "#\u200b");

/** A comment for a pull request. What models wrote is text in it, and nothing else. */
export function reviewMarkdown({ id, section }: WrittenReview): string {
  const { verdict, why, findings, reviewers, dropped, unseen, ignored } = section;
  const nameOf = namesIn(section);
  const shown = findings.slice(0, MAX_SHOWN);
  const read = reviewers.filter(({ review }) => review).length;
  const rows = shown.map(
    (one) =>
      `| ${one.id} | ${one.state} | ${one.severity} | ${quiet(placeOf(one), 200)} | ${quiet(one.title, 300)} |`,
  );
  const details = shown.flatMap((one) => [
    // Within an element nothing is Markdown, and nothing is escaped: no foreign text stands there.
    `<details><summary>${one.id}</summary>\n`,
    `${quiet(one.title)}\n`,
    ...(one.why === "" ? [] : [`${quiet(one.why)}\n`]),
    ...saidOf(one, nameOf).map((line) => `- ${quiet(line, 1_000)}`),
    "\n</details>\n",
  ]);
  return `${[
    COMMENT_MARK,
    `## Review: the change ${VERDICT_WORDS[verdict ?? "inconclusive"]}\n`,
    ...(why === null ? [] : [`${quiet(why)}.\n`]),
    ...(rows.length === 0
      ? []
      : ["| | State | Severity | Place | Finding |", "|---|---|---|---|---|", ...rows, ""]),
    ...(findings.length > shown.length ? [`and ${findings.length - shown.length} more.\n`] : []),
    ...details,
    ...unseen.map(({ path, why: reason }) => `- Not reviewed: ${quiet(path, 200)} (${quiet(reason, 200)})`),
    `\n<sub>${[
      `${read} of ${pluralize(reviewers.length, "review")} could be read`,
      ...(dropped.length > 0 ? [`${pluralize(dropped.length, "finding")} not about the change`] : []),
      ...(ignored.length > 0 ? [`${pluralize(ignored.length, "file")} ignored`] : []),
      `rules: ${quiet(section.rulesFrom, 200)}`,
      `diff ${section.pins.diff.slice(0, 12)}`,
      ...(id === null ? [] : [`run ${id}`]),
    ].join(" · ")}</sub>`,
  ].join("\n")}\n`;
}

/** Lines that a workflow of GitHub turns into annotations of files. */
export function reviewAnnotations({ section }: WrittenReview): string {
  const { verdict, why, findings } = section;
  const lines = findings
    .filter(({ state }) => state !== "withdrawn")
    .map((one) => {
      const place = one.from === null ? "" : `,line=${one.from},endLine=${one.to ?? one.from}`;
      const title = `${one.id} ${one.severity} (${one.state})`;
      return `::${LEVELS[one.state].github} file=${property(one.file)}${place},title=${property(title)}::${data(`${one.title}\n${one.why}`)}`;
    });
  const level = verdict === "pass" ? "notice" : "error";
  const words = `The change ${VERDICT_WORDS[verdict ?? "inconclusive"]}${why === null ? "" : `: ${why}`}`;
  return `${[...lines, `::${level} title=parley review::${data(words)}`].join("\n")}\n`;
}

/** As GitHub's own toolkit escapes them (actions/toolkit, packages/core/src/command.ts), so that no text begins a command. */
const data = (text: string): string =>
  text.toWellFormed().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

const LEVELS = {
  confirmed: { github: "error", sarif: "error" },
  open: { github: "warning", sarif: "warning" },
  lesser: { github: "notice", sarif: "note" },
  reported: { github: "notice", sarif: "note" },
  withdrawn: { github: "notice", sarif: "note" },
} as const;

/** A finding about a whole file has no region. */
const placeIn = ({ file, from, to }: ShownFinding) => ({
  artifactLocation: {
    ...{ uri: file.toWellFormed().split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" },
  },
  ...(from === null ? {} : { region: { startLine: from, endLine: to ?? from } }),
});

/** SARIF 2.1.0 (OASIS). A withdrawn finding is in it as a suppressed result. */
export function reviewSarif({ id, section }: WrittenReview): string {
  const { findings, verdict, why, pins } = section;
  const nameOf = namesIn(section);
  const resultOf = (one: ShownFinding) => ({
    ruleId: one.kind,
    ruleIndex: KINDS.indexOf(one.kind),
    level: LEVELS[one.state].sarif,
    message: { text: [one.title, one.why, ...saidOf(one, nameOf)].filter(Boolean).join("\n") },
    locations: [{ physicalLocation: placeIn(one) }],
    partialFingerprints: { "parleyReview/v1": `${one.file}:${one.kind}:${oneLine(one.title, 120)}` },
    properties: { state: one.state, severity: one.severity },
    ...(one.state === "withdrawn"
      ? {
          suppressions: [
            { kind: "external", status: "accepted", justification: "withdrawn by who raised it" },
          ],
        }
      : {}),
  });
  return jsonText({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            ...{ name: "Parley", version: manifest.version },
            informationUri: "https://github.com/parley-llm/parley",
            rules: KINDS.map((kind) => ({ id: kind, shortDescription: { text: kind } })),
          },
        },
        invocations: [
          { executionSuccessful: verdict === "pass" || verdict === "block", exitCodeDescription: why ?? "" },
        ],
        results: findings.map(resultOf),
        properties: { verdict, run: id, diff: pins.diff, files: pins.files, rules: pins.rules },
      },
    ],
  });
}

/** What a program reads: the section under the run's id. */
const reviewJson = ({ id, section }: WrittenReview): string => jsonText({ run: id, ...section });

/** How a review is written where it is not text for a terminal. */
export const REVIEW_FORMATS = {
  markdown: reviewMarkdown,
  json: reviewJson,
  sarif: reviewSarif,
  github: reviewAnnotations,
} as const satisfies Record<string, (review: WrittenReview) => string>;
export type ReviewFormat = keyof typeof REVIEW_FORMATS;
