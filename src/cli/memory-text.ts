import type { Annotation } from "../kernel/index.ts";
import type { EngramView, FoundView, MemoryEngram, MemoryFacts, MemorySearch } from "../views/memory-view.ts";
import type { TextStyle } from "../reports/answer.ts";
import { labelledRows } from "../reports/labelled-rows.ts";
import { oneLine } from "../reports/printable.ts";
import { INTENTS } from "../reports/words.ts";
import { scoreBadge } from "../reports/score.ts";
import { styleOf, type Style } from "../reports/style.ts";
import { cutTo, wrapped } from "../reports/text-width.ts";
import { pluralize } from "../text/format.ts";

/** Of a list so much of a summary is shown, in so many lines; `show` has all of it. */
const SUMMARY_CHARACTERS = 400;
const SUMMARY_LINES = 2;
/** Of one engram so much that others said of it, the newest. */
const MAX_ANNOTATIONS = 30;
const MAX_HISTORY = 10;
const WORDS_CHARACTERS = 600;

/** What nobody has put there yet, and how it gets there. */
export const NOTHING_REMEMBERED =
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
    return `${wrapped(empty ? NOTHING_REMEMBERED : `Nothing fits.${fits} ${ELSEWHERE}`, most).join("\n")}\n`;
  }
  const blocks = engrams.map((found) => foundLines(found, { most, style }).join("\n"));
  const foot = [
    ...(query === null ? [] : [`Searched by ${oneLine(how)}.`]),
    ...(more ? [`There are more: --limit ${Math.min(1_000, 2 * engrams.length)}.`] : []),
    "One of them whole: parley memory show ID",
  ];
  return `${[...blocks, ...foot.flatMap((line) => wrapped(line, most).map(style.dim))].join("\n")}\n`;
}

function foundLines(
  found: FoundView,
  { most, style }: { readonly most: number; readonly style: Style },
): string[] {
  const { engram, score, similarity, words } = found;
  const summary = wrapped(oneLine(engram.summary, SUMMARY_CHARACTERS), most - 2);
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
    ...wrapped(said, most - 2).map((line) => `  ${line}`),
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

/** Who answered, how and when. */
function describeAuthor({ engram: { respondent, models, temperature, at } }: EngramView): string {
  const who = [
    respondent ?? "",
    oneLine(models.join(", "), 200),
    temperature === null ? "" : `at ${temperature}`,
  ];
  return [who.filter(Boolean).join(" "), formatTime(at)].filter(Boolean).join(", ");
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
    return `${wrapped('No facts are pinned. Pin one: parley memory pin "a fact"', most).join("\n")}\n`;
  const lines = facts.flatMap(({ id, fact, at, by }) => [
    ...wrapped(oneLine(fact, 2_000), most),
    `  ${style.dim([oneLine(id, 200), formatTime(at), ...(by === null ? [] : [`kept by ${oneLine(by, 100)}`])].join(" · "))}`,
  ]);
  return `${lines.join("\n")}\n`;
}
