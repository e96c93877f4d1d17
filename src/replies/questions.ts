import * as z from "zod";
import { toFields, findFields, toText } from "./reply-fields.ts";

/** The JSON form of an agent's questions to the client. */
export const QuestionsReply = z.strictObject({ questions: z.array(z.strictObject({ text: z.string() })) });

export type Questions =
  | {
      readonly ok: true;
      readonly questions: string[];
      /** Number of questions beyond the maximum. */
      readonly cut: number;
    }
  | { readonly ok: false; readonly reason: string };

/** What stands beyond is not even counted. */
const MAX_ROWS = 1_000;

/**
 * Reads an agent's questions from the last JSON object with `questions`: the first `most` of them, each once and of at
 * most 2,000 characters. Rows without a text are left out; where that leaves none of those written it refuses, because
 * "no question" ends the asking and is never guessed.
 */
export function parseQuestions(text: string, most: number): Questions {
  const found = findFields(text, "questions");
  if (!found.ok) return found;
  const rows: unknown = found.fields.get("questions");
  if (!Array.isArray(rows)) return { ok: false, reason: "questions is no list" };
  const asked = rows.slice(0, MAX_ROWS).map((row: unknown) => toText(toFields(row).get("text") ?? row));
  const questions = [...new Set(asked.filter((question) => question !== ""))];
  if (rows.length > 0 && questions.length === 0)
    return { ok: false, reason: "no question in the list has a text" };
  return { ok: true, questions: questions.slice(0, most), cut: Math.max(0, questions.length - most) };
}
