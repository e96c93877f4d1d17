import { isEvent, type Entry, type EventId } from "../kernel/index.ts";
import { bullets, inline, section, table } from "./markdown.ts";
import type { Names } from "./names.ts";

/** What was recalled for an answer, and what came of it: grades, the comparison of two answers, what memory keeps. */
export function aftermathSections(entries: readonly Entry[], names: Names): readonly string[] {
  const speaker = (of: EventId): string => {
    const answer = entries.find(({ id }) => id === of);
    return answer && isEvent(answer, "answer-given", "synthesis-given") ? names.of(answer.data.by) : of;
  };
  return [
    section("## Recalled", recalledTable(entries, names)),
    section("## Grades", gradesTable(entries, speaker)),
    section("## Preference", bullets(preferences(entries, speaker))),
    section("## Memory", bullets(memoryLines(entries, speaker))),
  ];
}

function recalledTable(entries: readonly Entry[], names: Names): string {
  const recalls = entries.filter((entry) => isEvent(entry, "engrams-recalled"));
  const rows = recalls.flatMap(({ data }) => [
    ...data.engrams.map(({ id, mark, question, score }) => [
      names.of(data.for),
      mark,
      question,
      score.toFixed(2),
      id,
    ]),
    ...data.facts.map((fact) => [names.of(data.for), "pinned fact", fact, "", ""]),
    ...(data.engrams.length + data.facts.length === 0
      ? [[names.of(data.for), "nothing", data.how, "", ""]]
      : []),
  ]);
  return table(["for", "mark", "question", "score", "engram"], rows);
}

const gradesTable = (entries: readonly Entry[], speaker: (of: EventId) => string): string =>
  table(
    ["answer of", "grade", "rubric", "taken for", "by", "feedback"],
    entries
      .filter((entry) => isEvent(entry, "grade-given"))
      .map(({ data: { of, score, rubric, kind, call, feedback, why } }) => [
        speaker(of),
        score === null ? "none" : `${score}/5`,
        rubric,
        kind ?? "",
        call?.model ?? "",
        score === null ? (why ?? "no reason was recorded") : feedback,
      ]),
  );

function preferences(entries: readonly Entry[], speaker: (of: EventId) => string): string[] {
  return entries
    .filter((entry) => isEvent(entry, "preference-given"))
    .map(({ data: { of, winner, orderSensitive, reason, judge } }) => {
      const [first, second] = of;
      const words =
        winner === "tie"
          ? `a tie between ${speaker(first)} and ${speaker(second)}${orderSensitive ? ", because the order decided" : ""}`
          : `${speaker(winner === "A" ? first : second)} over ${speaker(winner === "A" ? second : first)}`;
      return `${words}${judge === undefined ? "" : `, by ${judge}`}: ${reason}`;
    });
}

function memoryLines(entries: readonly Entry[], speaker: (of: EventId) => string): string[] {
  const said = new Map<string, number>();
  for (const entry of entries)
    if (isEvent(entry, "engram-annotated"))
      said.set(entry.data.engram, (said.get(entry.data.engram) ?? 0) + 1);
  return entries.flatMap((entry) => {
    if (isEvent(entry, "engram-written")) {
      const { engram, of, cluster, unembedded } = entry.data;
      const count = said.get(engram.id) ?? 0;
      return [
        `${speaker(of)}: remembered as ${engram.id}${cluster === engram.id ? "" : `, near ${cluster}`}; annotated ${count} times${unembedded === null ? "" : `; without a vector: ${unembedded}`}`,
      ];
    }
    if (isEvent(entry, "engram-annotated") && entry.data.retires !== undefined)
      return [`retired: ${entry.data.engram}: ${entry.data.retires}`];
    if (isEvent(entry, "reaction-failed")) return [`${inline(entry.data.code)}: ${entry.data.why}`];
    const noted = isEvent(entry, "note-taken") && entry.origin.by === "reactor";
    return noted ? [`${inline(entry.data.topic)}: ${entry.data.reason}`] : [];
  });
}
