import type { VNode } from "preact";
import type { UsageReport } from "../../contract/figures.ts";
import { address } from "../address.ts";
import { formatCount, formatMoney } from "../formats.ts";
import { withQuery } from "../http.ts";
import { useApi } from "../loaded.ts";
import { AddressChoice, SinceChoice } from "../parts/filter.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

const WAYS = ["day", "model", "persona", "protocol", "user", "key"] as const;

/** What recorded calls cost. A call whose cost nobody told is counted as unknown, never as free. */
export function Costs(): VNode {
  const { query } = address.value;
  const by = WAYS.find((way) => way === query.get("by")) ?? WAYS[0];
  const usage = useApi<UsageReport>(withQuery("usage", { by, since: query.get("since") ?? undefined }));
  return (
    <>
      <h1>{t.nav.costs}</h1>
      <div class="filters">
        <AddressChoice name="by" label={t.knowledge.by} options={WAYS.map((way) => [way, t.costs.by[way]])} />
        <SinceChoice />
      </div>
      <Shown of={usage}>
        {(reply) =>
          reply.rows.length === 0 ? (
            <Empty title={t.costs.empty} next={t.costs.emptyNext} to={[]} />
          ) : (
            <CostTable reply={reply} />
          )
        }
      </Shown>
    </>
  );
}

function CostTable({ reply: { rows, total, names } }: { readonly reply: UsageReport }): VNode {
  const most = Math.max(...rows.map(({ usd }) => usd), 0);
  const thought = total.tokens.thinking > 0;
  const cells = (
    { key, calls, unknown: unreported, unpriced, usd, tokens }: UsageReport["total"],
    name: string,
  ) => {
    const unknown = unreported + unpriced;
    return [
      name,
      formatCount(calls),
      ...[tokens.in, tokens.out, ...(thought ? [tokens.thinking] : [])].map(formatCount),
      unpriced === calls && usd === 0 ? t.unknown : formatMoney(usd),
      unknown === 0 ? "" : t.calls(unknown),
      most > 0 && key !== total.key ? (
        <meter class="bar-meter" min={0} max={most} value={usd} aria-hidden="true" />
      ) : (
        ""
      ),
    ];
  };
  const unknown = total.unknown + total.unpriced;
  return (
    <>
      {unknown > 0 && <p class="notice warn">{t.costs.unknownNote(t.calls(unknown))}</p>}
      <Table
        label={t.nav.costs}
        heads={[
          t.knowledge.by,
          ...[t.run.callsHead, t.run.tokensIn, t.run.tokensOutHead],
          ...(thought ? [t.run.tokensThought] : []),
          t.run.cost,
          t.costs.notKnown,
          "",
        ]}
        figures={thought ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 4, 5]}
        rows={[
          ...rows.map((row) =>
            cells(row, names[row.key] ?? (["", "unknown"].includes(row.key) ? t.unknown : row.key)),
          ),
          cells(total, t.costs.total),
        ]}
      />
    </>
  );
}
