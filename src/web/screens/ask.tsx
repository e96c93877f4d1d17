import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { OpenedReply } from "../../contract/runs.ts";
import { address, go, hrefTo } from "../address.ts";
import { fetchJson } from "../http.ts";
import { language } from "../language.ts";
import { namesIn } from "../lists.ts";
import { useSaving } from "../loaded.ts";
import { EstimateWords, useEstimate } from "../parts/estimate.tsx";
import { Refusal } from "../parts/states.tsx";
import { t } from "../strings.ts";
import { ContextField, ModelPicker, type Attached } from "./ask-parts.tsx";
import { askFields, bodyOf, peopleIn, ASKED_BY, type AskForm } from "./ask-form.ts";
import type { SettingsFields } from "./ask-settings.tsx";

/** Where a question is put. What it is asked with can stand in the address: `/?q=…&models=…`. */
export function Ask(): VNode {
  const form = useForm();
  const { question, protocol, models } = form;
  const settings = useSettings(form);
  const previous = address.value.query.get("previous") ?? undefined;
  // What reads a run and shows its answer as Markdown comes while the question is written.
  useEffect(() => {
    void import("../parts/elements.tsx").catch(() => undefined);
    void import("../folds.ts").catch(() => undefined);
    // The fold alone: a module that is named whole brings its schemas.
    void import("../../views/result.ts").then(({ resultFold }) => resultFold).catch(() => undefined);
  }, []);
  const { isBusy, failed, send } = useSaving(async () => {
    if (question.value.trim() === "") return;
    const { id } = await fetchJson<OpenedReply>("deliberations", {
      method: "POST",
      body: bodyOf(form, previous),
      headers: { "idempotency-key": crypto.randomUUID?.() ?? String(Math.random()) },
    });
    go(hrefTo(["d", id]));
  });
  // Nothing moves when they come: with a link that sets some of them, the form comes with them.
  if (settings.isOpen && !settings.Fields) return <h1>{t.ask.title}</h1>;
  return (
    <form class="ask" onSubmit={(event) => void send(event)}>
      <h1>
        <label for="question">{t.ask.title}</label>
      </h1>
      {previous !== undefined && (
        <p class="quiet">
          {t.ask.follows} <a href={hrefTo(["d", previous])}>{previous}</a>
        </p>
      )}
      <textarea
        id="question"
        rows={4}
        required
        autofocus
        dir="auto"
        placeholder={t.ask.placeholder}
        value={question.value}
        onInput={({ currentTarget }) => (question.value = currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send(event);
        }}
      />
      <fieldset class="protocols">
        <legend>{t.ask.protocol}</legend>
        {[...ASKED_BY].map(([name, { title, hint }]) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="protocol"
              checked={protocol.value === name}
              onChange={() => (protocol.value = name)}
            />
            <span>
              <strong>{title[language]}</strong>
              <span class="quiet">{hint[language]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ModelPicker chosen={models} />
      <ContextField attached={form.context} />
      <details class="settings" open={settings.isOpen} onToggle={settings.load}>
        <summary>{t.ask.more}</summary>
        {settings.Fields && <settings.Fields form={form} />}
      </details>
      {failed.value && <Refusal error={failed.value} />}
      <div class="send">
        <Estimated form={form} />
        <button type="submit" class="primary" disabled={isBusy.value || question.value.trim() === ""}>
          {isBusy.value ? t.ask.sending : t.ask.send}
        </button>
      </div>
    </form>
  );
}

/** What the question would take, or why it would be refused. */
function Estimated({ form }: { readonly form: AskForm }): VNode {
  const body = useComputed(() =>
    form.question.value.trim() === "" ? undefined : JSON.stringify(bodyOf(form, undefined)),
  );
  const said = useEstimate("estimate", body.value).value;
  return (
    <div class="estimate" role="status">
      {said instanceof Error ? (
        <p class="problem">{said.message}</p>
      ) : (
        said && <EstimateWords estimate={said} />
      )}
    </div>
  );
}

/** The fields of settings, loaded when they are opened; open from the beginning where a link has set something. */
function useSettings({ seats, values }: AskForm) {
  const isOpen = seats.peek().length > 0 || askFields.some((field) => values[field].peek() !== "");
  const isPreset = useSignal(isOpen);
  const fields = useSignal<{ readonly Fields?: typeof SettingsFields }>({});
  const load = () =>
    void import("./ask-settings.tsx")
      .then((fetched) => (fields.value = { Fields: fetched.SettingsFields }))
      .catch(() => (isPreset.value = false));
  useEffect(() => {
    if (isPreset.peek()) load();
  }, []);
  return { isOpen: isPreset.value, load, ...fields.value };
}

function useForm(): AskForm {
  const { query } = address.value;
  const preset = (name: string) => query.get(name) ?? "";
  const [usual = ""] = ASKED_BY.keys();
  const named = preset("protocol");
  const signals = askFields.map((field) => [field, useSignal(preset(field))] as const); // always the same fields, in the same order
  return {
    question: useSignal(preset("q")),
    protocol: useSignal(ASKED_BY.has(named) ? named : usual),
    models: useSignal<readonly string[]>(namesIn(preset("models"))),
    context: useSignal<readonly Attached[]>([]),
    seats: useSignal(peopleIn(preset("seats"))),
    values: Object.fromEntries(signals) as AskForm["values"], // made from all fields
  };
}
