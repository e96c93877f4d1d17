import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSaving } from "../loaded.ts";
import { t } from "../strings.ts";
import { Difference } from "./difference.tsx";
import { Field } from "./field.tsx";
import { Refusal } from "./states.tsx";

type EditorProps = {
  readonly label: string;
  /** The text in force; what is written is compared with it before it is saved. */
  readonly present: string;
  /** What to begin with, where there is no text yet. */
  readonly draft?: string;
  readonly save: (text: string) => Promise<void>;
  /** More fields, before the button. */
  readonly children?: ComponentChildren;
};

/** A whole file as text: what changes is shown, and a refusal says the line. */
export function TextEditor({ label, present, draft, save, children }: EditorProps): VNode {
  const text = useSignal(draft ?? present);
  const settled = useRef({ before: present, sent: present });
  const { isBusy, isSaved, failed, send } = useSaving(() => {
    settled.current.sent = text.value;
    return save(text.value);
  });
  useEffect(() => {
    const { before, sent } = settled.current;
    // What was written on while a change was being saved stays.
    if (draft === undefined && [before, sent].includes(text.value)) text.value = present;
    settled.current.before = present;
  }, [present]);
  const isChanged = text.value !== present;
  return (
    <form class="editor" onSubmit={(event) => void send(event)}>
      <Field label={label}>
        <textarea
          class="code"
          rows={Math.min(28, Math.max(8, text.value.split("\n").length + 1))}
          dir="auto"
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </Field>
      {isChanged && <Difference label={t.library.yourChanges} before={present} after={text.value} />}
      {isChanged && children}
      <SaveButtons
        isBusy={isBusy.value}
        isChanged={isChanged && text.value.trim() !== ""}
        isSaved={isSaved.value && !isChanged}
        discard={() => (text.value = present)}
      />
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}

type ButtonProps = {
  readonly isBusy: boolean;
  readonly isChanged: boolean;
  readonly isSaved: boolean;
  readonly discard: () => void;
};

export const SaveButtons = ({ isBusy, isChanged, isSaved, discard }: ButtonProps): VNode => (
  <p class="actions">
    <button type="submit" class="primary" disabled={isBusy || !isChanged}>
      {t.save}
    </button>
    {isChanged && (
      <button type="button" onClick={discard}>
        {t.library.discard}
      </button>
    )}
    <span role="status">{isSaved ? t.library.saved : ""}</span>
  </p>
);
