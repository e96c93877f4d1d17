import type { Annotation, Mark } from "../kernel/index.ts";
import { shorten } from "../replies/gist.ts";

/** A critic's words are shown up to so many UTF-16 units. */
const MAX_FEEDBACK_LENGTH = 600;

type Of<K extends Annotation["what"]["kind"]> = Extract<Annotation["what"], { kind: K }>;

/** What its annotations come to; of each kind the last by time counts. */
export type AnnotationSummary = {
  readonly grade: number | null;
  /** The words that came with the grade, on one line; empty where there are none. */
  readonly feedback: string;
  /** A comparison that changed with the order is a tie. */
  readonly preference: "won" | "lost" | "tied" | null;
  readonly thumb: "up" | "down" | null;
  readonly outcome: "good" | "bad" | null;
  /** Why it is not recalled any more; null where it is. */
  readonly retired: string | null;
};

/** Milliseconds since 1970; before everything where it cannot be read. */
function timeOf({ at }: Annotation): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? -Infinity : time;
}

/** In the order of their times; those of one time in the order in which they came. */
export function sortByTime(annotations: readonly Annotation[]): readonly Annotation[] {
  return annotations
    .map((annotation, came) => ({ annotation, came, time: timeOf(annotation) }))
    .sort((a, b) => (a.time === b.time ? a.came - b.came : a.time < b.time ? -1 : 1))
    .map(({ annotation }) => annotation);
}

/** A comparison's result for this engram. */
export function preferenceResult({ result, orderSensitive }: Of<"preference">): "won" | "lost" | "tied" {
  return orderSensitive ? "tied" : result;
}

export function summarizeAnnotations(annotations: readonly Annotation[]): AnnotationSummary {
  const said = sortByTime(annotations).map(({ what }) => what);
  const grade = said.findLast((what) => what.kind === "grade");
  const preference = said.findLast((what) => what.kind === "preference");
  return {
    grade: grade?.score ?? null,
    feedback: shorten((grade?.feedback ?? "").replaceAll(/\s+/g, " ").trim(), MAX_FEEDBACK_LENGTH),
    preference: preference ? preferenceResult(preference) : null,
    thumb: said.findLast((what) => what.kind === "thumb")?.thumb ?? null,
    outcome: said.findLast((what) => what.kind === "outcome")?.outcome ?? null,
    retired: said.find((what) => what.kind === "retired")?.reason ?? null,
  };
}

/** A comment judges nothing. */
export function isJudged({ grade, preference, thumb, outcome }: AnnotationSummary): boolean {
  return grade !== null || preference !== null || thumb !== null || outcome !== null;
}

/** `good-example`: graded 4 or more, and no thumb is down. `avoid`: graded 2 or less, or the thumb is down. `mixed`: judged in another way. */
export function chooseMark(judged: AnnotationSummary): Mark {
  const { grade, thumb } = judged;
  if (thumb === "down" || (grade !== null && grade <= 2)) return "avoid";
  if (grade !== null && grade >= 4) return "good-example";
  return isJudged(judged) ? "mixed" : "unjudged";
}
