import { useComputed, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ForkEstimate } from "../../contract/figures.ts";
import type { Catalog } from "../../contract/library.ts";
import type { OpenedReply } from "../../contract/runs.ts";
import { callOf, isEvent, isVoice, type Opening } from "../../kernel/index.ts";
import { address, go, hrefTo, hrefWith } from "../address.ts";
import type { ShownRun } from "../run.ts";
import { entriesUpTo } from "../folds.ts";
import { formatCount } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { useApi, useSaving } from "../loaded.ts";
import { namesIn, toggle } from "../lists.ts";
import { EstimateWords, useEstimate } from "../parts/estimate.tsx";
import { Check, Field } from "../parts/field.tsx";
import { isolatedNamesOf } from "../parts/isolated-names.ts";
import { Failure, Refusal } from "../parts/states.tsx";
import { t } from "../strings.ts";

// FORK-VIEW-1. What changes stands in the address; what it costs at most is shown before it can be started.

/** The changes, by their names in the address and in a request. */
const CHANGES = ["strategy", "mode", "effort", "chair", "without", "maxCostUsd"] as const;
type Change = (typeof CHANGES)[number];

/** Runs again with changes: what they do not affect is reused. */
export function Fork({ shown }: { readonly shown: ShownRun }): VNode | null {
  const { run, at } = shown;
  const opening = shown.entries.value.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const heading = useRef<HTMLHeadingElement>(null);
  const body = useComputed(() => JSON.stringify(forkBody(address.value.query, at.value)));
  const path = `deliberations/${encodeURIComponent(run.id)}/fork`;
  const said = useEstimate<ForkEstimate>(`${path}/estimate`, body.value);
  useEffect(() => heading.current?.focus(), []);
  if (!opening) return null;
  return (
    <section class="fork">
      <h2 ref={heading} tabIndex={-1}>
        {t.run.again}
      </h2>
      <p class="quiet">{t.replay.forkHint}</p>
      {at.value !== undefined && (
        <p>
          {t.run.forkUpTo(formatCount(at.value))} <a href={hrefWith({ at: undefined })}>{t.run.forkAll}</a>
        </p>
      )}
      <Changes opening={opening} />
      <Cost shown={shown} said={said} />
      <Start path={path} body={body.value} said={said} />
    </section>
  );
}

/** What is sent: changes that say something, as the service takes them. */
function forkBody(query: URLSearchParams, upToSeq: number | undefined): object {
  const given = CHANGES.flatMap((name): [string, unknown][] => {
    const value = query.get(name)?.trim() ?? "";
    if (value === "") return [];
    if (name === "chair" || name === "without") return [[name, namesIn(value)]];
    return [[name, name === "effort" || name.startsWith("max") ? Number(value) : value]];
  });
  return { ...Object.fromEntries(given), ...(upToSeq === undefined ? {} : { upToSeq }) };
}

const putChange = (name: Change, value: string): void => go(hrefWith({ [name]: value }), { replace: true });
const valueOf = (name: Change): string => address.value.query.get(name) ?? "";

function Changes({ opening }: { readonly opening: Opening }): VNode {
  const { settings, participants, budget } = opening;
  const strategies = useApi<Catalog>("strategy" in settings ? "strategies" : undefined).loaded.value;
  const names = strategies.state === "ready" ? strategies.value.data.map(({ name }) => name) : [];
  const members = participants.filter(isVoice);
  const nameOf = isolatedNamesOf(participants.map(({ id, persona }) => ({ id, name: persona.name })));
  const left = namesIn(valueOf("without"));
  const chairs = participants.filter(({ seat }) => seat === "chair").map(({ model }) => model);
  const strategy = settings["strategy"] as { readonly name?: string } | string | undefined; // by councils a record, by others a name
  return (
    <div class="fields">
      {"strategy" in settings && (
        <Choice
          name="strategy"
          label={t.ask.strategy}
          now={typeof strategy === "string" ? strategy : strategy?.name}
          options={names.map((name) => [name, name])}
        />
      )}
      {"mode" in settings && (
        <Choice
          name="mode"
          label={t.ask.mode}
          now={wordsOf(settings["mode"])}
          options={(["consensus", "vote"] as const).map((name) => [name, t.ask.modes[name]])}
        />
      )}
      {"effort" in settings && (
        <Choice
          name="effort"
          label={`${t.ask.effort} (${t.ask.effortHint})`}
          now={wordsOf(settings["effort"])}
          options={["1", "2", "3", "4", "5"].map((value) => [value, value])}
        />
      )}
      {chairs.length > 0 && (
        <Text name="chair" label={t.ask.chair} hint={t.run.chairHint} now={chairs.join(", ")} />
      )}
      <Text
        name="maxCostUsd"
        label={t.ask.maxCost}
        now={budget.usd === undefined ? "" : String(budget.usd)}
      />
      {members.length > 1 && (
        <fieldset>
          <legend>{t.run.withoutMember}</legend>
          {members.map(({ id }) => (
            <Check
              key={id}
              label={nameOf(id)}
              isChecked={left.includes(id)}
              change={() => putChange("without", toggle(left, id).join(","))}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}

type FieldProps = { readonly name: Change; readonly label: string; readonly now: string | undefined };

const Choice = ({
  name,
  label,
  now = "",
  options,
}: FieldProps & { readonly options: readonly (readonly [value: string, words: string])[] }): VNode => (
  <Field label={label}>
    <select value={valueOf(name)} onChange={({ currentTarget }) => putChange(name, currentTarget.value)}>
      <option value="">
        {t.run.unchangedSetting}: {options.find(([value]) => value === now)?.[1] ?? now}
      </option>
      {options
        .filter(([value]) => value !== now)
        .map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
    </select>
  </Field>
);

const Text = ({ name, label, hint, now = "" }: FieldProps & { readonly hint?: string }): VNode => (
  <Field label={label} hint={hint}>
    <input
      type="text"
      autocomplete="off"
      placeholder={now}
      value={valueOf(name)}
      onChange={({ currentTarget }) => putChange(name, currentTarget.value)}
    />
  </Field>
);

type Said = Signal<ForkEstimate | Error | undefined>;

/** What it takes, and what of it can be reused. */
function Cost({ shown, said }: { readonly shown: ShownRun; readonly said: Said }): VNode {
  const now = said.value;
  if (now === undefined)
    return (
      <p class="quiet" role="status">
        {t.ask.estimating}
      </p>
    );
  if (now instanceof Error) return <Failure error={now} />;
  const recorded = entriesUpTo(shown.run.entries, shown.at.value).filter(
    (entry) => entry.origin.by !== "reactor" && callOf(entry),
  ).length;
  return (
    <div role="status">
      <EstimateWords estimate={now} />
      {now.total && <p class="quiet">{t.run.forkWhole}</p>}
      <p class="quiet">
        {t.run.forkReuses({ reused: formatCount(now.reusable), recorded: formatCount(recorded) })}
      </p>
    </div>
  );
}

type StartProps = { readonly path: string; readonly body: string; readonly said: Said };

function Start({ path, body, said }: StartProps): VNode {
  // The same changes, sent twice from here, are one fork.
  const name = useMemo(() => crypto.randomUUID?.() ?? String(Math.random()), [path, body]);
  const isReady = said.value !== undefined && !(said.value instanceof Error);
  const { isBusy, failed, send } = useSaving(async () => {
    const { id } = await fetchJson<OpenedReply>(path, {
      ...{ method: "POST", body: JSON.parse(body), headers: { "idempotency-key": name } },
    });
    go(hrefTo(["d", id]));
  });
  return (
    <>
      {failed.value && <Refusal error={failed.value} />}
      <p>
        <button
          type="button"
          class="primary"
          disabled={isBusy.value || !isReady}
          onClick={(event) => void send(event)}
        >
          {isBusy.value ? t.run.forkStarting : t.replay.forkStart}
        </button>
      </p>
    </>
  );
}

/** A setting that is a word or a number. */
const wordsOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
