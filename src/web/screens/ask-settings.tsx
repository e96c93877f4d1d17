import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { Catalog, CatalogRow } from "../../contract/library.ts";
import type { PanelSeat } from "../feature.ts";
import { namesIn, toggle } from "../lists.ts";
import { useApi } from "../loaded.ts";
import { Check, Field, NumberField, TextField } from "../parts/field.tsx";
import { t } from "../strings.ts";
import { seatsFor, takesField, type AskForm, type FormField, type InvitedPerson } from "./ask-form.ts";

/** What a question can be asked with beside its models. */
export function SettingsFields({ form }: { readonly form: AskForm }): VNode {
  const { values, protocol, seats } = form;
  const takes = (field: FormField) => takesField(protocol.value, field);
  const strategies = useCatalog("strategies");
  const packs = useCatalog("packs");
  const personas = useCatalog("personas");
  return (
    <>
      <div class="fields">
        {takes("strategy") && <Choice label={t.ask.strategy} value={values.strategy} options={strategies} />}
        {takes("pack") && <Choice label={t.ask.pack} value={values.pack} options={packs} />}
        {takes("mode") && (
          <Choice
            label={t.ask.mode}
            value={values.mode}
            options={optionsOf(["consensus", "vote"] as const, t.ask.modes)}
          />
        )}
        {takes("effort") && (
          <NumberField label={t.ask.effort} hint={t.ask.effortHint} value={values.effort} min={1} max={5} />
        )}
        {takes("rounds") && <NumberField label={t.ask.rounds} value={values.rounds} min={1} max={20} />}
        {takes("until") && (
          <Choice
            label={t.ask.until}
            value={values.until}
            options={optionsOf(["fixed", "convergence", "quality"] as const, t.ask.untils)}
          />
        )}
        {takes("chair") && <TextField label={t.ask.chair} value={values.chair} />}
        <TextField label={t.ask.maxCost} value={values.maxCostUsd} />
        <TextField label={t.ask.seed} value={values.seed} />
      </div>
      {takes("clarify") && (
        <Check
          label={t.ask.clarify}
          isChecked={values.clarify.value === "true"}
          change={(isChecked) => (values.clarify.value = isChecked ? "true" : "")}
        />
      )}
      {takes("personas") && <Personas value={values.personas} options={personas} />}
      <SeatsField protocol={protocol.value} seats={seats} />
    </>
  );
}

function useCatalog(kind: "strategies" | "packs" | "personas"): readonly CatalogRow[] {
  const { value } = useApi<Catalog>(kind).loaded;
  return value.state === "ready" ? value.value.data : [];
}

type Option = Pick<CatalogRow, "name" | "description">;

const optionsOf = <Name extends string>(
  names: readonly Name[],
  words: { readonly [name in Name]: string },
): readonly (Option & { readonly label: string })[] =>
  names.map((name) => ({ name, label: words[name], description: "" }));

/** The members' personas, in the order in which they were chosen. */
function Personas({
  value,
  options,
}: {
  readonly value: Signal<string>;
  readonly options: readonly Option[];
}): VNode {
  const chosen = namesIn(value.value);
  const unlisted = chosen.filter((name) => !options.some((one) => one.name === name));
  return (
    <fieldset>
      <legend>
        {t.ask.personas}{" "}
        <span class="quiet">{chosen.length === 0 ? t.ask.personasHint : chosen.join(", ")}</span>
      </legend>
      {[...options, ...unlisted.map((name) => ({ name, description: "" }))].map(({ name, description }) => (
        <Check
          key={name}
          label={name}
          title={description}
          isChecked={chosen.includes(name)}
          change={() => (value.value = toggle(chosen, name).join(","))}
        />
      ))}
    </fieldset>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: Signal<string>;
  readonly options: readonly (Option & { readonly label?: string })[];
};

const Choice = ({ label, value, options }: ChoiceProps): VNode => (
  <Field label={label}>
    <select value={value.value} onChange={({ currentTarget }) => (value.value = currentTarget.value)}>
      <option value="">{t.ask.strategyDefault}</option>
      {options.map(({ name, label: words = name, description }) => (
        <option key={name} value={name} title={description}>
          {words}
        </option>
      ))}
    </select>
  </Field>
);

type SeatsProps = { readonly protocol: string; readonly seats: Signal<readonly InvitedPerson[]> };

/** Who takes part beside the models, a row each. */
function SeatsField({ protocol, seats }: SeatsProps): VNode | null {
  const open = seatsFor(protocol);
  if (open.length === 0) return null;
  const change = (at: number, to: Partial<InvitedPerson>) =>
    (seats.value = seats.value.map((one, index) => (index === at ? { ...one, ...to } : one)));
  return (
    <fieldset class="people">
      <legend>
        {t.ask.seats} <span class="quiet">{t.ask.seatsHint}</span>
      </legend>
      {seats.value.map(({ name, seat }, index) => (
        <p key={index} class="person-row">
          <input
            type="text"
            autocomplete="off"
            aria-label={t.ask.seatName}
            placeholder={t.ask.seatName}
            value={name}
            onInput={({ currentTarget }) => change(index, { name: currentTarget.value.trim() })}
          />
          <select
            aria-label={t.ask.seat}
            value={seat}
            onChange={({ currentTarget }) => change(index, { seat: currentTarget.value })}
          >
            {[...new Set<string>([...open, seat])].map((one) => (
              <option key={one} value={one}>
                {t.ask.seatNames[one as PanelSeat] ?? one}
              </option>
            ))}
          </select>
          <button
            type="button"
            aria-label={t.ask.remove(name || t.ask.seat)}
            onClick={() => (seats.value = seats.value.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </p>
      ))}
      <button
        type="button"
        onClick={() => (seats.value = [...seats.value, { name: "", seat: open[0] ?? "member" }])}
      >
        {t.ask.seatAdd}
      </button>
    </fieldset>
  );
}
