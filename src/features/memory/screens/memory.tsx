import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { address, go, hrefTo, hrefWith } from "../../../web/address.ts";
import {
  formatAgo,
  formatCount,
  formatMoment,
  formatPercent,
  formatRatio,
  formatSetting,
} from "../../../web/formats.ts";
import { fetchJson, withQuery } from "../../../web/http.ts";
import { useApi, useSaving } from "../../../web/loaded.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";
import { Field } from "../../../web/parts/field.tsx";
import { AddressSearch } from "../../../web/parts/filter.tsx";
import { Empty, Refusal, Shown } from "../../../web/parts/states.tsx";
import { Facts, Table } from "../../../web/parts/table.tsx";
import { Tabs } from "../../../web/parts/tabs.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import type { FoundView, MemoryFacts, MemoryReport, MemorySearch } from "../contract.ts";
import { words } from "../words/index.ts";
import { Judgments, MarkName, MemoryEntry } from "./entry.tsx";

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
      <h1>{words.title}</h1>
      <Tabs
        label={words.title}
        tabs={([undefined, "facts", "models"] as const).map((name) => ({
          name: words.views[name ?? "entries"],
          href: hrefTo(["memory"], { view: name }),
          isCurrent: view === (name ?? null),
        }))}
      />
      <div class="view">
        {view === "facts" ? <PinnedFacts /> : view === "models" ? <ModelStats /> : <Entries />}
      </div>
    </>
  );
}

function Entries(): VNode {
  const { query } = address.value;
  const asked = query.get("q") ?? "";
  const isRetired = query.get("retired") === "1";
  const limit = Math.min(MOST, Number(query.get("limit")) || FIRST);
  const found = useApi<MemorySearch>(
    withQuery("memory/search", { q: asked, limit, retired: isRetired ? "true" : undefined }),
  );
  const empty = isRetired ? words.noneRetired : asked === "" ? words.emptyNext : "";
  return (
    <>
      <Search />
      <Shown of={found}>
        {({ engrams, how, more }) =>
          engrams.length === 0 ? (
            <Empty title={asked === "" && !isRetired ? words.empty : words.noneFound} next={empty} />
          ) : (
            <>
              <p class="quiet" role="status">
                {words.how(how)}
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
                  {t.more}
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
      <AddressSearch label={t.runsPage.search} hint={words.searchHint} without={{ limit: undefined }} />
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
        {words.retired}
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
        {similarity !== null && ` · ${words.similarity(formatRatio(similarity))}`}
      </p>
      {engram.question !== "" && (
        <p class="excerpt" dir="auto">
          {engram.summary}
        </p>
      )}
      {annotations.length > 0 && (
        <details>
          <summary>{words.judgments(annotations.length)}</summary>
          <Judgments annotations={annotations} />
        </details>
      )}
    </li>
  );
}

/** What was pinned, a field to pin more, and a way to forget it. */
function PinnedFacts(): VNode {
  const facts = useApi<MemoryFacts>("memory/facts");
  const forget = async (id: string) => {
    await fetchJson(`memory/facts/${encodeURIComponent(id)}`, { method: "DELETE" });
    facts.again();
  };
  return (
    <>
      <Pin again={facts.again} />
      <Shown of={facts}>
        {({ facts: all }) =>
          all.length === 0 ? (
            <Empty title={words.noFacts} next={words.noFactsNext} />
          ) : (
            <ul class="entries">
              {all.map(({ id, fact, at, by }) => (
                <li key={id}>
                  <p class="fact" dir="auto">
                    {fact}
                  </p>
                  <p class="quiet">
                    {by === null ? words.byPerson : words.by(by)} ·{" "}
                    <time dateTime={at}>{formatMoment(at)}</time>
                  </p>
                  <Confirm
                    label={t.run.forget}
                    ask={words.forgetFactAsk}
                    yes={words.forgetYes}
                    isDanger
                    act={() => forget(id)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

function Pin({ again }: { readonly again: () => void }): VNode {
  const fact = useSignal("");
  const done = useSignal("");
  const { failed, send } = useSaving(async () => {
    if (fact.value.trim() === "") return;
    const { fresh } = await fetchJson<{ fresh: boolean }>("memory/facts", {
      method: "POST",
      body: { fact: fact.value.trim() },
    });
    done.value = fresh ? words.pinned : words.pinnedAlready;
    fact.value = "";
    again();
  });
  return (
    <form class="editor" onSubmit={(event) => void send(event)}>
      <Field label={words.pin} hint={words.pinHint}>
        <textarea
          rows={2}
          maxLength={10_000}
          dir="auto"
          value={fact.value}
          onInput={({ currentTarget }) => (fact.value = currentTarget.value)}
        />
      </Field>
      <p class="actions">
        <button type="submit" disabled={fact.value.trim() === ""}>
          {words.pinButton}
        </button>
        <span role="status">{done.value}</span>
      </p>
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}

const COUNTS = ["episodic", "pinned", "judged", "retired", "forgotten", "clusters"] as const;

/** How models have done, as far as comparisons and grades of remembered answers show it. */
function ModelStats(): VNode {
  const stats = useApi<MemoryReport>("memory/stats");
  return (
    <Shown of={stats}>
      {(reply) => (
        <>
          <Facts rows={COUNTS.map((name) => [words.counts[name], formatCount(reply[name])])} />
          {reply.configurations.length === 0 ? (
            <Empty title={words.noStats} next={words.noStatsNext} />
          ) : (
            <>
              <h2>{words.statsOf}</h2>
              <p class="quiet">{words.statsHint}</p>
              <Table
                label={words.statsOf}
                figures={[3, 4, 5, 6]}
                heads={[
                  t.run.model,
                  words.temperature,
                  words.kind,
                  words.views.entries,
                  words.record,
                  words.won,
                  words.meanGrade,
                  words.claim,
                ]}
                rows={reply.configurations.map(rowOf)}
              />
            </>
          )}
        </>
      )}
    </Shown>
  );
}

function rowOf(row: MemoryReport["configurations"][number]): readonly string[] {
  const { models, temperature, intent, engrams, wins, losses, ties, won, grade, claim } = row;
  return [
    models.join(", "),
    temperature === null ? words.ownTemperature : formatSetting(temperature),
    intent === null ? words.everyIntent : wordFor(words.intents, intent),
    formatCount(engrams),
    [wins, losses, ties].map(formatCount).join("–"),
    won.value === null
      ? t.unknown
      : words.interval({
          share: formatPercent(won.value),
          low: formatPercent(won.low),
          high: formatPercent(won.high),
        }),
    grade.mean === null
      ? t.unknown
      : words.ofGrades({ mean: formatRatio(grade.mean, 1), count: formatCount(grade.n) }),
    words.claims[claim],
  ];
}
