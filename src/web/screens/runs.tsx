import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { features } from "../../features-web.ts";
import type { ListedRun } from "../../contract/runs.ts";
import { address, hrefTo, hrefWith } from "../address.ts";
import { formatAgo } from "../formats.ts";
import { withQuery } from "../http.ts";
import { actOnKeys } from "../keys.ts";
import { toggle } from "../lists.ts";
import { usePages } from "../loaded.ts";
import { AddressChoice, AddressSearch, SinceChoice } from "../parts/filter.tsx";
import { Empty, Failure, Loading, More } from "../parts/states.tsx";
import { t } from "../strings.ts";
import { conversationsOf } from "./conversations.ts";

const FILTERS = ["q", "status", "protocol", "since", "series"] as const;
const STATUSES = [
  "answered",
  "answered-degraded",
  "waiting",
  "open",
  "inconclusive",
  "stopped-by-budget",
  "failed",
  "cancelled",
] as const;
const PROTOCOLS = features.flatMap(({ runs = {} }) => Object.keys(runs));

/** All runs, newest first, the turns of a conversation together, with search; two of them can be compared. */
export function Runs(): VNode {
  const { query } = address.value;
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  const path = (after?: string) => withQuery("deliberations", { ...filter, limit: 50, after });
  const pages = usePages<ListedRun>(path);
  const { rows, failed, more } = pages;
  const picked = useSignal<readonly string[]>([]);
  const choice = {
    picked: picked.value,
    pick: (id: string) => (picked.value = toggle(picked.value, id).slice(-2)), // two are compared
  };
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => actOnKeys({ j: () => step(list.current, 1), k: () => step(list.current, -1) }), []);
  const isFiltered = FILTERS.some((name) => query.has(name));
  return (
    <>
      <h1>{t.runsPage.title}</h1>
      <Filters />
      {failed.value && <Failure error={failed.value} again={more} />}
      {rows.value === undefined ? (
        failed.value === undefined && <Loading />
      ) : rows.value.length === 0 ? (
        <Empty
          title={isFiltered ? t.runsPage.noneFound : t.runsPage.empty}
          next={t.runsPage.emptyNext}
          to={[]}
        />
      ) : (
        <ul class="runs" ref={list}>
          {conversationsOf(rows.value, { isOne: query.has("series") }).map(([newest, ...earlier]) => (
            <li key={newest.id}>
              <RunRow run={newest} {...choice} />
              {earlier.length > 0 && <EarlierRuns newest={newest} runs={earlier} {...choice} />}
            </li>
          ))}
        </ul>
      )}
      {picked.value.length === 2 && (
        <p class="floating">
          <a class="button primary" href={hrefTo(["compare"], { a: picked.value[0], b: picked.value[1] })}>
            {t.runsPage.compare}
          </a>
        </p>
      )}
      <More pages={pages} />
    </>
  );
}

/** Moves the focus from one run's link to the next. */
function step(list: HTMLUListElement | null, by: 1 | -1): void {
  const all = [...(list?.querySelectorAll<HTMLAnchorElement>("a.run-link") ?? [])];
  const links = all.filter((link) => !link.closest("details:not([open])"));
  const now = links.findIndex((link) => link === document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, now < 0 ? 0 : now + by))]?.focus();
}

type PickProps = { readonly picked: readonly string[]; readonly pick: (id: string) => void };

function RunRow({
  run: { id, question, protocol, status, openedAt },
  picked,
  pick,
}: PickProps & { readonly run: ListedRun }): VNode {
  return (
    <div class="run-row">
      <input
        type="checkbox"
        aria-label={t.runsPage.select(question)}
        checked={picked.includes(id)}
        onChange={() => pick(id)}
      />
      <div>
        <a class="run-link" href={hrefTo(["d", id])} dir="auto">
          {question}
        </a>
        <p class="quiet">
          <span class={`state ${status}`}>{t.run.status[status] ?? status}</span> · {protocol} ·{" "}
          <time dateTime={openedAt}>{formatAgo(openedAt)}</time>
        </p>
      </div>
    </div>
  );
}

type EarlierProps = PickProps & { readonly newest: ListedRun; readonly runs: readonly ListedRun[] };

/** What was asked before in the same conversation, as far as it is listed. */
function EarlierRuns({ newest, runs, ...choice }: EarlierProps): VNode {
  return (
    <details class="earlier-runs">
      <summary>{t.runsPage.earlier(runs.length)}</summary>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} {...choice} />
      ))}
      <a href={hrefTo(["runs"], { series: newest.series ?? newest.id })}>{t.runsPage.conversation}</a>
    </details>
  );
}

const Filters = (): VNode => (
  <div class="filters" role="search">
    <AddressSearch label={t.runsPage.search} hint={t.runsPage.searchHint} />
    <AddressChoice
      name="status"
      label={t.runsPage.status}
      none={t.runsPage.all}
      options={STATUSES.map((one) => [one, t.run.status[one] ?? one])}
    />
    <AddressChoice
      name="protocol"
      label={t.runsPage.protocol}
      none={t.runsPage.all}
      options={PROTOCOLS.map((one) => [one, one])}
    />
    <SinceChoice />
    {address.value.query.has("series") && (
      <a href={hrefWith({ series: undefined })}>{t.runsPage.allConversations}</a>
    )}
  </div>
);
