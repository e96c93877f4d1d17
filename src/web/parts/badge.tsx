import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { VNode } from "preact";
import type { AnswerGrade } from "../../views/answer-event.ts";
import { t } from "../strings.ts";

const COLORS: { readonly [score: number]: string } = {
  5: "good",
  4: "good",
  3: "fair",
  2: "poor",
  1: "poor",
};

/** A judge's score under an answer: it comes late, takes its place, and is not there without a score. Its words open by click or key. */
export function Badge({ grade }: { readonly grade: AnswerGrade | null }): VNode | null {
  const open = useSignal(false);
  const id = useId();
  if (grade?.score == null) return null;
  const { score, feedback, by, rubric } = grade;
  return (
    <div class="badge-place" role="status">
      <button
        type="button"
        class={`badge ${COLORS[score] ?? "fair"}`}
        aria-expanded={open.value}
        aria-controls={id}
        aria-label={t.run.scoreLabel(score)}
        onClick={() => (open.value = !open.value)}
      >
        <span aria-hidden="true">●</span> {t.run.score(score)}
      </button>
      <div id={id} class="badge-words" hidden={!open.value}>
        <p class="quiet">{t.run.feedback}</p>
        <p dir="auto">{feedback}</p>
        <p class="quiet">{t.run.gradedBy(by ?? t.unknown, rubric)}</p>
      </div>
    </div>
  );
}
