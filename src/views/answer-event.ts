import * as z from "zod";
import { answerStep, isEvent, type Entry, type Event, type EventId, type StepKey } from "../kernel/index.ts";

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
export function answersIn(entries: readonly Entry[]): ReadonlyMap<StepKey, AnswerEvent> {
  const answers = new Map<StepKey, AnswerEvent>();
  for (const entry of entries) {
    if (!isEvent(entry, "answer-given", "synthesis-given")) continue;
    const step = ownStepOf(entry);
    if (step !== undefined) answers.set(step, entry);
  }
  return answers;
}

/** The step that an entry was recorded by; undefined for a reaction's, and for what no step recorded. */
export const ownStepOf = ({ origin }: Entry): StepKey | undefined =>
  origin.by === "protocol" || origin.by === "adopted" ? origin.step : undefined;

/** The event that holds what a deliberation answered; undefined while there is none. */
export function answerEvent(entries: readonly Entry[]): AnswerEvent | undefined {
  const closed = entries.find((entry) => isEvent(entry, "deliberation-closed"));
  const step = closed && answerStep(closed.data);
  if (step === undefined) return undefined;
  const answer = entries.find((entry) => ownStepOf(entry) === step);
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
  const grade = entries.findLast(
    (entry): entry is Event<"grade-given"> => isEvent(entry, "grade-given") && entry.data.of === of,
  );
  return grade ? gradeIn(grade) : null;
}

export function gradeIn(grade: Event<"grade-given">): AnswerGrade {
  const { score, feedback, rubric, kind = null, call, why = null } = grade.data;
  return { score, feedback, rubric, kind, by: call?.model ?? null, why };
}
