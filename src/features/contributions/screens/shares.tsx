import type { VNode } from "preact";
import type { ShareList } from "../../../contract/knowledge.ts";
import { address } from "../../../web/address.ts";
import { formatCount, formatPercent, formatRatio } from "../../../web/formats.ts";
import { withQuery } from "../../../web/http.ts";
import { useApi } from "../../../web/loaded.ts";
import { AddressChoice, KindChoice, SinceChoice } from "../../../web/parts/filter.tsx";
import { Empty, Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";

type Row = ShareList["rows"][number];

/** Personas by strategies: what chairs say that each gave, with what was measured below it; votes stand apart. */
export function Shares(): VNode {
  const { query } = address.value;
  const [split = "strategy", kind, since] = ["split", "kind", "since"].map(
    (name) => query.get(name) ?? undefined,
  );
  const shares = useApi<ShareList>(withQuery("contributions", { split, kind, since }));
  return (
    <>
      <h1>{words.title}</h1>
      <p class="quiet">{words.shares.about}</p>
      <div class="filters">
        <AddressChoice
          name="split"
          label={words.shares.split}
          options={[
            ["strategy", words.shares.byStrategy],
            ["none", words.shares.together],
          ]}
        />
        <KindChoice />
        <SinceChoice />
      </div>
      <Shown of={shares}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={words.shares.empty} next={words.shares.emptyNext} to={[]} />
          ) : (
            <Heatmap rows={rows} />
          )
        }
      </Shown>
    </>
  );
}

function Heatmap({ rows }: { readonly rows: readonly Row[] }): VNode {
  const strategies = [...new Set(rows.map(({ strategy }) => strategy ?? ""))];
  const personas = [...new Set(rows.map(({ persona }) => persona))];
  return (
    <Table
      label={words.title}
      heads={[
        t.knowledge.persona,
        ...strategies.map((name) => (name === "" ? words.shares.together : name)),
        t.run.votes,
      ]}
      rows={personas.map((persona) => [
        persona,
        ...strategies.map((strategy) => (
          <Cell row={rows.find((row) => row.persona === persona && (row.strategy ?? "") === strategy)} />
        )),
        <Votes rows={rows.filter((row) => row.persona === persona)} />,
      ])}
    />
  );
}

const DEPTHS = 5;

/** As deep as the claimed mean, of 0 to 1. */
function Cell({ row }: { readonly row: Row | undefined }): VNode {
  if (!row) return <span class="quiet">–</span>;
  const { claimed, measured } = row;
  const depth = claimed.mean === null ? 0 : Math.min(DEPTHS, Math.ceil(claimed.mean * DEPTHS));
  return (
    <div class={`heat depth-${depth}`}>
      <p>
        {claimed.mean === null
          ? t.unknown
          : words.shares.claimed({ mean: formatRatio(claimed.mean), runs: formatCount(claimed.n) })}
      </p>
      {Object.entries(measured).map(([method, { mean, n }]) => (
        <p key={method} class="quiet">
          {words.shares.measured({
            method: wordFor(words.shares.methods, method),
            mean: formatRatio(mean),
            runs: formatCount(n),
          })}
        </p>
      ))}
      {Object.keys(measured).length === 0 && <p class="quiet">{words.notMeasured}</p>}
    </div>
  );
}

function Votes({ rows }: { readonly rows: readonly Row[] }): VNode {
  const sessions = rows.reduce((sum, row) => sum + row.sessions, 0);
  if (sessions === 0) return <span class="quiet">–</span>;
  const won = rows.reduce((sum, row) => sum + row.sessions * (row.winRate ?? 0), 0);
  return (
    <span>{words.shares.won({ share: formatPercent(won / sessions), sessions: formatCount(sessions) })}</span>
  );
}
