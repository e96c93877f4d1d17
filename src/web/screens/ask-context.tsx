import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { t } from "../strings.ts";

/** A text that goes with a question, shown to models as untrusted data. */
export type Attached = { readonly name: string; readonly text: string };

const MAX_FILE = 1_000_000;

/** Texts to go with the question: pasted, dropped or chosen. They are read here; the server gets texts, never paths. */
export function ContextField({ attached }: { readonly attached: Signal<readonly Attached[]> }): VNode {
  const problem = useSignal("");
  const pasted = useSignal("");
  const add = (one: Attached) =>
    (attached.value = [...attached.value.filter(({ name }) => name !== one.name), one]);
  const take = async (files: Iterable<File>) => {
    problem.value = "";
    for (const file of files) {
      if (file.size > MAX_FILE) problem.value = t.ask.tooLarge(file.name);
      else {
        const text = await file.text();
        if (text.includes("\u0000") || text.includes("\uFFFD")) problem.value = t.ask.notText(file.name);
        else add({ name: file.name, text });
      }
    }
  };
  return (
    <fieldset
      class="context"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files ?? []);
      }}
    >
      <legend>{t.ask.context}</legend>
      {attached.value.map(({ name, text }) => (
        <p key={name} class="attached">
          <span dir="auto">{name}</span> <span class="quiet">{t.ask.characters(text.length)}</span>{" "}
          <button
            type="button"
            aria-label={t.ask.remove(name)}
            onClick={() => (attached.value = attached.value.filter((one) => one.name !== name))}
          >
            ×
          </button>
        </p>
      ))}
      <details>
        <summary>{t.ask.contextHint}</summary>
        <textarea
          rows={4}
          aria-label={t.ask.contextName}
          value={pasted.value}
          onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
        />
        <button
          type="button"
          onClick={() => {
            if (pasted.value.trim() !== "")
              add({ name: `${t.ask.contextName} ${attached.value.length + 1}`, text: pasted.value });
            pasted.value = "";
          }}
        >
          {t.ask.contextAdd}
        </button>{" "}
        <input
          type="file"
          multiple
          aria-label={t.ask.contextHint}
          onChange={({ currentTarget }) => void take(currentTarget.files ?? [])}
        />
      </details>
      <p role="status" class="problem">
        {problem.value}
      </p>
    </fieldset>
  );
}
