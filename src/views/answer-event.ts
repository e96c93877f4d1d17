import * as z from "zod";
import {
  answerStep,
  isEvent,
  originKey,
  stepOrigin,
  type Entry,
  type Event,
  type EventId,
  type StepKey,
} from "../kernel/index.ts";

/** What a judge made of an answer, as `--json` prints it. */
export const AnswerGrade = z.strictObject({
  /** 1 to 5; null with `why`. */
  score: z.int().min(1).max(5).nullable(),
  feedback: z.string(),
  rubric: z.string(),
  /** What the answer was taken to be; null where nothing says it. */
  kind: z.string().nullable(),
  /** The judge's model; null where none was asked. */
  by: z.string().nullable(),
  why: z.string().nullable(),
});
export type AnswerGrade = z.infer<typeof AnswerGrade>;

export type AnswerEvent = Event<"answer-given"> | Event<"synthesis-given">;

/** All that a deliberation's own steps answered, by step. */
export const answersIn = (entries: readonly Entry[]): ReadonlyMap<StepKey, AnswerEvent> =>
  new Map(
    entries.flatMap((entry) =>
      isEvent(entry, "answer-given", "synthesis-given") &&
      "step" in entry.origin &&
      entry.origin.by !== "reactor"
        ? [[entry.origin.step, entry] as const]
        : [],
    ),
  );

/** The event that holds what a deliberation answered; undefined while there is none. */
export function answerEvent(entries: readonly Entry[]): AnswerEvent | undefined {
  const closed = entries.find((entry) => isEvent(entry, "deliberation-closed"));
  const step = closed && answerStep(closed.data);
  if (step === undefined) return undefined;
  const answer = entries.find((entry) => originKey(entry.origin) === stepOrigin(step));
  return answer && isEvent(answer, "answer-given", "synthesis-given") ? answer : undefined;
}

/** The answer that the second of two respondents gave. */
export function answerOfB(entries: readonly Entry[]): Event<"answer-given"> | undefined {
  return entries
    .filter((entry) => isEvent(entry, "answer-given"))
    .find(({ data }) => data.respondent === "B");
}

/** The last grade of an answer; null where nobody has graded it. */
export function gradeOf(entries: readonly Entry[], of: EventId | undefined): AnswerGrade | null {
  const grades = entries.filter((entry) => isEvent(entry, "grade-given"));
  const grade = grades.findLast(({ data }) => data.of === of);
  if (!grade) return null;
  const { score, feedback, rubric, kind = null, call, why = null } = grade.data;
  return { score, feedback, rubric, kind, by: call?.model ?? null, why };
}
