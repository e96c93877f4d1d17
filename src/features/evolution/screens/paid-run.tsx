import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { OpenedReply } from "../../../contract/runs.ts";
import { go, hrefTo } from "../../../web/address.ts";
import { formatMoney } from "../../../web/formats.ts";
import { fetchJson } from "../../../web/http.ts";
import { namesIn } from "../../../web/lists.ts";
import { t } from "../../../web/strings.ts";
import { words } from "../words.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";
import { Check, NumberField, TextField } from "../../../web/parts/field.tsx";

/** Who works in a run of a persona, and the most that it may take. */
export type RunLimits = {
  readonly models: Signal<string>;
  readonly maxCalls: Signal<string>;
  readonly maxCostUsd: Signal<string>;
  readonly again: Signal<boolean>;
};

export const useRunLimits = (maxCalls: number): RunLimits => ({
  models: useSignal(""),
  maxCalls: useSignal(String(maxCalls)),
  maxCostUsd: useSignal(""),
  again: useSignal(false),
});

export function LimitFields({ limits }: { readonly limits: RunLimits }): VNode {
  const { models, maxCalls, maxCostUsd, again } = limits;
  return (
    <>
      <div class="fields">
        <TextField label={words.models} hint={words.modelsHint} value={models} />
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
export function StartRun({ label, path, body, limits }: StartProps): VNode {
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
    usd === undefined ? words.costsCalls(t.calls(calls)) : words.costs(t.calls(calls), formatMoney(usd));
  return <Confirm label={label} ask={ask} yes={words.start} act={start} />;
}
