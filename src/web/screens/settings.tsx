import type { VNode } from "preact";
import type { ConfigReply } from "../../contract/library.ts";
import { address, hrefTo } from "../address.ts";
import { useApi } from "../loaded.ts";
import { AddressChoice, AddressSearch } from "../parts/filter.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { t, wordFor } from "../strings.ts";
import type { ModelList, ModelRow } from "../../contract/figures.ts";
import { formatCount, formatMoney, formatMoment } from "../formats.ts";
import type { SessionList } from "../../contract/runs.ts";
import { fetchJson } from "../http.ts";
import { Confirm } from "../parts/confirm.tsx";

const SOURCES = ["flag", "environment", "project file", "user file", "default"] as const;

const VIEWS = ["values", "models", "sessions"] as const;

/** Every setting with its value and its source: `/settings?q=…&source=…`; models and sessions at `?view=…`. */
export function Settings(): VNode {
  const view = address.value.query.get("view");
  const shown = VIEWS.find((one) => one === view) ?? "values";
  return (
    <>
      <h1>{t.nav.settings}</h1>
      <Tabs
        label={t.nav.settings}
        tabs={VIEWS.map((one) => ({
          name: t.settings.views[one],
          href: hrefTo(["settings"], one === "values" ? {} : { view: one }),
          isCurrent: one === shown,
        }))}
      />
      <div class="view">
        {shown === "models" ? <ReachableModels /> : shown === "sessions" ? <Sessions /> : <Values />}
      </div>
    </>
  );
}

function Values(): VNode {
  const { query } = address.value;
  const config = useApi<ConfigReply>("config");
  const words = (query.get("q") ?? "").toLowerCase().trim();
  const source = query.get("source");
  return (
    <>
      <Filters />
      <Shown of={config}>
        {(reply) => {
          const all = Object.entries(reply).map(([name, { value, from }]) => ({
            name,
            from,
            text: settingText(value),
          }));
          const fitting = all.filter(
            ({ name, from, text }) =>
              (source === null || from === source) && `${name} ${text}`.toLowerCase().includes(words),
          );
          if (fitting.length === 0)
            return <Empty title={t.settings.noneFound} next={t.settings.noneFoundNext} to={["settings"]} />;
          return (
            <>
              <p class="quiet" role="status">
                {t.settings.shown({ count: formatCount(fitting.length), n: all.length })}
              </p>
              <Table
                label={t.settings.views.values}
                heads={[t.compare.setting, t.settings.value, t.settings.source]}
                rows={fitting.map(({ name, from, text }) => [
                  <code>{name}</code>,
                  text === "" ? (
                    <span class="quiet">{t.compare.notSet}</span>
                  ) : (
                    <span class="words" dir="auto">
                      {text}
                    </span>
                  ),
                  from === "default" ? (
                    <span class="quiet">{t.settings.sources[from]}</span>
                  ) : (
                    wordFor(t.settings.sources, from)
                  ),
                ])}
              />
            </>
          );
        }}
      </Shown>
      {config.loaded.value.state !== "loading" && <p class="quiet">{t.settings.readOnly}</p>}
    </>
  );
}

/** A setting's value in one text; empty where it is not set. */
function settingText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(settingText).join(", ");
  if (typeof value === "object") return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

const Filters = (): VNode => (
  <div class="filters" role="search">
    <AddressSearch label={t.runsPage.search} hint={t.settings.searchHint} />
    <AddressChoice
      name="source"
      label={t.settings.source}
      none={t.settings.everySource}
      options={SOURCES.map((one) => [one, wordFor(t.settings.sources, one)])}
    />
  </div>
);

/** The models that can be reached, with prices; and how to set up the others. */
function ReachableModels(): VNode {
  const models = useApi<ModelList>("models");
  const words = (address.value.query.get("q") ?? "").toLowerCase().trim();
  const fits = ({ ref, family }: ModelRow) => `${ref} ${family ?? ""}`.toLowerCase().includes(words);
  return (
    <Shown of={models}>
      {({ models: rows, missing }) => (
        <>
          <h2>{t.settings.modelsTitle}</h2>
          <div class="filters" role="search">
            <AddressSearch label={t.ask.find} hint={t.settings.searchHint} />
          </div>
          <p class="quiet" role="status">
            {t.models(rows.filter(fits).length)}
          </p>
          {!rows.some(fits) ? (
            <Empty
              title={rows.length === 0 ? t.settings.noModels : t.runsPage.noneFound}
              next={rows.length === 0 ? t.settings.noModelsNext : t.settings.noneFoundNext}
            />
          ) : (
            <Table
              label={t.settings.modelsTitle}
              figures={[2, 4, 5]}
              heads={[
                t.run.model,
                t.settings.family,
                t.settings.price,
                t.settings.date,
                t.settings.context,
                t.settings.longestReply,
                t.settings.can,
                t.settings.reachable,
              ]}
              rows={rows
                .filter(fits)
                .map((row) => [
                  <span dir="auto">{row.ref}</span>,
                  row.family ?? t.unknown,
                  priceOf(row.price),
                  row.price === null || typeof row.price === "string"
                    ? ""
                    : `${row.price.date} (${row.price.source})`,
                  row.context === null ? t.unknown : formatCount(row.context),
                  row.output === null ? t.unknown : formatCount(row.output),
                  row.can.map((name) => t.settings.abilities[name]).join(", ") ||
                    (row.cannot.length > 0 ? t.none : t.unknown),
                  wordFor(t.settings.reach, row.reachable),
                ])}
            />
          )}
          <h2>{t.settings.missingTitle}</h2>
          {missing.length === 0 ? (
            <p>{t.settings.noneMissing}</p>
          ) : (
            <Table
              label={t.settings.missingTitle}
              heads={[t.settings.provider, t.settings.setUp]}
              rows={missing.map(({ provider, next }) => [provider, next])}
            />
          )}
        </>
      )}
    </Shown>
  );
}

const priceOf = (price: ModelRow["price"]): string =>
  price === null
    ? t.unknown
    : price === "free"
      ? t.free
      : price === "subscription"
        ? t.subscription
        : t.settings.priceOf({ into: formatMoney(price.in), out: formatMoney(price.out) });

/** The browsers in which the reader is signed in: any can be signed out. */
function Sessions(): VNode {
  const sessions = useApi<SessionList>("sessions");
  const end = async (path: string) => {
    await fetchJson(path, { method: "DELETE" });
    sessions.again(); // of this browser's own, it asks to sign in
  };
  return (
    <>
      <Confirm
        label={t.settings.signOut}
        ask={t.settings.signOutAsk}
        yes={t.settings.signOut}
        act={() => end("session")}
      />
      <Shown of={sessions}>
        {({ data }) => (
          <Table
            label={t.settings.views.sessions}
            heads={[t.settings.browser, t.settings.since, t.settings.until, ""]}
            rows={data.map(({ id, name, createdAt, until, current }) => [
              <span dir="auto">{name}</span>,
              formatMoment(createdAt),
              until === null ? "" : formatMoment(until),
              current ? (
                t.settings.thisBrowser
              ) : (
                <Confirm
                  {...{ label: t.settings.end, ask: t.settings.endAsk, yes: t.settings.end }}
                  act={() => end(`sessions/${id}`)}
                />
              ),
            ])}
          />
        )}
      </Shown>
    </>
  );
}
