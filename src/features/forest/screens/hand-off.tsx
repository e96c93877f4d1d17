import { useSignal } from "@preact/signals";
import type { ComponentProps, VNode } from "preact";
import type { SeatForm } from "../../../web/feature.ts";
import { Markdown } from "../../../web/parts/elements.tsx";
import { alignmentText, divergenceText, formulasIn, readPrompt } from "./forest-cycles.ts";
import { words } from "../words/index.ts";

type FieldsProps = ComponentProps<SeatForm["Fields"]>;

/** How well the evidence fits the mechanism, from 0 to 3, and why. */
function AlignmentFields({ tell }: FieldsProps): VNode {
  const score = useSignal<number | undefined>(undefined);
  const reason = useSignal("");
  const change = () => tell(score.value === undefined ? "" : alignmentText(score.value, reason.value));
  return (
    <>
      <fieldset>
        <legend>{words.alignment}</legend>
        {Object.values(words.alignments).map((words, value) => (
          <label key={value} class="choice">
            <input
              type="radio"
              name="alignment"
              checked={score.value === value}
              onChange={() => {
                score.value = value;
                change();
              }}
            />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>{words.reason}</span>
        <textarea
          rows={3}
          dir="auto"
          maxLength={4_000}
          value={reason.value}
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value;
            change();
          }}
        />
      </label>
    </>
  );
}

/** Other formulations, one a line; or the word that there are none. */
function DivergenceFields({ tell }: FieldsProps): VNode {
  const lines = useSignal("");
  const hasNone = useSignal(false);
  const change = () => {
    const formulas = formulasIn(lines.value);
    tell(hasNone.value ? divergenceText([]) : formulas.length === 0 ? "" : divergenceText(formulas));
  };
  return (
    <>
      <label class="field">
        <span>{words.formulations}</span>
        <textarea
          rows={4}
          dir="auto"
          disabled={hasNone.value}
          value={lines.value}
          onInput={({ currentTarget }) => {
            lines.value = currentTarget.value;
            change();
          }}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={hasNone.value}
          onChange={({ currentTarget }) => {
            hasNone.value = currentTarget.checked;
            change();
          }}
        />{" "}
        {words.noFormulations}
      </label>
    </>
  );
}

/** What a hand-off asks: the task, then its material, a fold a piece. */
function HandOffPrompt({ text }: { readonly text: string }): VNode {
  const { pieces, task } = readPrompt(text);
  return (
    <>
      <Markdown text={task} level={3} />
      {pieces.map(({ kind, label, text: material }, index) => (
        <details key={index} class="step" open={OPEN_PIECES.includes(kind)}>
          <summary>
            {kind} <span dir="auto">{label}</span>
          </summary>
          <pre dir="auto">
            <code>{material}</code>
          </pre>
        </details>
      ))}
    </>
  );
}

/** What an answer is about; a language and what was tried before are long, and looked up. */
const OPEN_PIECES: readonly string[] = ["tree", "mechanism", "evidence"];

/** How the evidence is judged, and where other formulations are written. */
export const alignment: SeatForm = { Prompt: HandOffPrompt, Fields: AlignmentFields };
export const divergence: SeatForm = { Prompt: HandOffPrompt, Fields: DivergenceFields };
