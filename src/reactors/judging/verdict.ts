import { parseGrade, type Grade } from "../../replies/grade.ts";
import { parsePreference, type Preference } from "../../replies/preference.ts";
import { normalizeBreaks } from "../../text/fences.ts";
import type { Call } from "../../kernel/index.ts";

// An answer that a judge repeats word for word declares nothing, whatever it says of grades.

/** The grade that a judge's call gave to an answer, or why it gave none. */
export const readGrade = (call: Call, answer: string): Grade =>
  readBeside(call, [answer], { parse: parseGrade, same: (one, other) => one.score === other.score });

/** What a judge's call said of two answers, by the order in which it was shown them. */
export const readPreference = (call: Call, answers: readonly string[]): Preference =>
  readBeside(call, answers, { parse: parsePreference, same: (one, other) => one.winner === other.winner });

type Unread = { readonly ok: false; readonly reason: string };

type VerdictReader<T> = {
  readonly parse: (reply: string) => T | Unread;
  readonly same: (one: T, other: T) => boolean;
};

function readBeside<T extends { readonly ok: true }>(
  call: Call,
  answers: readonly string[],
  { parse, same }: VerdictReader<T>,
): T | Unread {
  if (!call.ok) return { ok: false, reason: `${call.failure.code}: ${call.failure.message}` };
  const reply = normalizeBreaks(call.reply);
  const whole = parse(reply);
  const own = withoutEchoes(reply, answers);
  const read = own === reply ? whole : parse(own);
  if (read.ok) return whole.ok && same(whole, read) ? whole : read;
  const cut = call.finish === "length" ? ", which was cut off at its longest" : "";
  return { ok: false, reason: `${read.reason}${cut}` };
}

/** What is shorter can stand in a reply by itself, as `[RESULT] 4` does not. */
const MIN_ECHO_LENGTH = 10;

const withoutEchoes = (reply: string, answers: readonly string[]): string =>
  answers
    .map((answer) => normalizeBreaks(answer).trim())
    .filter((answer) => answer.length >= MIN_ECHO_LENGTH)
    .reduce((rest, answer) => rest.replaceAll(answer, () => "…"), reply);
