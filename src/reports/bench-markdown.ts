import type { BenchArmResult, BenchReport } from "../projections/index.ts";
import {
  differenceWords,
  estimateWords,
  FEWEST_DISCORDANT,
  flipWords,
  pairWords,
  pWords,
  shareWords,
} from "./bench-words.ts";
import { inline, section } from "./markdown.ts";
import { padTo, widthOf, wrapped } from "./text-width.ts";
import { countWords, numberWords, usdWords } from "./words.ts";

export type BenchDocument = {
  /** Where the plot lies, as a link from the document; undefined where there is none. */
  readonly plot?: string;
  /** Cells of a line that is read as it is written, as on a terminal; tables keep their width. Unwrapped without. */
  readonly width?: number;
};

/** A bench as a document, for people: what ran, what came out, and what that does not show. Ends in a newline. */
export function benchMarkdown(report: BenchReport, { plot, width }: BenchDocument = {}): string {
  const parts = [
    "# Does deliberating help?",
    ...warnings(report).map((line) => `> **${line.title}** ${line.text}`),
    whatRan(report),
    section(
      "## Accuracy and cost",
      accuracyTable(report),
      plot === undefined ? "" : `![Accuracy over cost](${plot})`,
      outcomeLines(report.arms),
    ),
    explained("## Against the drafts", flipsTable(report.arms), FLIPS),
    explained("## Between arms", pairsTable(report), PAIRS),
    explained("## The panels", section(membersTable(report.arms), votesLines(report.arms)), VOTES),
    section("## By kind", kindsTable(report.arms)),
  ];
  const text = parts.filter((part) => part !== "").join("\n\n");
  return `${width === undefined ? text : narrowed(text, width)}\n`;
}

/** A document's prose, bullets and quotes within so many cells; headings, tables and images stay as they are. */
function narrowed(text: string, width: number): string {
  const [most, keep] = [Math.max(20, width), /^(?:[#|]|!\[|$)/];
  const line = (one: string): string[] => {
    if (keep.test(one)) return [one];
    const [head = ""] = /^(?:> |- )?/.exec(one) ?? [];
    const rest = head === "- " ? "  " : head;
    return wrapped(one.slice(head.length), most - head.length).map(
      (part, index) => `${index === 0 ? head : rest}${part}`,
    );
  };
  return text.split("\n").flatMap(line).join("\n");
}

/** A section with what explains its content; nothing without content. */
const explained = (heading: string, content: string, explanation: string): string =>
  content === "" ? "" : section(heading, content, explanation);

/** What has to be known before any figure is read. */
function warnings({ simulated, arms, tasks }: BenchReport): { title: string; text: string }[] {
  const list = (count: (arm: BenchArmResult) => number) =>
    arms
      .filter((arm) => count(arm) > 0)
      .map((arm) => `${arm.name} ${count(arm)} of ${tasks.count}`)
      .join(", ");
  const failed = list((arm) => arm.failed);
  const open = list((arm) => arm.unfinished - arm.failed);
  return [
    ...(failed === ""
      ? []
      : [
          {
            title: "Failed.",
            text: `${failed}: too few replies came to answer at all. That is an outage, not a wrong answer, and is not scored; --retry-failed asks again.`,
          },
        ]),
    ...(simulated
      ? [
          {
            title: "Simulated models.",
            text: "The answers were made by simulated models of set skill. This shows how the arms behave under that model of errors; it says nothing about real models.",
          },
        ]
      : []),
    ...(open === ""
      ? []
      : [{ title: "Not finished.", text: `Without: ${open}. What is not finished counts nowhere below.` }]),
  ];
}

function whatRan({ tasks, seed, startedAt, arms, spent }: BenchReport): string {
  const money = spent.usd === null ? "cost unknown" : spent.usd === 0 ? "free" : usdWords(spent.usd);
  const lines = [
    `- ${countWords(tasks.count, "task")} of ${inline(tasks.file)}, ${seed === null ? "no seed given" : `seed ${inline(seed)}`}, first opened ${startedAt ?? "never"}; ${countWords(spent.calls, "call")}, ${money}`,
    ...arms.map(({ name, what, protocol, seats }) => {
      const helpers = seats.filter(({ seat }) => seat !== "member");
      const members = grouped(seats.filter(({ seat }) => seat === "member").map(({ model }) => model));
      const others =
        helpers.length === 0 ? "" : `; ${grouped(helpers.map(({ seat, model }) => `${seat} ${model}`))}`;
      return `- **${name}** (${protocol}): ${inline(what)}. Members: ${members}${others}`;
    }),
  ];
  return lines.join("\n");
}

/** Each once, with how often it is there. */
const grouped = (all: readonly string[]): string =>
  [...new Set(all)]
    .map((one) => {
      const times = all.filter((other) => other === one).length;
      return `${inline(one, 200)}${times > 1 ? ` ×${times}` : ""}`;
    })
    .join(", ");

const accuracyTable = ({ arms }: BenchReport): string =>
  table(
    ["arm", "accuracy (95 %)", "n", "no answer", "calls", "tokens", "cost"],
    arms.map(({ name, accuracy, noAnswer, perQuestion: { calls, tokensIn, tokensOut, usd } }) => [
      name,
      estimateWords(accuracy),
      String(accuracy.n),
      String(noAnswer),
      calls === null ? "–" : calls.toFixed(1),
      tokensIn === null || tokensOut === null ? "unknown" : numberWords(Math.round(tokensIn + tokensOut)),
      usd === null ? "unknown" : usdWords(usd),
    ]),
  );

/** How deliberations ended that did not just answer. */
function outcomeLines(arms: readonly BenchArmResult[]): string {
  const ends = arms.flatMap(({ name, outcomes, unfinished, failed }) => {
    const odd = Object.entries(outcomes).filter(([outcome]) => outcome !== "answered");
    const words = [
      ...odd.map(([outcome, count]) => `${count} ${outcome}`),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(unfinished > failed ? [`${unfinished - failed} not finished`] : []),
    ];
    return words.length > 0 ? [`${name}: ${words.join(", ")}`] : [];
  });
  const odd =
    ends.length === 0 ? "Every deliberation answered in full" : `Not just answered: ${ends.join("; ")}`;
  return `${odd}. Calls, tokens and cost are means per question; accuracy has its 95 % Wilson interval, and what has no answer is not right.`;
}

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
    arms.flatMap(({ name, flips }) =>
      flips === null
        ? []
        : [
            [
              name,
              String(flips.n),
              percentOf(flips.controlRight, flips.n),
              percentOf(rightAfter(flips), flips.n),
              String(flips.rightToWrong),
              String(flips.wrongToRight),
              String(flips.rightToNone),
              String(flips.noneToRight),
              pWords(flips),
              flipWords(flips),
            ],
          ],
    ),
  );

const percentOf = (count: number, n: number): string => (n === 0 ? "–" : `${shareWords(count / n)} %`);

const rightAfter = ({ controlRight, ...flips }: NonNullable<BenchArmResult["flips"]>): number =>
  controlRight - flips.rightToWrong - flips.rightToNone + flips.wrongToRight + flips.noneToRight;

const FLIPS =
  "`drafts` is what the same deliberations' blind drafts elect by themselves, as in the arm `majority`: where none of their answers is ahead, none. A flip is from one answer to another; where no answer was given, or the drafts elected none, it is counted apart. p is McNemar's exact test of the flips.";

const pairsTable = ({ pairs }: BenchReport): string =>
  table(
    ["arms", "n", "only one right", "difference (95 %)", "p", "reading"],
    pairs.map((pair) => [
      `${pair.first} − ${pair.second}`,
      String(pair.n),
      `${pair.onlyFirst} : ${pair.onlySecond}`,
      differenceWords(pair.difference),
      pWords({ n: pair.n, p: pair.adjusted }),
      pairWords(pair),
    ]),
  );

const PAIRS = `Paired by question. \`only one right\` counts the questions that only the first arm, and only the second, got right; the difference is in percentage points, with Newcombe's interval for paired shares; p is McNemar's exact test with Holm's correction for all these pairs. Where fewer than ${FEWEST_DISCORDANT} questions differ, no outcome of that test could tell the arms apart: that is not to say that they are alike.`;

const membersTable = (arms: readonly BenchArmResult[]): string =>
  table(
    ["arm", "members", "model", "n", "drafts right (95 %)"],
    arms
      .filter(({ votes }) => votes.members.length > 1)
      .flatMap(({ name, votes: { members } }) =>
        [...new Set(members.map(({ model }) => model))].map((model) => {
          const own = members.filter((member) => member.model === model);
          return [name, spanned(own.map(({ id }) => id)), model, ...accuracies(own)];
        }),
      ),
  );

/** The first and the last of many. */
const spanned = (ids: readonly string[]): string =>
  ids.length > 2 ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ");

/** Of how many drafts, and how many of them were right: members of one model are not pooled, since they are not independent. */
function accuracies(members: BenchArmResult["votes"]["members"]): [n: string, accuracy: string] {
  const [least, ...rest] = members
    .map(({ accuracy }) => accuracy)
    .sort((a, b) => (a.value ?? 0) - (b.value ?? 0));
  const most = rest.at(-1);
  if (!least) return ["0", "–"];
  return most
    ? [`${least.n} each`, `${shareWords(least.value)} % to ${shareWords(most.value)} %`]
    : [String(least.n), estimateWords(least)];
}

function votesLines(arms: readonly BenchArmResult[]): string {
  return arms
    .filter(({ votes }) => votes.members.length > 1)
    .map(({ name, votes: { members, effective, condorcet } }) => {
      const worth =
        effective === null
          ? "effective votes cannot be told, since a member was right, or wrong, throughout"
          : `worth ${effective.toFixed(1)} effective votes of ${members.length}`;
      const formula =
        condorcet === null
          ? ""
          : `; independent members of their mean accuracy would reach ${shareWords(condorcet)} % by majority`;
      return `- ${name}: ${worth}${formula}`;
    })
    .join("\n");
}

const VOTES =
  "Effective votes are Kish's n² over the sum of the correlations between members' being right: members that err together count for less than their number. The majority of independent members is Condorcet's formula, exact for questions with two possible answers.";

function kindsTable(arms: readonly BenchArmResult[]): string {
  const kinds = [...new Set(arms.flatMap((arm) => arm.kinds.map(({ kind }) => kind)))].sort();
  if (kinds.length < 2) return "";
  return table(
    ["arm", ...kinds.map((kind) => `${inline(kind, 60)} (95 %)`)],
    arms.map((arm) => [
      arm.name,
      ...kinds.map((kind) => {
        const own = arm.kinds.find((one) => one.kind === kind);
        return own ? `${estimateWords(own.accuracy)}, n ${own.accuracy.n}` : "–";
      }),
    ]),
  );
}

/** A table whose columns stand in line where it is read as it is written. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const cells = [heads, ...rows.map((row) => row.map((cell) => inline(cell, 200)))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => padTo(row[column] ?? "", width)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
