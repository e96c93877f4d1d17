import type { Run } from "../../engine/index.ts";
import { parseGrade } from "../../judging/index.ts";
import { EventId } from "../../kernel/index.ts";
import { gradePrompt } from "../../prompts/index.ts";
import { ask, judgedOf, repeated, repeats, textOf, type Bench, type Judged } from "./verdict.ts";

/** Grades one item under `ITEM/grade`, as often as the settings say. */
export async function* judgeAnswer(at: Bench, run: Run, item: string): AsyncGenerator<Judged> {
  const { form, rubric } = at.floor.settings;
  const messages = gradePrompt(at.floor, {
    form,
    rubric,
    question: textOf(at, `${item}/question`),
    answer: textOf(at, `${item}/answer`),
    reference: at.text(`${item}/reference`),
  });
  // The answer is no event: it stands in the opening's context under this name.
  const of = EventId.parse(`${item}/answer`);
  for (const repeat of repeats(at)) {
    const given = await ask(at, run, {
      key: repeated(`${item}/grade`, repeat),
      messages,
      read: (reply) => {
        const grade = parseGrade(reply);
        const data = grade.ok
          ? { of, score: grade.score, feedback: grade.feedback, rubric: rubric.name }
          : { of, score: null, feedback: "", rubric: rubric.name, why: grade.reason };
        return { type: "grade-given", data };
      },
    });
    yield judgedOf(given, given.type === "grade-given" && given.data.score !== null);
  }
}
