import type { Annotation, Mark } from "../kernel/index.ts";
import { shorten } from "../replies/gist.ts";

/** In UTF-16 units. */
const MAX_FEEDBACK_LENGTH = 600;

type Of<K extends Annotation["what"]["kind"]> = Extract<Annotation["what"], { kind: K }>;

/** A summary of annotations: of each kind the last by time counts. */
export type AnnotationSummary = {
  readonly grade: number | null;
  /** The text that came with the grade, on one line; empty where there is none. */
  readonly feedback: string;
  /** A comparison that changed with the order is a tie. */
  readonly preference: "won" | "lost" | "tied" | null;
  readonly thumb: "up" | "down" | null;
  readonly outcome: "good" | "bad" | null;
  /** Why it was retired; null where it was not. */
  readonly retired: string | null;
};

/** Milliseconds since 1970; −Infinity for a time that cannot be parsed. */
function timeOf({ at }: Annotation): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? -Infinity : time;
}

/** Sorts by time; annotations of one time keep their order. */
export function sortByTime(annotations: readonly Annotation[]): readonly Annotation[] {
  return annotations.toSorted((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) < timeOf(b) ? -1 : 1));
}

/** A comparison's result for this engram; one that depended on the order is a tie. */
export function preferenceResult({ result, orderSensitive }: Of<"preference">): "won" | "lost" | "tied" {
  return orderSensitive ? "tied" : result;
}

export function summarizeAnnotations(annotations: readonly Annotation[]): AnnotationSummary {
  const ordered = sortByTime(annotations).map(({ what }) => what);
  const grade = ordered.findLast((what) => what.kind === "grade");
  const preference = ordered.findLast((what) => what.kind === "preference");
  return {
    grade: grade?.score ?? null,
    feedback: shorten((grade?.feedback ?? "").replaceAll(/\s+/g, " ").trim(), MAX_FEEDBACK_LENGTH),
    preference: preference ? preferenceResult(preference) : null,
    thumb: ordered.findLast((what) => what.kind === "thumb")?.thumb ?? null,
    outcome: ordered.findLast((what) => what.kind === "outcome")?.outcome ?? null,
    retired: ordered.find((what) => what.kind === "retired")?.reason ?? null,
  };
}

/** Whether it has a grade, a comparison, a thumb or an outcome. */
export function isJudged({ grade, preference, thumb, outcome }: AnnotationSummary): boolean {
  return grade !== null || preference !== null || thumb !== null || outcome !== null;
}

/** `avoid`: graded 2 or less, or thumbs down. `good-example`: else graded 4 or more. `mixed`: judged otherwise. */
export function chooseMark(judged: AnnotationSummary): Mark {
  const { grade, thumb } = judged;
  if (thumb === "down" || (grade !== null && grade <= 2)) return "avoid";
  if (grade !== null && grade >= 4) return "good-example";
  return isJudged(judged) ? "mixed" : "unjudged";
}
