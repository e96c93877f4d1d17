import type { VNode } from "preact";
import { address, hrefTo } from "../address.ts";
import { useApi } from "../loaded.ts";
import { AddressChoice, AddressSearch } from "../parts/filter.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { ConfigReply } from "../replies.ts";
import { t } from "../strings.ts";
import { ReachableModels } from "./settings-models.tsx";

const SOURCES = ["flag", "environment", "project file", "user file", "default"] as const;

/** Every setting with its value and its source: `/settings?q=…&source=…`; models at `?view=models`. */
export function Settings(): VNode {
  const isModels = address.value.query.get("view") === "models";
  return (
    <>
      <h1>{t.settings.title}</h1>
      <Tabs
        label={t.settings.title}
        tabs={[
          { name: t.settings.views.values, href: hrefTo(["settings"]), isCurrent: !isModels },
          {
            name: t.settings.views.models,
            href: hrefTo(["settings"], { view: "models" }),
            isCurrent: isModels,
          },
        ]}
      />
      <div class="view">{isModels ? <ReachableModels /> : <Values />}</div>
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
            text: written(value),
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
                {t.settings.shown(fitting.length, all.length)}
              </p>
              <Table
                label={t.settings.views.values}
                heads={[t.settings.name, t.settings.value, t.settings.source]}
                rows={fitting.map(({ name, from, text }) => [
                  <code>{name}</code>,
                  text === "" ? (
                    <span class="quiet">{t.settings.none}</span>
                  ) : (
                    <span class="words" dir="auto">
                      {text}
                    </span>
                  ),
                  from === "default" ? (
                    <span class="quiet">{t.settings.sources[from]}</span>
                  ) : (
                    (t.settings.sources[from] ?? from)
                  ),
                ])}
              />
            </>
          );
        }}
      </Shown>
      {config.loaded.value.state !== "loading" && <Closing />}
    </>
  );
}

const Closing = (): VNode => (
  <>
    <p class="quiet">{t.settings.readOnly}</p>
    <h2>{t.settings.later}</h2>
    <ul class="plain-list">
      {[t.nav.keys, t.nav.members, t.settings.quotas, t.settings.audit].map((name) => (
        <li key={name}>
          {name} <span class="quiet">{t.shell.later}</span>
        </li>
      ))}
    </ul>
  </>
);

/** A setting's value in one text; empty where it is not set. */
function written(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(written).join(", ");
  if (typeof value === "object") return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

const Filters = (): VNode => (
  <div class="filters" role="search">
    <AddressSearch label={t.settings.search} hint={t.settings.searchHint} />
    <AddressChoice
      name="source"
      label={t.settings.source}
      none={t.settings.everySource}
      options={SOURCES.map((one) => [one, t.settings.sources[one] ?? one])}
    />
  </div>
);
