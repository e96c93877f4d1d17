import { hash } from "node:crypto";
import {
  EventId,
  type Annotation,
  type RetireRules,
  type AnnotatedEngram,
  type EngramId,
  type MemoryScope,
  type Mark,
} from "../kernel/index.ts";
import type { EngramStore } from "./engram-store.ts";
import { shorten } from "../replies/gist.ts";

type Lean = "for" | "against" | null;

/** Whether an annotation speaks for or against keeping an engram, and its description. */
function weighAnnotation({ what }: Annotation): { readonly lean: Lean; readonly words: string } {
  switch (what.kind) {
    case "grade": {
      const lean = what.score <= 2 ? "against" : what.score >= 4 ? "for" : null;
      return { lean, words: `graded ${what.score}` };
    }
    case "preference": {
      const result = preferenceResult(what);
      const lean = result === "lost" ? "against" : result === "won" ? "for" : null;
      return { lean, words: `a comparison ${result}` };
    }
    case "thumb":
      return { lean: what.thumb === "down" ? "against" : "for", words: `thumb ${what.thumb}` };
    case "outcome":
      return { lean: what.outcome === "bad" ? "against" : "for", words: `outcome ${what.outcome}` };
    case "comment":
    case "retired":
      return { lean: null, words: "" };
  }
}

function latestOfEachKind(annotations: readonly Annotation[]): readonly Annotation[] {
  const last = new Map<string, Annotation>();
  for (const annotation of sortByTime(annotations))
    last.set(JSON.stringify([annotation.what.kind, annotation.by]), annotation);
  return [...last.values()];
}

/** What one author's verdicts come to: against or for, whichever they say more often. */
function voiceOf(verdicts: readonly ReturnType<typeof weighAnnotation>[]) {
  const against = verdicts.filter(({ lean }) => lean === "against");
  const balance = against.length - verdicts.filter(({ lean }) => lean === "for").length;
  return { lean: Math.sign(balance), words: against.map(({ words }) => words) };
}

/**
 * Says why an engram with these annotations must be retired; null where it must not. A grade of 2 or less, a thumbs down, a lost
 * comparison and a bad outcome count against it; a grade of 4 or more, a thumbs up, a won comparison and a good outcome for
 * it. Only the last of each kind by each author counts, and an author has one voice, however many verdicts it gave
 *. It retires when the voices against outnumber those for it by `rules.against`, and never without any against it.
 */
export function decideRetirement(annotations: readonly Annotation[], rules: RetireRules): string | null {
  const latest = latestOfEachKind(annotations);
  const voices = [...new Set(latest.map(({ by }) => by))].map((author) =>
    voiceOf(latest.filter(({ by }) => by === author).map(weighAnnotation)),
  );
  const against = voices.filter(({ lean }) => lean > 0);
  const inFavour = voices.filter(({ lean }) => lean < 0).length;
  if (against.length === 0 || against.length - inFavour < rules.against) return null;
  const words = against.flatMap((voice) => voice.words);
  const shown = words.slice(0, 10).join(", ");
  return `${against.length} against, ${inFavour} for: ${shown}${words.length > 10 ? ", …" : ""}`;
}

/** The id of the event that retires an engram because of another event, the same on every retry. At most 2,000 characters. */
export function retirementEventId(event: EventId): EventId {
  const name = `${event}/retired`;
  return EventId.parse(name.length <= 2_000 ? name : `${hash("sha256", event, "hex")}/retired`);
}

// Whether an engram retires is decided from all of its annotations, so that a retry after a crash decides alike.
// Judges count, not verdicts: a grade and a comparison by one judge are one voice.

/** @throws Fault `store-unavailable` */
export async function annotate(
  store: EngramStore,
  named: MemoryScope & { readonly id: EngramId },
  { annotation, rules }: { readonly annotation: Annotation; readonly rules: RetireRules },
): Promise<AnnotatedEngram> {
  const { state, lapsed } = await store.annotate(named, annotation);
  if (state === "kept" || state === "gone") return { state, lapsed, retires: null };
  const { id, ...scope } = named;
  const [stored] = await store.get(scope, [id]);
  if (!stored || stored.forgotten !== null) return { state: "gone", lapsed, retires: null };
  const event = retirementEventId(annotation.event);
  const retired = stored.annotations.filter(({ what }) => what.kind === "retired");
  const own = retired.find((other) => other.event === event || other.event === annotation.event);
  if (own?.what.kind === "retired") return { state, lapsed, retires: own.what.reason };
  const reason = retired.length > 0 ? null : decideRetirement(stored.annotations, rules);
  if (reason === null) return { state, lapsed, retires: null };
  const what = { kind: "retired", reason } as const;
  const written = await store.annotate(named, { event, by: "memory", at: annotation.at, what });
  return { state, lapsed: [...lapsed, ...written.lapsed], retires: reason };
}

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
