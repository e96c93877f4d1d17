import * as z from "zod";
import { Assessment, isEvent, type Entry } from "../../../../../kernel/index.ts";
import { answerEvent } from "../../../../../views/answer-event.ts";

/** What a debate adds to a result; `DebateRecord` has all of it. */
export const sectionSchema = z.strictObject({
  /** Rounds that came to their end. */
  rounds: z.int(),
  /** Proposals and refinements that do not say how they cover the requirements. */
  withoutCoverage: z.int(),
  /** The judge's own word on its solution; null where there is none. */
  assessment: Assessment.nullable(),
});
export type DebateSection = z.infer<typeof sectionSchema>;

export function sectionOf(entries: readonly Entry[]): DebateSection {
  const count = (fits: (entry: Entry) => boolean): number => entries.filter(fits).length;
  const answer = answerEvent(entries);
  return {
    rounds: count((entry) => isEvent(entry, "round-closed")),
    withoutCoverage: count((entry) => isEvent(entry, "answer-given") && entry.data.coverage === false),
    assessment: (answer?.type === "synthesis-given" ? answer.data.assessment : undefined) ?? null,
  };
}
