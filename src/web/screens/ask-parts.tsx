import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { ModelList, ModelRow } from "../../contract/figures.ts";
import { toggle } from "../lists.ts";
import { useApi } from "../loaded.ts";
import { Check } from "../parts/field.tsx";
import { Shown } from "../parts/states.tsx";
import { t } from "../strings.ts";

/** The models that can be reached, by family: voices of one family tend to err alike. */
export function ModelPicker({ chosen }: { readonly chosen: Signal<readonly string[]> }): VNode {
  const models = useApi<ModelList>("models");
  return (
    <fieldset class="models">
      <legend>
        {t.ask.models}{" "}
        <span class="quiet">{chosen.value.length === 0 ? t.ask.modelsHint : chosen.value.join(", ")}</span>
      </legend>
      <Shown of={models}>
        {(reply) => (
          <>
            {familiesOf(reply.models, chosen.value).map(([family, rows]) => (
              <div key={family} class="family">
                <p class="quiet">{family === "" ? t.ask.familyUnknown : t.ask.family(family)}</p>
                {rows.map(({ ref }) => (
                  <Check
                    key={ref}
                    label={ref}
                    isChecked={chosen.value.includes(ref)}
                    change={() => (chosen.value = toggle(chosen.value, ref))}
                  />
                ))}
              </div>
            ))}
            {reply.models.length === 0 && <p>{t.ask.noModels}</p>}
            {reply.missing.length > 0 && (
              <details>
                <summary>{t.ask.missing(reply.missing.length)}</summary>
                <ul>
                  {reply.missing.map(({ provider, next }) => (
                    <li key={provider}>
                      {provider}: {next}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Shown>
    </fieldset>
  );
}

/** Rows by family; what was chosen and is not listed, as from a link, stands with those of unknown family. */
function familiesOf(
  rows: readonly ModelRow[],
  chosen: readonly string[],
): (readonly [string, readonly { ref: string }[]])[] {
  const families = new Map<string, { ref: string }[]>();
  const put = (family: string, ref: string) =>
    families.set(family, [...(families.get(family) ?? []), { ref }]);
  for (const { family, ref } of rows) put(family ?? "", ref);
  for (const ref of chosen) if (!rows.some((row) => row.ref === ref)) put("", ref);
  return [...families].sort(
    ([one], [other]) => Number(one === "") - Number(other === "") || one.localeCompare(other),
  );
}

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
