import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { ModelList, ModelRow } from "../../contract/figures.ts";
import { groupBy } from "../../stats/numbers.ts";
import { toggle } from "../lists.ts";
import { useApi } from "../loaded.ts";
import { Check, TextField } from "../parts/field.tsx";
import { Shown } from "../parts/states.tsx";
import { t } from "../strings.ts";

/** So many models are offered at first. */
const FEW_MODELS = 12;

/** The models that can be reached, by family: voices of one family tend to err alike. */
export function ModelPicker({ chosen }: { readonly chosen: Signal<readonly string[]> }): VNode {
  const models = useApi<ModelList>("models");
  const words = useSignal("");
  const most = useSignal(FEW_MODELS);
  /** Those that fit what is typed; where none does, what is typed, if that can be a model: it may have an effort. */
  const fitting = (rows: readonly ModelRow[]): readonly string[] => {
    const typed = words.value.trim();
    const refs = rows.flatMap(({ ref }) => (ref.toLowerCase().includes(typed.toLowerCase()) ? ref : []));
    return refs.length === 0 && /^[^/\s]+\/\S+$/.test(typed) ? [typed] : refs;
  };
  return (
    <fieldset class="models">
      <legend>
        {t.ask.models}{" "}
        <span class="quiet">{chosen.value.length === 0 ? t.ask.modelsHint : chosen.value.join(", ")}</span>
      </legend>
      <Shown of={models}>
        {(reply) => (
          <>
            <TextField
              {...{ label: t.ask.find, hint: t.ask.findHint, type: "search", value: words }}
              onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            />
            {familiesOf(reply.models, [...fitting(reply.models).slice(0, most.value), ...chosen.value]).map(
              ([family, refs]) => (
                <div key={family} class="family">
                  <p class="quiet">{family === "" ? t.ask.familyUnknown : t.ask.family(family)}</p>
                  {refs.map((ref) => (
                    <Check
                      key={ref}
                      label={ref}
                      isChecked={chosen.value.includes(ref)}
                      change={() => (chosen.value = toggle(chosen.value, ref))}
                    />
                  ))}
                </div>
              ),
            )}
            {fitting(reply.models).length > most.value && (
              <button type="button" onClick={() => (most.value *= 4)}>
                {t.more}
              </button>
            )}
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

/** References by family, each once; one that is not listed, as from a link, is of the family of its model alone. */
function familiesOf(
  rows: readonly ModelRow[],
  refs: readonly string[],
): (readonly [string, readonly string[]])[] {
  const families = new Map(rows.map(({ ref, family }) => [ref, family]));
  const familyOf = (ref: string) => families.get(ref) ?? families.get(ref.replace(/\?.*/, "")) ?? "";
  return [...groupBy([...new Set(refs)], familyOf)].sort(
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
