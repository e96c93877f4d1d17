import {
  callOf,
  workOf,
  isEvent,
  type Entry,
  type Event,
  type EventId,
  type EventType,
  type Origin,
  type ReportPart,
  type StepKey,
} from "../kernel/index.ts";
import { formatDuration, formatNumber, pluralize, writeAnswerLine } from "../text/format.ts";
import type { Result } from "../views/result.ts";
import { spending, speakerOf, type Spent } from "../views/spending.ts";
import { warningLines, type ShownResult } from "./answer.ts";
import { attachmentsPart, sourcesPart } from "./material.ts";
import { journalPart, timelinePart, type JournalSection } from "./deliberation-journal.ts";
import { workWords } from "./entry-words.ts";
import { part, points, quote, table, words } from "./part.ts";
import { inline, oneLine } from "./printable.ts";
import { inSeatOrder, namesOf } from "./names.ts";
import { describeBaseline, formatCost, formatFamily, formatOptions, unpricedModels } from "./words.ts";

/** What stands above a document's parts. */
export type DeliberationHead = {
  readonly title: string;
  /** How it came about, on one line. */
  readonly summary: string;
  /** What the reader has to know before the answer, and what that weakens: a line each. */
  readonly warnings: readonly string[];
  /** The short final answer; empty where there is none, and where it is the whole answer. */
  readonly final: string;
};

export function deliberationHead(entries: readonly Entry[], shown: ShownResult): DeliberationHead {
  const { result, agreement = "" } = shown;
  const { participants, finalAnswer, answer, calls, wallMs, protocol, id } = result;
  return {
    title: titleOf(result),
    summary: [
      `${protocol.name}: ${statusWords(entries, result).replaceAll("-", " ")}`,
      agreement,
      pluralize(participants.length, "participant"),
      pluralize(calls, "call"),
      formatCost(result, unpricedModels(entries)),
      wallMs === null ? "" : formatDuration(wallMs),
      entries[0]?.at.slice(0, 10) ?? "",
      `run ${id}`,
    ]
      .filter(Boolean)
      .join(" · "),
    warnings: warningsOf(entries, shown),
    final: finalAnswer === null || finalAnswer === answer?.trim() ? "" : finalAnswer,
  };
}

const titleOf = ({ question }: Result): string =>
  oneLine(question.trim().split("\n")[0] ?? "", 160).replace(/^#{1,6} /, "") || "A run";

/** What led to the answer; a protocol that tells the whole of it takes the place of drafts, critiques and reviews. */
export function deliberationParts(entries: readonly Entry[], shown: ShownResult): readonly ReportPart[] {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (!opened) return [];
  const { result, parts, course } = shown;
  const journal: JournalSection = { entries, result, nameOf: namesOf(result.participants) };
  return [
    sourcesPart(result),
    earlierPart(shown),
    attachmentsPart(opened, shown),
    baselinePart(result),
    ...parts,
    clarifications(journal),
    participantsPart(opened),
    ...(course?.() ?? [
      draftsPart(journal),
      critiquesPart(journal),
      reviewsPart(journal),
      synthesisPart(journal),
    ]),
    feedbackPart(journal),
    ...reactionParts(journal),
    thinkingPart(journal),
    usagePart(journal),
    timelinePart(journal),
    journalPart(entries, opened),
  ];
}

/** Turns of the conversation that a document tells; the prompts may have shown more. */
const MAX_EARLIER = 5;

/** What was asked and answered before, a line each. */
export function earlierPart({ earlier = [], result: { previous } }: ShownResult): ReportPart {
  const left = Math.max(0, earlier.length - MAX_EARLIER);
  return part(
    "Earlier in this conversation",
    words(previous === null ? "" : `Follows the run ${previous}.`),
    points([
      ...(left > 0 ? [`${pluralize(left, "turn")} before these`] : []),
      ...earlier
        .slice(-MAX_EARLIER)
        .map(
          ({ question, gist }) =>
            `${question === "" ? "Summary" : oneLine(question, 300)}: ${oneLine(gist, 300)}`,
        ),
    ]),
  );
}

/** The events of a type, in the order of their recording. */
const eventsIn = <T extends EventType>(entries: readonly Entry[], type: T): Event<T>[] =>
  entries.filter((entry) => isEvent(entry, type));

export const statusWords = (entries: readonly Entry[], { status }: Result): string =>
  `${status}${isWaiting(entries) ? ", waiting for answers to its questions" : ""}`;

/** What is missing or degraded, and what that weakens. */
function warningsOf(entries: readonly Entry[], shown: ShownResult): string[] {
  const notes = eventsIn(entries, "degradation-noted");
  const weakened = shown.result.degraded.flatMap(
    ({ what }) => notes.findLast(({ data }) => data.what === what)?.data.weakens ?? [],
  );
  return [...warningLines(shown), ...[...new Set(weakened)].map((what) => `What that weakens: ${what}`)];
}

/** The last answers settle whatever was asked before them. */
const answeredUpTo = (entries: readonly Entry[]): number =>
  Math.max(0, ...eventsIn(entries, "clarification-answered").map(({ seq }) => seq));

const isWaiting = (entries: readonly Entry[]): boolean =>
  eventsIn(entries, "clarification-asked").some(({ seq }) => seq > answeredUpTo(entries));

function clarifications({ entries }: JournalSection): ReportPart {
  const answers = eventsIn(entries, "clarification-answered").flatMap(({ data }) => data.answers);
  const rows = eventsIn(entries, "clarification-asked").flatMap(({ data, seq }) => {
    const none = seq < answeredUpTo(entries) ? "NA" : "not answered yet";
    return data.questions.map(({ id, text }) => [
      id,
      text,
      answers.find((answer) => answer.id === id)?.text ?? none,
    ]);
  });
  return part("Clarifications", table(["id", "question", "answer"], rows));
}

function participantsPart({ data }: Event<"deliberation-opened">): ReportPart {
  const isAsked = data.participants.some(({ options }) => options !== undefined);
  return part(
    "Participants",
    table(
      ["seat", "id", "name", "model", "family", "temperature", ...(isAsked ? ["asked with"] : [])],
      data.participants.map(({ seat, id, persona, model, family, temperature, options = null }) => [
        seat,
        id,
        persona.name,
        model,
        formatFamily(family),
        temperature === undefined ? "provider default" : String(temperature),
        ...(isAsked ? [oneLine(formatOptions(options), 400)] : []),
      ]),
    ),
  );
}

const reusedFrom = (origin: Origin): string => (origin.by === "adopted" ? `Reused from ${origin.from}.` : "");

const spoken = <T extends EventType>({ entries, result }: JournalSection, type: T): Event<T>[] =>
  inSeatOrder(result.participants, eventsIn(entries, type));

const foldPart = (one: ReportPart): ReportPart => ({ ...one, folds: true });

/** Every draft and answer; one that is the only one is the answer above. */
function draftsPart(journal: JournalSection): ReportPart {
  const given = spoken(journal, "answer-given");
  const answers = given.length === 1 && given[0]?.data.text === journal.result.answer ? [] : given;
  const heading = answers.every(({ data }) => data.kind === "draft") ? "Drafts" : "Answers";
  const parts = answers.map(({ data: { by, kind, round, final, text }, origin }) =>
    foldPart(
      part(
        `${journal.nameOf(by)}${kind === "draft" ? "" : `, ${kind}`}${round > 1 ? `, round ${round}` : ""}`,
        words(final === null ? "" : `Final answer: ${writeAnswerLine(final)} (${final.kind})`),
        quote(text),
        words(reusedFrom(origin)),
      ),
    ),
  );
  return { heading, blocks: [], parts };
}

/** The names of the answers' authors by step, in the order of their seats. */
const authorsIn = (journal: JournalSection): ReadonlyMap<StepKey, string> =>
  new Map(
    spoken(journal, "answer-given").flatMap(({ origin, data }) =>
      "step" in origin ? [[origin.step, journal.nameOf(data.by)] as const] : [],
    ),
  );

/** What members criticize in each other's answers, and in their own. */
function critiquesPart(journal: JournalSection): ReportPart {
  const authors = authorsIn(journal);
  const parts = spoken(journal, "critique-given").map(({ data: { by, of, text } }) =>
    foldPart(part(`${journal.nameOf(by)} of ${authors.get(of) ?? journal.nameOf(of)}`, quote(text))),
  );
  return { heading: "Critiques", blocks: [], parts };
}

/** Who ranked whom where, a row a reviewer, and what each said. */
function reviewsPart(journal: JournalSection): ReportPart {
  const { nameOf } = journal;
  const reviews = spoken(journal, "review-given").map(({ data }) => data);
  const authors = authorsIn(journal);
  const shown = new Set(reviews.flatMap((review) => review.shown));
  // Columns by the authors' seats, as `authorsIn` lists them.
  const steps = [...authors.keys()].filter((step) => shown.has(step));
  const rank = (step: StepKey, ranking: readonly StepKey[]) =>
    ranking.includes(step) ? String(ranking.indexOf(step) + 1) : "";
  const rows = reviews.map(({ by, ranking, shown: seen }) => [
    nameOf(by),
    ...steps.map((step) =>
      ranking.ok ? rank(step, ranking.steps) : seen.includes(step) ? "unreadable" : "",
    ),
  ]);
  return {
    heading: "Reviews",
    blocks: [
      words(
        rows.length > 0
          ? "Each row is one reviewer's ranking: 1 is the best; an empty field was not shown."
          : "",
      ),
      table(["reviewer", ...steps.map((step) => inline(authors.get(step) ?? step, 80))], rows),
      ...rankingBlocks(journal),
    ],
    parts: reviews.map(({ by, ranking, remarks }) =>
      foldPart(
        part(
          `Review by ${nameOf(by)}`,
          words(ranking.ok ? "" : `Unreadable ranking: ${ranking.reason}`),
          ...remarks.flatMap(({ of, strengths, weaknesses }) => {
            const remarked = [
              ...strengths.map((text) => `strength: ${text}`),
              ...weaknesses.map((text) => `weakness: ${text}`),
            ];
            return [
              words(`On ${authors.get(of) ?? of}:`),
              points(remarked.length > 0 ? remarked : ["no remarks"]),
            ];
          }),
        ),
      ),
    ),
  };
}

/** How each answer was ranked by others, and whose ranking was not counted. */
function rankingBlocks({ entries, nameOf }: JournalSection): ReportPart["blocks"] {
  const reached = entries.findLast((entry) => isEvent(entry, "standing-reached"))?.data;
  if (!reached) return [];
  const { places, borda, excluded } = reached;
  const rows = places.map(({ id, votes }) => [nameOf(id), String(votes), String(borda[id] ?? "")]);
  return [
    table(["member", "rankings", "Borda points"], rows),
    points(excluded.map(({ id, why }) => `Not counted: ${nameOf(id)}: ${why}`)),
  ];
}

/** Who wrote the answer out of the drafts, and how; a claim that could not be read. */
const synthesisPart = ({ entries, nameOf }: JournalSection): ReportPart =>
  part(
    "Synthesis",
    ...eventsIn(entries, "synthesis-given").flatMap(({ data: { claims, strategy, by }, origin }) => [
      words(`By ${nameOf(by)}, strategy: ${strategy ?? "none"}. ${reusedFrom(origin)}`),
      words(claims?.ok === false ? `Unreadable contributions: ${claims.reason}` : ""),
      words(claims?.ok && claims.problem !== undefined ? `Contributions: ${claims.problem}` : ""),
    ]),
  );

const baselinePart = ({ answer, control, participants }: Result): ReportPart =>
  part("Baseline", words(answer === null || control === null ? "" : describeBaseline(control, participants)));

const feedbackPart = ({ entries }: JournalSection): ReportPart =>
  part(
    "Feedback",
    points(
      eventsIn(entries, "feedback-given").map(({ data }) =>
        [data.by ?? "unknown", data.thumb, data.text].filter(Boolean).join(": "),
      ),
    ),
  );

/** What was retrieved for an answer, and what followed it: scores, the comparison of two answers, what memory keeps. */
function reactionParts({ entries, nameOf }: JournalSection): ReportPart[] {
  const authorOf = (of: EventId): string => {
    const answer = entries.find(({ id }) => id === of);
    return answer && isEvent(answer, "answer-given", "synthesis-given") ? nameOf(answer.data.by) : of;
  };
  const retrieved = eventsIn(entries, "engrams-recalled").flatMap(({ data }) => {
    const by = nameOf(data.for);
    const rows = [
      ...data.engrams.map(({ id, mark, question, score }) => [by, mark, question, score.toFixed(2), id]),
      ...data.facts.map((fact) => [by, "pinned fact", fact, "", ""]),
    ];
    return rows.length > 0 ? rows : [[by, "nothing", data.how, "", ""]];
  });
  const grades = eventsIn(entries, "grade-given").map(({ data }) => [
    authorOf(data.of),
    data.score === null ? "none" : `${data.score}/5`,
    data.rubric,
    data.kind ?? "",
    data.call?.model ?? "",
    data.score === null ? (data.why ?? "no reason was recorded") : data.feedback,
  ]);
  const comparisons = eventsIn(entries, "preference-given").map(({ data }) => {
    const { of, winner, orderSensitive, reason, judge } = data;
    const [first, second] = winner === "B" ? [of[1], of[0]] : of;
    const outcome =
      winner === "tie"
        ? `tie between ${authorOf(first)} and ${authorOf(second)}${orderSensitive ? " (position inconsistency)" : ""}`
        : `${authorOf(first)} over ${authorOf(second)}`;
    return `${outcome}${judge === undefined ? "" : `, by ${judge}`}: ${reason}`;
  });
  return [
    part("Retrieved from memory", table(["for", "mark", "question", "score", "entry"], retrieved)),
    part("Scores", table(["answer of", "score", "rubric", "taken for", "by", "feedback"], grades)),
    part("Comparison of two answers", points(comparisons)),
    part("Memory", points(memoryLines(entries, authorOf))),
  ];
}

function memoryLines(entries: readonly Entry[], authorOf: (of: EventId) => string): string[] {
  const annotations = eventsIn(entries, "engram-annotated");
  return entries.flatMap((entry) => {
    if (isEvent(entry, "engram-written")) {
      const { engram, of, cluster, unembedded } = entry.data;
      const count = annotations.filter(({ data }) => data.engram === engram.id).length;
      const near = cluster === engram.id ? "" : `, similar to ${cluster}`;
      const vector = unembedded === null ? "" : `; without a vector: ${unembedded}`;
      return [`${authorOf(of)}: stored as ${engram.id}${near}; ${formatNumber(count)} annotations${vector}`];
    }
    if (isEvent(entry, "engram-annotated") && entry.data.retires !== undefined)
      return [`excluded: ${entry.data.engram}: ${entry.data.retires}`];
    if (isEvent(entry, "reaction-failed")) return [`${entry.data.code}: ${entry.data.why}`];
    const isNoted = isEvent(entry, "note-taken") && entry.origin.by === "reactor";
    return isNoted ? [`${entry.data.topic}: ${entry.data.reason}`] : [];
  });
}

/** What models thought before they replied, a part each and folded: nobody of those who read the replies saw any of it. */
function thinkingPart({ entries, nameOf }: JournalSection): ReportPart {
  const parts = entries.flatMap((entry) => {
    const text = callOf(entry)?.thinking?.text ?? "";
    if (text === "") return [];
    const title = `${nameOf(speakerOf(entry))}: ${workWords(workOf(entry)?.kind ?? "").done}`;
    return [{ ...part(title, quote(text)), folds: true }];
  });
  const instead = `${pluralize(parts.length, "reply")} had some; exports and the page show it.`;
  return { ...part("Thinking"), parts, folds: instead };
}

function usagePart({ entries, result, nameOf }: JournalSection): ReportPart {
  const { participants, total } = spending(entries);
  const hasThought = total.tokens.thinking !== null;
  const figure = (count: number | null) => (count === null ? "unknown" : formatNumber(count));
  const row = (name: string, { tokens, ...spent }: Spent) => [
    name,
    formatNumber(spent.calls),
    figure(tokens.in),
    figure(tokens.out),
    tokens.cached === null ? "" : figure(tokens.cached),
    ...(hasThought ? [tokens.thinking === null ? "" : figure(tokens.thinking)] : []),
    formatCost({ ...spent }),
  ];
  const rows = [...participants.map(({ id, spent }) => row(nameOf(id), spent)), row("total", total)];
  const unpriced = unpricedModels(entries);
  const time =
    result.wallMs === null ? "Not closed" : `${formatDuration(result.wallMs)} from opening to closing`;
  return part(
    "Usage",
    table(
      [
        "participant",
        "calls",
        "input tokens",
        "output tokens",
        "cached",
        ...(hasThought ? ["thinking"] : []),
        "cost",
      ],
      rows,
    ),
    words(unpriced.length > 0 ? `No price is known for ${unpriced.join(", ")}.` : ""),
    words(`${time}; critical path ${formatDuration(result.criticalPathMs)}.`),
  );
}
