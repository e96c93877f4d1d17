import type { VNode } from "preact";
import type { FoundView, MemorySearch } from "../../views/memory-view.ts";
import { address, go, hrefTo, hrefWith } from "../address.ts";
import { formatAgo, formatRatio } from "../formats.ts";
import { withQuery } from "../http.ts";
import { useApi } from "../loaded.ts";
import { AddressSearch } from "../parts/filter.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { t } from "../strings.ts";
import { Judgments, MarkName, MemoryEntry } from "./memory-entry.tsx";
import { Facts } from "./memory-facts.tsx";
import { ModelStats } from "./memory-stats.tsx";

const FIRST = 20;
const MOST = 200;

/** What is remembered: `/memory?q=…`, one entry at `/memory/ID`, facts and statistics at `?view=…`. */
export function Memory(): VNode {
  const { path, query } = address.value;
  const [, id] = path;
  if (id !== undefined) return <MemoryEntry key={id} id={id} />;
  const view = query.get("view");
  return (
    <>
      <h1>{t.memory.title}</h1>
      <Tabs
        label={t.memory.title}
        tabs={[
          { name: t.memory.views.entries, href: hrefTo(["memory"]), isCurrent: view === null },
          {
            name: t.memory.views.facts,
            href: hrefTo(["memory"], { view: "facts" }),
            isCurrent: view === "facts",
          },
          {
            name: t.memory.views.models,
            href: hrefTo(["memory"], { view: "models" }),
            isCurrent: view === "models",
          },
        ]}
      />
      <div class="view">
        {view === "facts" ? <Facts /> : view === "models" ? <ModelStats /> : <Entries />}
      </div>
    </>
  );
}

function Entries(): VNode {
  const { query } = address.value;
  const words = query.get("q") ?? "";
  const isRetired = query.get("retired") === "1";
  const limit = Math.min(MOST, Number(query.get("limit")) || FIRST);
  const found = useApi<MemorySearch>(
    withQuery("memory/search", { q: words, limit, retired: isRetired ? "true" : undefined }),
  );
  const empty = isRetired ? t.memory.noneRetired : words === "" ? t.memory.emptyNext : "";
  return (
    <>
      <Search />
      <Shown of={found}>
        {({ engrams, how, more }) =>
          engrams.length === 0 ? (
            <Empty title={words === "" && !isRetired ? t.memory.empty : t.memory.noneFound} next={empty} />
          ) : (
            <>
              <p class="quiet" role="status">
                {t.memory.how(how)}
              </p>
              <ul class="entries">
                {engrams.map((one) => (
                  <Row key={one.engram.id} found={one} />
                ))}
              </ul>
              {more && limit < MOST && (
                <button
                  type="button"
                  onClick={() => go(hrefWith({ limit: Math.min(MOST, limit * 2) }), { replace: true })}
                >
                  {t.memory.showMore}
                </button>
              )}
            </>
          )
        }
      </Shown>
    </>
  );
}

function Search(): VNode {
  const { query } = address.value;
  return (
    <div class="filters" role="search">
      <AddressSearch label={t.memory.search} hint={t.memory.searchHint} without={{ limit: undefined }} />
      <label class="field check">
        <input
          type="checkbox"
          checked={query.get("retired") === "1"}
          onChange={({ currentTarget }) =>
            go(hrefWith({ retired: currentTarget.checked ? 1 : undefined, limit: undefined }), {
              replace: true,
            })
          }
        />{" "}
        {t.memory.retired}
      </label>
    </div>
  );
}

function Row({ found }: { readonly found: FoundView }): VNode {
  const { engram, annotations, similarity, mark } = found;
  return (
    <li>
      <a class="run-link" href={hrefTo(["memory", engram.id])} dir="auto">
        {engram.question === "" ? engram.summary : engram.question}
      </a>
      <p class="quiet">
        <MarkName mark={mark} /> · {engram.models.join(", ") || t.unknown} ·{" "}
        <time dateTime={engram.at}>{formatAgo(engram.at)}</time>
        {similarity !== null && ` · ${t.memory.similarity(formatRatio(similarity))}`}
      </p>
      {engram.question !== "" && (
        <p class="excerpt" dir="auto">
          {engram.summary}
        </p>
      )}
      {annotations.length > 0 && (
        <details>
          <summary>{t.memory.judgments(annotations.length)}</summary>
          <Judgments annotations={annotations} />
        </details>
      )}
    </li>
  );
}
