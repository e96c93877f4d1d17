import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { address, go, hrefTo } from "../address.ts";
import { formatMoney } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Refusal } from "../parts/refusal.tsx";
import type { CatalogReply, EstimateReply, OpenedReply } from "../replies.ts";
import { t } from "../strings.ts";
import { ContextField, type Attached } from "./ask-context.tsx";
import { ModelPicker } from "./ask-models.tsx";

const PROTOCOLS = ["ask", "council", "debate", "respond"] as const;
type Protocol = (typeof PROTOCOLS)[number];
/** The settings of a form, by their names in a request, and the protocols that take them. */
const FIELDS = {
  strategy: ["ask", "council"],
  effort: ["ask"],
  mode: ["council"],
  chair: ["ask", "council"],
  rounds: ["debate"],
  maxCostUsd: PROTOCOLS,
  seed: PROTOCOLS,
  pack: ["ask", "council"],
} as const satisfies { readonly [field: string]: readonly Protocol[] };
type Field = keyof typeof FIELDS;
const fields = Object.keys(FIELDS) as Field[];
const ESTIMATE_AFTER_MS = 600;

type Form = {
  readonly question: Signal<string>;
  readonly protocol: Signal<Protocol>;
  readonly models: Signal<readonly string[]>;
  readonly context: Signal<readonly Attached[]>;
  readonly seats: Signal<string>;
  readonly values: { readonly [field in Field]: Signal<string> };
};

/** Where a question is put. What it is asked with can stand in the address: `/?q=…&models=…`. */
export function Ask(): VNode {
  const form = useForm();
  const { question, protocol, models } = form;
  const sending = useSignal(false);
  const failed = useSignal<Error | undefined>(undefined);
  const previous = address.value.query.get("previous") ?? undefined;
  // What reads a run and shows its answer as Markdown comes while the question is written.
  useEffect(() => {
    void import("../parts/elements.tsx").catch(() => undefined);
    // The fold alone: a module that is named whole brings its schemas.
    void import("../../views/result.ts").then(({ resultFold }) => resultFold).catch(() => undefined);
  }, []);
  const send = async (event: Event) => {
    event.preventDefault();
    if (question.value.trim() === "" || sending.value) return;
    sending.value = true;
    failed.value = undefined;
    try {
      const { id } = await fetchJson<OpenedReply>("deliberations", {
        method: "POST",
        body: bodyOf(form, previous),
        headers: { "idempotency-key": crypto.randomUUID?.() ?? String(Math.random()) },
      });
      go(hrefTo(["d", id]));
    } catch (error) {
      failed.value = error as Error; // fetchJson throws errors
    }
    sending.value = false;
  };
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
        {PROTOCOLS.map((name) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="protocol"
              checked={protocol.value === name}
              onChange={() => (protocol.value = name)}
            />
            <span>
              <strong>{t.ask.protocols[name][0]}</strong>
              <span class="quiet">{t.ask.protocols[name][1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ModelPicker chosen={models} />
      <ContextField attached={form.context} />
      <MoreSettings form={form} />
      {failed.value && <Refusal error={failed.value} />}
      <div class="send">
        <Estimated form={form} />
        <button type="submit" class="primary" disabled={sending.value || question.value.trim() === ""}>
          {sending.value ? t.ask.sending : t.ask.send}
        </button>
      </div>
    </form>
  );
}

function useForm(): Form {
  const { query } = address.value;
  const preset = (name: string) => query.get(name) ?? "";
  const named = PROTOCOLS.find((one) => one === preset("protocol")) ?? "ask";
  const signals = fields.map((field) => [field, useSignal(preset(field))] as const); // always the same fields, in the same order
  return {
    question: useSignal(preset("q")),
    protocol: useSignal<Protocol>(named),
    models: useSignal<readonly string[]>(preset("models").split(",").filter(Boolean)),
    context: useSignal<readonly Attached[]>([]),
    seats: useSignal(preset("seats")),
    values: Object.fromEntries(signals) as Form["values"], // made from all fields
  };
}

/** What is sent: fields that are empty, or that the protocol does not take, are left out. */
function bodyOf(
  { question, protocol, models, context, seats, values }: Form,
  previous: string | undefined,
): object {
  const numbers: readonly Field[] = ["effort", "rounds", "maxCostUsd"];
  const formatted = (field: Field, value: string) =>
    numbers.includes(field)
      ? Number(value)
      : field === "chair"
        ? value.split(",").map((one) => one.trim())
        : value;
  const given = fields.flatMap((field) => {
    const value = values[field].value.trim();
    const fits = (FIELDS[field] as readonly Protocol[]).includes(protocol.value);
    return value === "" || !fits ? [] : [[field, formatted(field, value)] as const];
  });
  const people = seats.value
    .split(",")
    .map((one) => one.trim().split(":"))
    .flatMap(([name = "", seat = ""]) => (name && seat ? [{ name, seat }] : []));
  return {
    question: question.value,
    protocol: protocol.value,
    ...(models.value.length > 0 ? { models: models.value } : {}),
    ...(context.value.length > 0 ? { context: context.value } : {}),
    ...(people.length > 0 ? { seats: people } : {}),
    ...(previous === undefined ? {} : { previous }),
    ...Object.fromEntries(given),
  };
}

/** What the question would take at most, once nothing is typed any more. */
function Estimated({ form }: { readonly form: Form }): VNode {
  const said = useSignal<EstimateReply | Error | undefined>(undefined);
  const body = useComputed(() => JSON.stringify(bodyOf(form, undefined)));
  const isEmpty = form.question.value.trim() === "";
  useEffect(() => {
    if (isEmpty) return;
    const end = new AbortController();
    const timer = setTimeout(() => {
      fetchJson<EstimateReply>("estimate", {
        method: "POST",
        body: JSON.parse(body.value),
        signal: end.signal,
      }).then(
        (estimate) => (said.value = estimate),
        (error: unknown) => (end.signal.aborted ? undefined : (said.value = error as Error)),
      );
    }, ESTIMATE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [body.value, isEmpty]);
  const now = said.value;
  if (isEmpty || now === undefined) return <p class="quiet" role="status" />;
  if (now instanceof Error)
    return (
      <p class="quiet" role="status">
        {now.message}
      </p>
    );
  const { total, unpriced } = now;
  return (
    <p class="quiet" role="status">
      {total &&
        t.ask.estimate(
          t.calls(total.calls.high),
          t.tokens(total.tokens.high),
          formatMoney(total.usd?.high ?? null),
        )}
      {unpriced.length > 0 && ` ${t.ask.unpriced(unpriced.join(", "))}`}
    </p>
  );
}

function MoreSettings({ form }: { readonly form: Form }): VNode {
  const { values, protocol, seats } = form;
  const takes = (field: Field) => (FIELDS[field] as readonly Protocol[]).includes(protocol.value);
  const isPreset = fields.some((field) => values[field].peek() !== "");
  const strategies = useApi<CatalogReply>("strategies").loaded;
  const packs = useApi<CatalogReply>("packs").loaded;
  const rowsOf = ({ value }: typeof strategies) => (value.state === "ready" ? value.value.data : []);
  return (
    <details class="settings" open={isPreset}>
      <summary>{t.ask.more}</summary>
      <div class="fields">
        {takes("strategy") && (
          <Choice label={t.ask.strategy} value={values.strategy} options={rowsOf(strategies)} />
        )}
        {takes("pack") && <Choice label={t.ask.pack} value={values.pack} options={rowsOf(packs)} />}
        {takes("mode") && (
          <Choice
            label={t.ask.mode}
            value={values.mode}
            options={(["consensus", "vote"] as const).map((name) => ({
              name,
              description: t.ask.modes[name],
            }))}
          />
        )}
        {takes("effort") && (
          <Text label={t.ask.effort} hint={t.ask.effortHint} value={values.effort} type="number" most={5} />
        )}
        {takes("rounds") && <Text label={t.ask.rounds} value={values.rounds} type="number" most={20} />}
        {takes("chair") && <Text label={t.ask.chair} value={values.chair} type="text" />}
        <Text label={t.ask.maxCost} value={values.maxCostUsd} type="text" />
        <Text label={t.ask.seed} value={values.seed} type="text" />
        <Text label={t.ask.seats} hint={t.ask.seatsHint} value={seats} type="text" />
      </div>
    </details>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: Signal<string>;
  readonly options: readonly { readonly name: string; readonly description: string }[];
};

const Choice = ({ label, value, options }: ChoiceProps): VNode => (
  <label class="field">
    <span>{label}</span>
    <select value={value.value} onChange={({ currentTarget }) => (value.value = currentTarget.value)}>
      <option value="">{t.ask.strategyDefault}</option>
      {options.map(({ name, description }) => (
        <option key={name} value={name} title={description}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

type TextProps = {
  readonly label: string;
  readonly hint?: string;
  readonly value: Signal<string>;
  readonly type: "text" | "number";
  readonly most?: number;
};

const Text = ({ label, hint, value, type, most }: TextProps): VNode => (
  <label class="field">
    <span>
      {label} {hint !== undefined && <span class="quiet">{hint}</span>}
    </span>
    {type === "number" ? (
      <input
        type="number"
        min={1}
        max={most}
        value={value.value}
        onInput={({ currentTarget }) => (value.value = currentTarget.value)}
      />
    ) : (
      <input
        type="text"
        autocomplete="off"
        value={value.value}
        onInput={({ currentTarget }) => (value.value = currentTarget.value)}
      />
    )}
  </label>
);
