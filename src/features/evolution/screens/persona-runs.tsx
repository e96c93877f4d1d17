import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { PersonaEntry, CatalogRow } from "../../../contract/library.ts";
import { Field, TextField, Check, NumberField } from "../../../web/parts/field.tsx";
import { words } from "../words/index.ts";
import { readTasks } from "./trial.ts";
import type { OpenedReply } from "../../../contract/runs.ts";
import { go, hrefTo, address, hrefWith } from "../../../web/address.ts";
import { formatMoney } from "../../../web/formats.ts";
import { fetchJson } from "../../../web/http.ts";
import { namesIn, toggle } from "../../../web/lists.ts";
import { t } from "../../../web/strings.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";

/** Answers of three for 150 questions, and comparisons of a judge with two rivals in both orders. */
const MAX_CALLS = 150 * (3 + 4);

/** A bred persona's trial: against which parent, on which questions, and what it may cost. */
export function Trial({ persona: { id, lineage } }: { readonly persona: PersonaEntry }): VNode {
  const parents = lineage?.parents.map((parent) => parent.id) ?? [];
  const against = useSignal(parents[0] ?? "");
  const tasks = useSignal("");
  const judges = useSignal("");
  const limits = useRunLimits(MAX_CALLS);
  const judge = namesIn(judges.value);
  const body = () => {
    const read = readTasks(tasks.value);
    return {
      against: against.value,
      ...(read.length === 0 ? {} : { tasks: read }),
      ...(judge.length === 0 ? {} : { judge }),
    };
  };
  return (
    <details class="part">
      <summary>
        <h2>{words.trialTitle}</h2>
      </summary>
      <p class="quiet">{words.trialHint}</p>
      <Field label={words.parents} size="narrow">
        <select value={against.value} onChange={({ currentTarget }) => (against.value = currentTarget.value)}>
          {parents.map((parent) => (
            <option key={parent} value={parent}>
              {parent}
            </option>
          ))}
        </select>
      </Field>
      <Field label={words.tasks} hint={words.tasksHint}>
        <textarea
          rows={4}
          dir="auto"
          value={tasks.value}
          onInput={({ currentTarget }) => (tasks.value = currentTarget.value)}
        />
      </Field>
      <TextField label={words.judge} size="narrow" value={judges} />
      <LimitFields limits={limits} />
      <div class="decide">
        <StartRun
          label={words.trial}
          path={`personas/${encodeURIComponent(id)}/trial`}
          body={body}
          limits={limits}
        />
      </div>
    </details>
  );
}

/** Who works in a run of a persona, and the most that it may take. */
type RunLimits = {
  readonly models: Signal<string>;
  readonly maxCalls: Signal<string>;
  readonly maxCostUsd: Signal<string>;
  readonly again: Signal<boolean>;
};

const useRunLimits = (maxCalls: number): RunLimits => ({
  models: useSignal(""),
  maxCalls: useSignal(String(maxCalls)),
  maxCostUsd: useSignal(""),
  again: useSignal(false),
});

function LimitFields({ limits }: { readonly limits: RunLimits }): VNode {
  const { models, maxCalls, maxCostUsd, again } = limits;
  return (
    <>
      <div class="fields">
        <TextField label={t.ask.models} hint={words.modelsHint} value={models} />
        <NumberField label={words.maxCalls} value={maxCalls} min={1} />
        <NumberField label={words.maxCost} value={maxCostUsd} min={0} step="any" />
      </div>
      <Check label={words.again} isChecked={again.value} change={(isChecked) => (again.value = isChecked)} />
    </>
  );
}

type StartProps = {
  readonly label: string;
  readonly path: string;
  /** The request without who works and what it may take. */
  readonly body: () => object;
  readonly limits: RunLimits;
};

/** Says what a run may cost at most, asks once, opens it, and goes to it. */
function StartRun({ label, path, body, limits }: StartProps): VNode {
  const calls = Math.max(1, Math.floor(Number(limits.maxCalls.value)) || 1);
  const usd = limits.maxCostUsd.value === "" ? undefined : Number(limits.maxCostUsd.value);
  const models = namesIn(limits.models.value);
  const start = async () => {
    const { id } = await fetchJson<OpenedReply>(path, {
      method: "POST",
      body: {
        ...body(),
        maxCalls: calls,
        ...(usd === undefined ? {} : { maxCostUsd: usd }),
        ...(models.length === 0 ? {} : { models }),
        ...(limits.again.value ? { again: true } : {}),
      },
      headers: { "idempotency-key": crypto.randomUUID?.() ?? String(Math.random()) },
    });
    go(hrefTo(["d", id]));
  };
  const ask =
    usd === undefined
      ? words.costsCalls(t.calls(calls))
      : words.costs({ calls: t.calls(calls), usd: formatMoney(usd) });
  return <Confirm label={label} ask={ask} yes={words.start} act={start} />;
}

/** One call writes a child, and repairs of its reply may follow. */
const USUAL_CALLS = 6;

/** Two or three parents, a name, who writes the child, and what that may cost. The parents stand in the address. */
export function Breed({ personas }: { readonly personas: readonly CatalogRow[] }): VNode {
  const given = address.value.query.get("breed");
  const parents = (given ?? "").split(",").filter((id) => personas.some(({ name }) => name === id));
  const name = useSignal("");
  const limits = useRunLimits(USUAL_CALLS);
  const isReady = parents.length === 2 || parents.length === 3;
  return (
    <details class="part" open={given !== null}>
      <summary>
        <h2>{words.breedTitle}</h2>
      </summary>
      <p class="quiet">{words.breedHint}</p>
      <fieldset>
        <legend>{words.parents}</legend>
        {personas.map((one) => (
          <Check
            key={one.name}
            label={one.name}
            isChecked={parents.includes(one.name)}
            change={() => go(hrefWith({ breed: toggle(parents, one.name).join(",") }), { replace: true })}
          />
        ))}
      </fieldset>
      <TextField
        label={words.childName}
        hint={words.childNameHint}
        size="narrow"
        value={name}
        maxLength={80}
      />
      <LimitFields limits={limits} />
      <div class="decide">
        {isReady ? (
          <StartRun
            label={words.breed}
            path="personas/breed"
            body={() => ({ parents, ...(name.value.trim() === "" ? {} : { name: name.value.trim() }) })}
            limits={limits}
          />
        ) : (
          <p role="status">{words.parentsWrong}</p>
        )}
      </div>
    </details>
  );
}
