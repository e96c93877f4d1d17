import type { BenchArmResult, BenchReport } from "../contract.ts";
import {
  countRightAfter,
  formatDifference,
  formatEstimate,
  MIN_DISCORDANT,
  describeFlips,
  describePair,
  formatPValue,
  describePreference,
  formatShare,
} from "../protocol/report-words.ts";
import { section } from "../../../reports/markdown.ts";
import { inline } from "../../../reports/printable.ts";
import { padTo, widthOf } from "../../../reports/text-width.ts";
import { pluralize, formatBill, formatDuration, formatNumber, formatUsd } from "../../../text/format.ts";

export type BenchDocument = { readonly plot?: string };

/** A benchmark report in Markdown. Ends in a newline. */
export function benchMarkdown(report: BenchReport, { plot }: BenchDocument = {}): string {
  const parts = [
    "# Single model, voting and council compared",
    ...warnings(report).map((line) => `> **${line.title}** ${line.text}`),
    whatRan(report),
    section(
      isScored(report) ? "## Accuracy and cost" : "## Cost",
      accuracyTable(report),
      plot === undefined || !isScored(report) ? "" : `![Accuracy over cost](${plot})`,
      outcomeLines(report),
    ),
    judgedSection(report),
    ...(isScored(report)
      ? [
          explainedSection("## Effect of deliberation", flipsTable(report.arms), FLIPS),
          explainedSection("## Between arms", pairsTable(report), PAIRS),
        ]
      : []),
    explainedSection(
      "## Independence of the members",
      section(membersTable(report.arms), votesLines(report.arms)),
      VOTES,
    ),
    section("## By kind", kindsTable(report.arms)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const explainedSection = (heading: string, content: string, explanation: string): string =>
  content === "" ? "" : section(heading, content, explanation);

/** What a reader must know before the metrics. */
function warnings({ simulated, arms, tasks }: BenchReport): { title: string; text: string }[] {
  const list = (count: (arm: BenchArmResult) => number) =>
    arms
      .filter((arm) => count(arm) > 0)
      .map((arm) => `${arm.name} ${count(arm)} of ${tasks.count}`)
      .join(", ");
  const failed = list((arm) => arm.failed);
  const open = list((arm) => arm.unfinished - arm.failed);
  const all = [
    {
      applies: failed !== "",
      title: "Failed.",
      text: `${failed}: too few replies arrived for an answer. That is an outage, not a wrong answer, and is not scored; failed questions can be retried.`,
    },
    {
      applies: simulated,
      title: "Simulated models.",
      text: "Simulated models of a set skill gave the answers. The results show how the arms behave under that model of errors, and nothing about real models.",
    },
    {
      applies: arms.some(({ seats }) => seats.some(({ model }) => model.startsWith("recorded/"))),
      title: "Recorded answers.",
      text: "Answers that somebody recorded before took part; for them no model was called, and no tokens or cost are known.",
    },
    {
      applies: open !== "",
      title: "Not finished.",
      text: `Missing: ${open}. Unfinished questions are excluded from all metrics.`,
    },
  ];
  return all.filter(({ applies }) => applies);
}

function whatRan({ tasks, seed, startedAt, arms, spent }: BenchReport): string {
  const lines = [
    `- ${pluralize(tasks.count, "task")} of ${inline(tasks.file)}, ${seed === null ? "random seeds" : `seed ${inline(seed)}`}, started ${startedAt ?? "never"}; ${pluralize(spent.calls, "call")}, ${formatBill({ usd: spent.usd })}`,
    ...arms.map(({ name, what, protocol, seats }) => {
      const helpers = seats.filter(({ seat }) => seat !== "member");
      const members = countDistinct(
        seats.filter(({ seat }) => seat === "member").map(({ model }) => modelName(model)),
      );
      const others =
        helpers.length === 0
          ? ""
          : `; ${countDistinct(helpers.map(({ seat, model }) => `${seat} ${model}`))}`;
      return `- **${name}** (${protocol}): ${inline(what)}. Members: ${members}${others}`;
    }),
  ];
  return lines.join("\n");
}

/** A model as a table names it: a recorded one without its file. */
const modelName = (ref: string): string => ref.replace(/^recorded\/[^#]+#/, "recorded/");

const countDistinct = (all: readonly string[]): string =>
  [...new Set(all)]
    .map((one) => {
      const times = all.filter((other) => other === one).length;
      return `${inline(one, 200)}${times > 1 ? ` ×${times}` : ""}`;
    })
    .join(", ");

/** Whether any question has a right answer. */
const isScored = ({ tasks }: BenchReport): boolean => tasks.open < tasks.count;

const accuracyTable = (report: BenchReport): string =>
  table(
    [
      "arm",
      ...(isScored(report) ? ["accuracy (95 %)", "n", "no answer"] : ["finished"]),
      ...["calls", "tokens", "latency", "cost"],
    ],
    report.arms.map(({ name, perQuestion: { calls, tokensIn, tokensOut, latencyMs, usd }, ...arm }) => [
      name,
      ...(isScored(report)
        ? [formatEstimate(arm.accuracy), String(arm.accuracy.n), String(arm.noAnswer)]
        : [String(report.tasks.count - arm.unfinished)]),
      calls === null ? "–" : calls.toFixed(1),
      tokensIn === null || tokensOut === null ? "unknown" : formatNumber(Math.round(tokensIn + tokensOut)),
      latencyMs === null ? "–" : formatDuration(latencyMs),
      usd === null ? "unknown" : formatUsd(usd),
    ]),
  );

function outcomeLines(report: BenchReport): string {
  const ends = report.arms.flatMap(({ name, outcomes, unfinished, failed }) => {
    const odd = Object.entries(outcomes).filter(([outcome]) => outcome !== "answered");
    const words = [
      ...odd.map(([outcome, count]) => `${count} ${outcome}`),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(unfinished > failed ? [`${unfinished - failed} not finished`] : []),
    ];
    return words.length > 0 ? [`${name}: ${words.join(", ")}`] : [];
  });
  const odd = ends.length === 0 ? "Every run answered in full" : `Other outcomes: ${ends.join("; ")}`;
  return `${odd}. Calls, tokens, latency (the longest chain of calls) and cost are means per question${isScored(report) ? "; accuracy has a 95 % Wilson interval, and a missing answer counts as wrong" : ""}.`;
}

/** How often a judge preferred each arm's answers to open questions. */
function judgedSection({ judged, tasks }: BenchReport): string {
  if (judged === null) return "";
  const { against, model, rubric, calls, cost } = judged;
  const rows = judged.arms.map(({ arm, n, won, tied, lost, orderSensitive, missing, ...rest }) => [
    arm,
    formatEstimate(rest.preferred),
    String(n),
    `${won} : ${tied} : ${lost}`,
    ...[orderSensitive, missing].map(String),
    formatPValue({ n, p: rest.adjusted }),
    describePreference({ arm, against, won, lost, adjusted: rest.adjusted, n }),
  ]);
  return section(
    "## Open questions, judged",
    `${pluralize(tasks.open, "question")} without a known answer. ${inline(model)} compared each arm's answer with that of ${against}, by the rubric ${inline(rubric)}, in both orders: ${pluralize(calls, "call")}, ${formatBill({ usd: cost.usd })}.`,
    table(
      [
        ...["arm", `preferred to ${against} (95 %)`, "n", "won : tied : lost"],
        ...["order-sensitive", "missing", "p", "reading"],
      ],
      rows,
    ),
    JUDGED,
  );
}

const JUDGED =
  "A preference that changes with the order is a tie, counted as order-sensitive; a tie counts as half a win, in Wilson's interval. p is the exact sign test of won against lost, with Holm's correction for all arms. Missing are questions that one of the two arms did not answer, or whose verdict could not be read. A judge's preference is no proof: validate it on labeled pairs first.";

const flipsTable = (arms: readonly BenchArmResult[]): string =>
  table(
    [
      "arm",
      "n",
      "drafts",
      "answer",
      "right→wrong",
      "wrong→right",
      "right→none",
      "none→right",
      "p",
      "reading",
    ],
    arms
      .flatMap(({ name, flips }) => (flips === null ? [] : [{ name, flips }]))
      .map(({ name, flips: { n, ...flips } }) => [
        name,
        String(n),
        percentOf(flips.controlRight, n),
        percentOf(countRightAfter(flips), n),
        ...[flips.rightToWrong, flips.wrongToRight, flips.rightToNone, flips.noneToRight].map(String),
        formatPValue({ n, p: flips.p }),
        describeFlips({ n, ...flips }),
      ]),
  );

const percentOf = (count: number, n: number): string => (n === 0 ? "–" : `${formatShare(count / n)} %`);

const FLIPS =
  "`drafts` is the accuracy of the majority of the same runs' independent drafts, as in the arm `majority`; a tie elects no answer. A flip changes one answer to another; changes from or to no answer are counted separately. p is McNemar's exact test of the flips.";

const pairsTable = ({ pairs }: BenchReport): string =>
  table(
    ["arms", "n", "discordant (A only : B only)", "difference (95 %)", "p", "reading"],
    pairs.map((pair) => [
      `${pair.first} − ${pair.second}`,
      String(pair.n),
      `${pair.onlyFirst} : ${pair.onlySecond}`,
      formatDifference(pair.difference),
      formatPValue({ n: pair.n, p: pair.adjusted }),
      describePair(pair),
    ]),
  );

const PAIRS = `Paired by question. Discordant questions are those that only one of the two arms answered correctly; the difference is in percentage points, with Newcombe's interval for paired shares; p is McNemar's exact test with Holm's correction for all pairs. With fewer than ${MIN_DISCORDANT} discordant questions the test is underpowered: it cannot show a difference, which does not mean that there is none.`;

const membersTable = (arms: readonly BenchArmResult[]): string =>
  table(
    ["arm", "members", "model", "n", "drafts right (95 %)"],
    arms
      .filter(({ votes, drafted }) => votes.members.length > 1 && drafted === undefined)
      .flatMap(({ name, votes: { members } }) =>
        [...new Set(members.map(({ model }) => model))].map((model) => {
          const own = members.filter((member) => member.model === model);
          return [name, firstAndLast(own.map(({ id }) => id)), modelName(model), ...accuracies(own)];
        }),
      ),
  );

const firstAndLast = (ids: readonly string[]): string =>
  ids.length > 2 ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ");

/** The number of drafts and their accuracy. Members of one model are not pooled, since they are not independent. */
function accuracies(members: BenchArmResult["votes"]["members"]): [n: string, accuracy: string] {
  const [least, ...rest] = members
    .map(({ accuracy }) => accuracy)
    .sort((a, b) => (a.value ?? 0) - (b.value ?? 0));
  const most = rest.at(-1);
  if (!least) return ["0", "–"];
  return most
    ? [`${least.n} each`, `${formatShare(least.value)} % to ${formatShare(most.value)} %`]
    : [String(least.n), formatEstimate(least)];
}

function votesLines(arms: readonly BenchArmResult[]): string {
  return arms
    .filter(({ votes, drafted }) => votes.members.length > 1 && drafted === undefined)
    .map(({ name, votes: { members, effective, condorcet } }) => {
      const worth =
        effective === null
          ? "effective number of independent votes unknown, since a member was always right or always wrong"
          : `effective number of independent votes: ${effective.toFixed(1)} of ${members.length}`;
      const formula =
        condorcet === null
          ? ""
          : `; a majority of independent members with their mean accuracy would reach ${formatShare(condorcet)} %`;
      return `- ${name}: ${worth}${formula}`;
    })
    .join("\n");
}

const VOTES =
  "The effective number of votes is Kish's n² over the sum of the members' error correlations: members that err together count for less. The majority of independent members is Condorcet's formula, exact for questions with two possible answers.";

function kindsTable(arms: readonly BenchArmResult[]): string {
  const kinds = [...new Set(arms.flatMap((arm) => arm.kinds.map(({ kind }) => kind)))].sort();
  if (kinds.length < 2) return "";
  return table(
    ["arm", ...kinds.map((kind) => `${inline(kind, 60)} (95 %)`)],
    arms.map((arm) => [
      arm.name,
      ...kinds.map((kind) => {
        const own = arm.kinds.find((one) => one.kind === kind);
        return own ? `${formatEstimate(own.accuracy)}, n ${own.accuracy.n}` : "–";
      }),
    ]),
  );
}

/** A table whose columns are aligned in its source too. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const cells = [heads, ...rows.map((row) => row.map((cell) => inline(cell, 200)))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => padTo(row[column] ?? "", width)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
