import * as z from "zod";
import { defineReactor, type DryReply, type StepOutcome } from "../../../engine/index.ts";
import { findMatchingRule } from "../../../text/answer-kind.ts";
import { shorten } from "../../../replies/gist.ts";
import { AnswerSigns, Rubric, type DataOf, type ModelRequest } from "../../../kernel/index.ts";
import { gradePrompt } from "../../../protocols/phases/judge-prompts.ts";
import {
  judgeOverflow,
  collectEvidence,
  type Evidence,
  judgedQuestion,
  judgeRequest,
  AnswerJudgeSettings,
  requireJudge,
  turnsOf,
  readGrade,
} from "./request.ts";

// Every response and every synthesis gets one `grade-given`: a score, or null with the reason.
// A judge is called once. Its failure is recorded and not retried.
// An answer is not graded where the judge could not see all of it: it is empty, tool results are missing or too long, or the prompt does
// not fit.
// A judge sees the journal as it was when the answer was given, so that a redelivery makes the same request.

const MAX_FEEDBACK_LENGTH = 4_000;
const MAX_REASON_LENGTH = 1_000;

export const CriticSettings = AnswerJudgeSettings.extend({
  /** The kind of an answer that no rule matches. */
  kind: z.string(),
  rules: z.array(z.strictObject({ kind: z.string(), when: AnswerSigns, rubric: Rubric })),
});
export type CriticSettings = z.infer<typeof CriticSettings>;

/** Grades answers by the rubric for their kind, in the background. */
export const critic = defineReactor({
  name: "critic",
  on: ["answer-given", "synthesis-given"],
  emits: ["grade-given"],
  settings: CriticSettings,
  switch: "critic",
  work: "grading",
  requires: (settings) => requireJudge("grade", settings),
  shouldReact: (event) => event.type === "synthesis-given" || event.data.kind === "response",
  async react(event, reaction) {
    const { history, opening, run, settings } = reaction;
    const { question } = opening;
    const { text: answer } = event.data;
    const turns = await turnsOf(reaction, "respondent" in event.data ? event.data.respondent : undefined);
    const evidence = collectEvidence(history, event);
    const { kind, rubric } =
      findMatchingRule(settings.rules, { question, answer, tools: evidence.tools }) ?? settings;
    const given = (verdict: GradeVerdict): StepOutcome<"grade-given"> => ({
      type: "grade-given",
      data: { of: event.id, ...verdict, rubric: rubric.name, kind },
    });
    const requestWith = (results: Evidence["results"]) => {
      const prompt = {
        form: settings.form,
        ...judgedQuestion(reaction, turns),
        answer,
        evidence: results,
        rubric,
      };
      return judgeRequest("grade", settings, gradePrompt(reaction, prompt));
    };
    const request = requestWith(evidence.results);
    const step = { key: "grade", outcomes: ["grade-given"] } as const;
    const why = missingEvidence(answer, evidence) ?? overflow(request, () => requestWith([]));
    if (why !== null) {
      await run.derive({ ...step, input: { of: event.id, why } }, () => given(ungradedVerdict(why)));
      return;
    }
    const { timeoutMs } = settings;
    const dry: DryReply = { reply: ({ text }) => `${text()} [RESULT] 5` };
    await run.call({ ...step, request, timeoutMs, attempts: 1, dry }, (call) => {
      const grade = readGrade(call, answer);
      return given(
        grade.ok
          ? { score: grade.score, feedback: shorten(grade.feedback, MAX_FEEDBACK_LENGTH) }
          : ungradedVerdict(grade.reason),
      );
    });
  },
});

type GradeVerdict = Pick<DataOf<"grade-given">, "score" | "feedback" | "why">;

const ungradedVerdict = (why: string): GradeVerdict => ({
  score: null,
  feedback: "",
  why: shorten(why, MAX_REASON_LENGTH),
});

const UNSHOWN = "its tools' results cannot be shown";

/** What is missing of an answer; null where nothing is. */
function missingEvidence(answer: string, { missing }: Evidence): string | null {
  if (answer.trim() === "") return "the answer is empty";
  if (missing === 0) return null;
  return `${UNSHOWN}: ${missing === 1 ? "one call has" : `${missing} calls have`} none on the journal`;
}

/** What does not fit into the context; null where all does. `bare` is the request without the tools' results. */
function overflow(request: ModelRequest, bare: () => ModelRequest): string | null {
  const problem = judgeOverflow(request);
  return problem !== null && judgeOverflow(bare()) === null ? `${UNSHOWN}: ${problem}` : problem;
}
