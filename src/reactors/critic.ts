import { defineReactor, type Ending } from "../engine/index.ts";
import { kindOf, shortened } from "../judging/index.ts";
import type { DataOf, ModelRequest } from "../kernel/index.ts";
import { gradePrompt } from "../prompts/index.ts";
import { askedOf } from "./asked.ts";
import { evidenceOf, type Evidence } from "./evidence.ts";
import { roomTrouble } from "./prompt-size.ts";
import { CriticSettings } from "./settings.ts";
import { gradeIn, judgeRequest } from "./verdict.ts";

// K1. Every answer that stands for itself, and every synthesis, gets one `grade-given`: a score, or null and why.
// K2. A judge is asked once. What it fails of is recorded and not tried again; only a bug of ours is.
// K3. What a judge could not see whole is not graded: an empty answer, tool results that are missing or find no room, a
//     prompt that a server would cut.
// K4. What a judge sees is the journal as it was when the answer was given, so that a redelivery asks the same.

const MOST_FEEDBACK = 4_000;
const MOST_WHY = 1_000;

/** Grades answers by the rubric that what they are chooses. Nothing waits for it. */
export const critic = defineReactor({
  name: "critic",
  on: ["answer-given", "synthesis-given"],
  emits: ["grade-given"],
  settings: CriticSettings,
  due: (event) => event.type === "synthesis-given" || event.data.kind === "response",
  async react(event, reaction) {
    const { history, opening, run, settings } = reaction;
    const { question } = opening;
    const { text: answer } = event.data;
    const evidence = evidenceOf(history, event); // K4
    const { kind, rubric } = kindOf(settings.rules, { question, answer, tools: evidence.tools }) ?? settings;
    const given = (verdict: Verdict): Ending<"grade-given"> => ({
      type: "grade-given",
      data: { of: event.id, ...verdict, rubric: rubric.name, kind },
    });
    const requestWith = (results: Evidence["results"]) => {
      const prompt = { form: settings.form, ...askedOf(reaction), answer, evidence: results, rubric };
      return judgeRequest("grade", settings, gradePrompt(reaction, prompt));
    };
    const request = requestWith(evidence.results);
    const step = { key: "grade", ends: ["grade-given"] } as const;
    const why = unseen(answer, evidence) ?? crowded(request, () => requestWith([]));
    if (why !== null) {
      await run.derive({ ...step, input: { of: event.id, why } }, () => given(ungraded(why))); // K3
      return;
    }
    const { timeoutMs } = settings;
    await run.call({ ...step, request, timeoutMs, attempts: 1 }, (call) => {
      const grade = gradeIn(call, answer);
      return given(
        grade.ok
          ? { score: grade.score, feedback: shortened(grade.feedback, MOST_FEEDBACK) }
          : ungraded(grade.reason),
      );
    });
  },
});

type Verdict = Pick<DataOf<"grade-given">, "score" | "feedback" | "why">;

const ungraded = (why: string): Verdict => ({ score: null, feedback: "", why: shortened(why, MOST_WHY) });

const UNSHOWN = "its tools' results cannot be shown";

/** What there is not to be seen of an answer; null where all is there. */
function unseen(answer: string, { missing }: Evidence): string | null {
  if (answer.trim() === "") return "the answer is empty";
  if (missing === 0) return null;
  return `${UNSHOWN}: ${missing === 1 ? "one call has" : `${missing} calls have`} none on the journal`;
}

/** What finds no room; null where all does. `bare` is the request without the tools' results. */
function crowded(request: ModelRequest, bare: () => ModelRequest): string | null {
  const trouble = roomTrouble(request);
  return trouble !== null && roomTrouble(bare()) === null ? `${UNSHOWN}: ${trouble}` : trouble;
}
