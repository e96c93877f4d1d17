import { defineReactor, NOTHING_TO_SAY, type StepOutcome, type Reaction } from "../../../engine/index.ts";
import { combinePreference } from "../../../stats/judge-leans.ts";
import { shorten } from "../../../replies/gist.ts";
import type { Preference } from "../../../replies/preference.ts";
import { isEvent, ParticipantId } from "../../../kernel/index.ts";
import type { Entry, Event, EventId, Respondent } from "../../../kernel/index.ts";
import { preferencePrompt } from "../../../protocols/phases/judge-prompts.ts";
import {
  judgeOverflow,
  collectEvidence,
  lastTurns,
  judgeRequest,
  AnswerJudgeSettings,
  requireJudge,
  turnsOf,
  readPreference,
} from "./request.ts";

// A pair is compared once: by the reaction to the grade that completes it.
// No state is kept for an incomplete pair: answers and grades are read from the journal, so that a restart loses none.
// Every pair is shown in both orders; an unreadable reply to one of them is a note, and no preference.

const MAX_REASON_LENGTH = 4_000;

/** Compares two respondents' graded answers to one question. */
export const pairwise = defineReactor({
  name: "pairwise",
  on: ["grade-given"],
  emits: ["preference-given", "reply-received", "reaction-failed"],
  settings: AnswerJudgeSettings,
  switch: "respondent-b",
  work: "pairwise-grading",
  requires: (settings) => requireJudge("preference", settings),
  shouldReact: (grade, before) => pairCompletedBy(grade, before) !== null,
  async react(grade, reaction) {
    const pair = pairCompletedBy(grade, reaction.history); // the first answers and grades: none that came later
    return pair ? compare(reaction, pair) : NOTHING_TO_SAY;
  },
});

/** Two graded answers to one question, A's first. */
type GradedPair = {
  readonly [side in Respondent]: { readonly of: EventId; readonly text: string; readonly score: number };
};

/** The pair that has both its grades with this one, and had not before; null where there is none. Answers that rest on tools make none. */
function pairCompletedBy(grade: Event<"grade-given">, before: readonly Entry[]): GradedPair | null {
  const [a, b] = [gradedAnswers("A", before), gradedAnswers("B", before)];
  if (!a || !b || (a.grade !== grade.id && b.grade !== grade.id)) return null;
  return { A: a, B: b };
}

function gradedAnswers(respondent: Respondent, before: readonly Entry[]) {
  const answer = before
    .filter((entry) => isEvent(entry, "answer-given"))
    .find(({ data }) => data.kind === "response" && data.respondent === respondent);
  if (!answer || collectEvidence(before, answer).tools.length > 0) return null;
  for (const entry of before)
    if (isEvent(entry, "grade-given") && entry.data.of === answer.id && entry.data.score !== null)
      return { of: answer.id, text: answer.data.text, score: entry.data.score, grade: entry.id };
  return null;
}

const ORDERS = [
  { key: "order-1", shown: ["A", "B"] },
  { key: "order-2", shown: ["B", "A"] },
] as const;

/** Under whose name replies are recorded: a judge of pairs has no seat. */
const JUDGE = ParticipantId.parse("pairwise");

async function compare(reaction: Reaction<AnswerJudgeSettings>, pair: GradedPair): Promise<void> {
  const { run, settings } = reaction;
  const { form, rubric, timeoutMs } = settings;
  const turns = { A: lastTurns(await turnsOf(reaction, "A")), B: lastTurns(await turnsOf(reaction, "B")) };
  const isShared = JSON.stringify(turns.A) === JSON.stringify(turns.B);
  const orders = ORDERS.map(({ key, shown: [one, other] }) => {
    const answers = { first: pair[one].text, second: pair[other].text };
    const { question, context } = reaction;
    const before = isShared
      ? turns.A
      : [
          ...turns[one].map((turn) => ({ ...turn, before: "A" as const })),
          ...turns[other].map((turn) => ({ ...turn, before: "B" as const })),
        ];
    const prompt = { form, rubric, question, context, turns: before, ...answers };
    const request = judgeRequest("preference", settings, preferencePrompt(reaction, prompt));
    return { key, request, why: `${one} shown before ${other}` };
  });
  const [problem] = orders.flatMap(({ request }) => judgeOverflow(request) ?? []);
  const replies = await Promise.all(
    (problem === undefined ? orders : []).map(({ key, request, why }) =>
      run.call({ key, outcomes: ["reply-received"], request, timeoutMs, attempts: 1 }, () => ({
        type: "reply-received",
        data: { by: JUDGE, why },
      })),
    ),
  );
  const said: readonly Preference[] = replies.flatMap(({ data: { call } }) =>
    call ? [readPreference(call, [pair.A.text, pair.B.text])] : [],
  );
  const input = { of: [pair.A.of, pair.B.of], said, trouble: problem ?? null };
  await run.derive({ key: "preference", outcomes: ["preference-given", "reaction-failed"], input }, () => {
    const [first, second] = said;
    return first && second
      ? together(reaction, pair, [first, second])
      : unreadable(pair, problem ?? "the judge was not heard");
  });
}

function together(
  { opening, settings }: Reaction<AnswerJudgeSettings>,
  pair: GradedPair,
  [first, second]: readonly [Preference, Preference],
): StepOutcome<"preference-given" | "reaction-failed"> {
  const combined = combinePreference(first, second);
  if (combined.winner === null) return unreadable(pair, combined.why);
  return {
    type: "preference-given",
    data: {
      of: [pair.A.of, pair.B.of],
      winner: combined.winner,
      orderSensitive: combined.orderSensitive,
      reason: shorten(reasonOf(first, second), MAX_REASON_LENGTH),
      question: opening.question,
      answers: [pair.A.text, pair.B.text],
      scores: [pair.A.score, pair.B.score],
      judge: settings.model,
    },
  };
}

/** In the second order the letters stand for the other answers. */
const reasonOf = (first: Preference, second: Preference): string =>
  first.reason !== "" || second.reason === ""
    ? first.reason
    : `with the answers the other way round: ${second.reason}`;

const unreadable = ({ A, B }: GradedPair, why: string): StepOutcome<"reaction-failed"> => ({
  type: "reaction-failed",
  data: {
    code: "preference-unreadable",
    why: shorten(why, MAX_REASON_LENGTH),
    detail: { of: [A.of, B.of], scores: [A.score, B.score] },
  },
});
