import type * as z from "zod";
import type { Annotation } from "../../../kernel/index.ts";
import type {
  ContestReading,
  EngramView,
  FoundView,
  MemoryEngram,
  MemoryFacts,
  MemoryReport,
  MemorySearch,
} from "../contract.ts";
import { MIN_COMPARISONS } from "../app/stats.ts";
import type { TextStyle } from "../../../reports/answer.ts";
import { labelledRows } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { INTENTS } from "../../../reports/words.ts";
import { scoreBadge } from "../../../reports/score.ts";
import { styleOf, type Style } from "../../../reports/style.ts";
import { cutTo, wrap } from "../../../reports/text-width.ts";
import { formatNumber, pluralize } from "../../../text/format.ts";

/** Of a list so much of a summary is shown, in so many lines; `show` has all of it. */
const SUMMARY_CHARACTERS = 400;
const SUMMARY_LINES = 2;
/** Of one engram so much that others said of it, the newest. */
const MAX_ANNOTATIONS = 30;
const MAX_HISTORY = 10;
const WORDS_CHARACTERS = 600;

/** What nobody has put there yet, and how it gets there. */
const NOTHING_REMEMBERED =
  'Nothing is remembered yet. Answers are, when they are asked for: parley respond "your question"; and what you pin: parley memory pin "a fact"';

const ELSEWHERE = "The newest of all are shown by: parley memory search";

/**
 * Engrams as a list, best or newest first: each with its id, which is never cut. `narrowed`: whether only some of them were
 * asked for, so that none says nothing of the rest. Ends in a newline.
 */
export function memorySearchText(
  { engrams, how, more, query }: MemorySearch,
  { color, width, narrowed = false }: TextStyle & { readonly narrowed?: boolean },
): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  if (engrams.length === 0) {
    const fits = query === null ? "" : ` Searched by ${oneLine(how)}.`;
    const empty = query === null && !narrowed;
    return `${wrap(empty ? NOTHING_REMEMBERED : `Nothing fits.${fits} ${ELSEWHERE}`, most).join("\n")}\n`;
  }
  const blocks = engrams.map((found) => foundLines(found, { most, style }).join("\n"));
  const foot = [
    ...(query === null ? [] : [`Searched by ${oneLine(how)}.`]),
    ...(more ? [`There are more: --limit ${Math.min(1_000, 2 * engrams.length)}.`] : []),
    "One of them whole: parley memory show ID",
  ];
  return `${[...blocks, ...foot.flatMap((line) => wrap(line, most).map(style.dim))].join("\n")}\n`;
}

function foundLines(
  found: FoundView,
  { most, style }: { readonly most: number; readonly style: Style },
): string[] {
  const { engram, score, similarity, words } = found;
  const summary = wrap(oneLine(engram.summary, SUMMARY_CHARACTERS), most - 2);
  const shown = summary.slice(0, SUMMARY_LINES);
  if (summary.length > SUMMARY_LINES)
    shown.splice(-1, 1, cutTo(`${shown.at(-1) ?? ""} ${summary[SUMMARY_LINES] ?? ""}`, most - 2));
  const figures =
    score === null
      ? []
      : [
          `score ${score.toFixed(2)}`,
          similarity === null ? "no vector" : `similarity ${similarity.toFixed(2)}`,
          `words ${(words ?? 0).toFixed(2)}`,
        ];
  const said = [...describeMarks(found, style), describeAuthor(found), ...figures].join(" · ");
  return [
    style.bold(oneLine(engram.id, 2_000)),
    ...(engram.question === "" ? [] : [`  ${cutTo(oneLine(engram.question), most - 2)}`]),
    ...shown.map((line) => `  ${style.dim(line)}`),
    ...wrap(said, most - 2).map((line) => `  ${line}`),
    "",
  ];
}

const MARKS = {
  "good-example": "good example",
  mixed: "mixed",
  avoid: "to avoid",
  unjudged: "not judged",
} as const;

/** What was said of it, in short. */
function describeMarks({ engram, judged, mark, forgotten }: EngramView, style = styleOf(false)): string[] {
  if (forgotten) return ["forgotten"];
  if (engram.type === "pinned") return ["pinned"];
  const { grade, preference, thumb, outcome, retired } = judged;
  return [
    scoreBadge(grade, style),
    retired === null ? MARKS[mark] : "retired",
    preference === null ? "" : PREFERENCES[preference],
    thumb === null ? "" : `thumb ${thumb}`,
    outcome === null ? "" : `outcome ${outcome}`,
  ].filter(Boolean);
}

const PREFERENCES = { won: "won a comparison", lost: "lost a comparison", tied: "tied" } as const;

/** `sim/ada, sim/bob at 0.5`. */
const configurationName = ({ models, temperature }: Pick<ConfigurationShown, "models" | "temperature">) =>
  [oneLine(models.join(", "), 200), temperature === null ? "" : `at ${temperature}`]
    .filter(Boolean)
    .join(" ");

/** Who answered, how and when. */
function describeAuthor({ engram }: EngramView): string {
  const who = [engram.respondent ?? "", configurationName(engram)].filter(Boolean).join(" ");
  return [who, formatTime(engram.at)].filter(Boolean).join(", ");
}

/** `2026-11-21 17:38`, in UTC; what is no such time as it is. */
const formatTime = (at: string): string => {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(at) ?? [];
  return day === undefined ? oneLine(at, 40) : `${day} ${minute ?? ""}`;
};

/** One engram with everything that was said of it, by whom and when, and the history of its cluster. Ends in a newline. */
export function memoryEngramText(shown: MemoryEngram, { color, width }: TextStyle): string {
  const style = styleOf(color);
  const { engram, annotations, embedded, forgotten, history } = shown;
  const isPinned = engram.type === "pinned";
  const vectors = embedded.length === 0 ? "none: found by its words alone" : embedded.join(", ");
  const rows = (
    [
      ["Id", engram.id],
      ["Question", engram.question],
      [isPinned ? "Fact" : "Answer", engram.summary],
      ["State", describeState(shown)],
      ["About", isPinned ? "" : describeSubject(shown)],
      ["By", isPinned ? formatTime(engram.at) : describeAuthor(shown)],
      ["From", describeSource(shown)],
      ["Said", ...(forgotten ? [] : saidLines(annotations))],
      ["Cluster", ...historyLines(shown)],
      ["Vectors", isPinned || forgotten ? "" : vectors],
    ] as const
  ).flatMap(([name, ...texts]) =>
    texts.filter(Boolean).map((text, index) => ({ label: index === 0 ? name : "", text })),
  );
  const block = labelledRows(rows, { width: Math.max(20, width), style });
  const more =
    annotations.length > MAX_ANNOTATIONS || history.length > MAX_HISTORY ? ["All of it: --json"] : [];
  return `${[...block, ...more.map(style.dim)].join("\n")}\n`;
}

function describeState(shown: EngramView): string {
  const { forgotten, judged } = shown;
  if (forgotten) return `forgotten on ${formatTime(forgotten.at)} by ${oneLine(forgotten.by, 100)}`;
  const words = describeMarks(shown).join(", ");
  return judged.retired === null
    ? words
    : `${words}; not recalled any more: ${oneLine(judged.retired, WORDS_CHARACTERS)}`;
}

const describeSubject = ({ engram: { intent, entities, tools } }: EngramView): string =>
  [
    INTENTS[intent],
    ...(entities.length === 0 ? [] : [entities.map((one) => oneLine(one, 100)).join(", ")]),
    ...(tools ? ["with tools"] : []),
  ].join("; ");

function describeSource({ engram: { deliberation, conversation, type } }: EngramView): string {
  if (deliberation === null) return type === "pinned" ? "pinned by a person" : "imported";
  const within =
    conversation === null || conversation === deliberation
      ? ""
      : `; its conversation began with ${conversation}`;
  return `parley show ${deliberation}${within}`;
}

function saidLines(annotations: readonly Annotation[]): string[] {
  if (annotations.length === 0) return ["nothing yet"];
  const left = annotations.length - MAX_ANNOTATIONS;
  return [
    ...(left > 0 ? [`(${pluralize(left, "earlier annotation")} not shown)`] : []),
    ...annotations
      .slice(-MAX_ANNOTATIONS)
      .map(({ at, by, what }) => `${formatTime(at)} ${oneLine(by, 100)}: ${describeAnnotation(what)}`),
  ];
}

function describeAnnotation(what: Annotation["what"]): string {
  const said = (head: string, text: string | undefined) =>
    text === undefined || text === "" ? head : `${head}: ${oneLine(text, WORDS_CHARACTERS)}`;
  switch (what.kind) {
    case "grade":
      return said(`grade ${what.score} (${oneLine(what.rubric, 60)})`, what.feedback);
    case "preference": {
      const order = what.orderSensitive ? ", but the verdict changed with the order" : "";
      return said(`${what.result} against ${oneLine(what.against, 200)}${order}`, what.reason);
    }
    case "thumb":
      return said(`thumb ${what.thumb}`, what.text);
    case "outcome":
      return said(`outcome ${what.outcome}`, what.text);
    case "comment":
      return oneLine(what.text, WORDS_CHARACTERS);
    case "retired":
      return said("retired", what.reason);
  }
}

/** The others that nearly say the same, newest first. */
function historyLines({ engram, cluster, history }: MemoryEngram): string[] {
  if (history.length === 0) return [];
  const first = cluster === engram.id ? "; this one is the first" : "";
  return [
    `${pluralize(history.length, "near-duplicate")}${first}; the best judged of them is recalled`,
    ...history
      .toReversed()
      .slice(0, MAX_HISTORY)
      .map(
        (one) =>
          `${formatTime(one.engram.at)} ${describeMarks(one).join(", ")}: ${oneLine(one.engram.id, 2_000)}`,
      ),
    ...(history.length > MAX_HISTORY ? [`(${history.length - MAX_HISTORY} more not shown)`] : []),
  ];
}

/** Pinned facts in the order in which they were, each with its id. Ends in a newline. */
export function memoryFactsText({ facts }: MemoryFacts, { color, width }: TextStyle): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  if (facts.length === 0)
    return `${wrap('No facts are pinned. Pin one: parley memory pin "a fact"', most).join("\n")}\n`;
  const lines = facts.flatMap(({ id, fact, at, by }) => [
    ...wrap(oneLine(fact, 2_000), most),
    `  ${style.dim([oneLine(id, 200), formatTime(at), ...(by === null ? [] : [`kept by ${oneLine(by, 100)}`])].join(" · "))}`,
  ]);
  return `${lines.join("\n")}\n`;
}

/** The part of a memory's statistics that is shown. */
export type StatsShown = Omit<z.input<typeof MemoryReport>, "user">;
type ConfigurationShown = StatsShown["configurations"][number];

/** What is remembered, and how each configuration has done by kind of question: shares with their 95 % intervals. Ends in a newline. */
export function memoryStatsText(stats: StatsShown, { color, width }: TextStyle): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  const { configurations: all, episodic, pinned, forgotten } = stats;
  if (episodic + pinned + forgotten === 0) return `${wrap(NOTHING_REMEMBERED, most).join("\n")}\n`;
  // Of one kind alone, every kind says the same again.
  const single = new Set(all.flatMap(({ intent }) => intent ?? [])).size < 2;
  const configurations = single ? all.filter(({ intent }) => intent !== null) : all;
  const kinds = [...new Set(configurations.map(({ intent }) => intent))].sort(nullLast);
  const sections = kinds.flatMap((kind) => [
    "",
    style.bold(kind === null ? "Every kind of question" : `Asked for ${INTENTS[kind]}`),
    ...configurations
      .filter(({ intent }) => intent === kind)
      .flatMap((row) => configurationLines(row, { most, style })),
  ]);
  const foot =
    configurations.length === 0 ? [] : ["", ...notes(configurations).flatMap((one) => wrap(one, most))];
  return `${[...wrap(heldWords(stats), most), ...sections, ...foot].join("\n")}\n`;
}

const nullLast = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;

const heldWords = ({ episodic, pinned, retired, judged, forgotten, clusters }: StatsShown): string =>
  [
    `${pluralize(episodic, "answer")} in ${pluralize(clusters, "cluster")}`,
    `${formatNumber(judged)} judged`,
    pluralize(pinned, "pinned fact"),
    ...(retired > 0 ? [`${formatNumber(retired)} retired`] : []),
    ...(forgotten > 0 ? [`${formatNumber(forgotten)} forgotten`] : []),
  ].join(", ");

function configurationLines(
  { models, temperature, engrams, wins, losses, ties, won, lost, grade, claim }: ConfigurationShown,
  { most, style }: { readonly most: number; readonly style: Style },
): string[] {
  const compared = wins + losses + ties;
  const name = `${models.length === 0 ? "unknown models" : models.map((one) => oneLine(one, 200)).join(", ")}${temperature === null ? "" : ` at ${temperature}`}`;
  const facts = [
    pluralize(engrams, "answer"),
    grade.mean === null ? "not graded" : `grade ${grade.mean.toFixed(1)} (${formatNumber(grade.n)} graded)`,
    ...(compared === 0
      ? ["never compared"]
      : [
          `of ${pluralize(compared, "comparison")} won ${shareWords(wins, won)}, lost ${shareWords(losses, lost)}, tied ${formatNumber(ties)}`,
        ]),
  ].join("; ");
  const { text, color } = CLAIMS[claim];
  const reading = compared === 0 ? [] : wrap(text, most - 4).map((line) => `    ${style[color](line)}`);
  return [
    ...wrap(name, most - 2).map((line) => `  ${line}`),
    ...wrap(facts, most - 4).map((line) => `    ${line}`),
    ...reading,
  ];
}

type ClaimShown = { readonly text: string; readonly color: "green" | "red" | "dim" };

const CLAIMS: { readonly [claim in ContestReading]: ClaimShown } = {
  ahead: { text: "wins more than it loses", color: "green" },
  behind: { text: "loses more than it wins", color: "red" },
  "not-told-apart": { text: "no significant difference", color: "dim" },
  "too-few": { text: `not enough comparisons (${MIN_COMPARISONS} required)`, color: "dim" },
};

/** `12 (50 %, 31–69)`. */
const shareWords = (count: number, { value, low, high }: ConfigurationShown["won"]): string =>
  value === null
    ? formatNumber(count)
    : `${formatNumber(count)} (${percent(value)} %, ${percent(low)}–${percent(high)})`;

const percent = (share: number | null): string => ((share ?? 0) * 100).toFixed(0);

/** Which configuration is better for what, as far as it can be said, and what that rests on. */
function notes(configurations: readonly ConfigurationShown[]): string[] {
  const ahead = configurations.filter(({ claim }) => claim === "ahead");
  const named = ahead.map(
    ({ intent, ...row }) =>
      `for ${intent === null ? "every kind together" : INTENTS[intent]} ${configurationName(row)}`,
  );
  return [
    named.length === 0 ? "No configuration is significantly better yet." : `Better: ${named.join("; ")}.`,
    `Shares have 95 % Wilson intervals. Wins and losses are compared by the exact sign test with Holm's correction, from ${MIN_COMPARISONS} comparisons on.`,
  ];
}
