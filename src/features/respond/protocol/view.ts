import * as z from "zod";
import { isEvent, type Entry, type EngramId, type Json } from "../../../kernel/index.ts";
import { writeAnswer } from "../../../text/format.ts";
import { AnswerGrade, answerOfB, gradeOf } from "../../../views/answer-event.ts";

/** What responding adds to a result. */
export const sectionSchema = z.strictObject({
  /** What memory gave for the answer: null where it was not asked. */
  recalled: z.strictObject({ engrams: z.int(), facts: z.int(), how: z.string() }).nullable(),
  /** The facts that the model was told in this turn, and that memory keeps from now on. */
  remembered: z.array(z.strictObject({ id: z.string(), fact: z.string() })),
  /** What became of the oldest turns in this one: `covers` of them are summarized, and the newest `kept` were shown whole; null where nothing did. */
  summarized: z.strictObject({ covers: z.int(), kept: z.int() }).nullable(),
  /** The answer of the second model, with its score; null where there is none (yet). */
  second: z
    .strictObject({
      by: z.string(),
      model: z.string().nullable(),
      answer: z.string(),
      finalAnswer: z.string().nullable(),
      grade: AnswerGrade.nullable(),
    })
    .nullable(),
  /** Which of the two answers a judge prefers; `A` is the first. */
  preference: z
    .strictObject({ winner: z.enum(["A", "B", "tie"]), orderSensitive: z.boolean(), reason: z.string() })
    .nullable(),
});
export type RespondSection = z.infer<typeof sectionSchema>;

export function sectionOf(entries: readonly Entry[]): RespondSection {
  // The second model's own recall is recorded by a reactor.
  const recall = entries
    .filter((entry) => isEvent(entry, "engrams-recalled"))
    .find(({ origin }) => origin.by !== "reactor")?.data;
  const remembered = new Map(
    entries.flatMap((entry) => {
      const kept = isEvent(entry, "tool-called") ? keptFactIn(entry.data.result) : undefined;
      return kept?.fresh ? [[kept.id, { id: kept.id, fact: kept.remembered }] as const] : [];
    }),
  );
  const summarized = entries
    .filter((entry) => isEvent(entry, "summary-made"))
    .findLast(({ origin }) => origin.by !== "reactor");
  const second = answerOfB(entries);
  const preference = entries.findLast((entry) => isEvent(entry, "preference-given"))?.data;
  return {
    recalled: recall ? { engrams: recall.engrams.length, facts: recall.facts.length, how: recall.how } : null,
    remembered: [...remembered.values()],
    summarized: summarized?.data.turns ?? null,
    second: second
      ? {
          by: second.data.by,
          model: second.data.call?.model ?? null,
          answer: second.data.text,
          finalAnswer: second.data.final && writeAnswer(second.data.final),
          grade: gradeOf(entries, second.id),
        }
      : null,
    preference: preference
      ? { winner: preference.winner, orderSensitive: preference.orderSensitive, reason: preference.reason }
      : null,
  };
}

/** The fact that a tool's result says memory keeps; undefined for a result of another form. */
function keptFactIn(result: Json) {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  const { remembered, id, fresh } = result;
  const isRead = typeof remembered === "string" && typeof id === "string" && typeof fresh === "boolean";
  // Memory gave it this id.
  return isRead ? { remembered, id: id as EngramId, fresh } : undefined;
}
