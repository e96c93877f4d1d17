import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { BenchArmResult, BenchRow } from "../../contract/bench.ts";
import { address, hrefTo, hrefWith } from "../address.ts";
import { formatCount, formatMoney } from "../formats.ts";
import { AddressChoice } from "../parts/filter.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";
import { CHANGES, rowsOf, verdictOf } from "../../reports/bench-rows.ts";

const PAGE = 100;

type ArmRunsProps = { readonly arms: readonly BenchArmResult[]; readonly rows: readonly BenchRow[] };

/** The runs of the arm that the address names, each a link; none without one. */
export function ArmRuns({ arms, rows }: ArmRunsProps): VNode | null {
  const { query } = address.value;
  const arm = arms.find(({ name }) => name === query.get("arm"))?.name;
  const change = CHANGES.find((one) => one === query.get("change"));
  const shown = useSignal(PAGE);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    shown.value = PAGE;
    // Whoever chose a point, a row or a number is led to what it shows.
    heading.current?.focus();
    heading.current?.scrollIntoView();
  }, [arm, change]);
  if (arm === undefined) return null;
  const own = rowsOf(rows, arm, change);
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {t.bench.rows(arm)}
      </h2>
      <div class="filters">
        <AddressChoice
          name="change"
          label={t.bench.change}
          none={t.bench.everyRow}
          options={CHANGES.map((one) => [one, t.bench.changes[one]])}
        />
        <a href={hrefWith({ arm: undefined, change: undefined })}>{t.bench.closeRows}</a>
      </div>
      {own.length === 0 ? <p>{t.bench.noRows}</p> : <RunTable arm={arm} rows={own.slice(0, shown.value)} />}
      {own.length > shown.value && (
        <button type="button" onClick={() => (shown.value += PAGE)}>
          {t.more}
        </button>
      )}
    </section>
  );
}

const Answer = ({ of }: { readonly of: Pick<BenchRow, "answer" | "right"> }): VNode => (
  <>
    {of.answer !== null && <span dir="auto">{of.answer} </span>}
    <span class="quiet">{t.bench.results[verdictOf(of)]}</span>
  </>
);

const RunTable = ({ arm, rows }: { readonly arm: string; readonly rows: readonly BenchRow[] }): VNode => (
  <Table
    label={t.bench.rows(arm)}
    heads={[
      ...[t.bench.task, t.bench.result, t.bench.draftsElect, t.bench.outcome, t.bench.calls, t.bench.cost],
    ]}
    figures={[4, 5]}
    rows={rows.map((row) => [
      <a href={hrefTo(["d", row.deliberations.at(-1) ?? ""])} dir="auto">
        {row.task}
      </a>,
      row.finished ? <Answer of={row} /> : "",
      row.control ? <Answer of={row.control} /> : "",
      t.run.status[row.outcome] ?? row.outcome,
      formatCount(row.calls),
      formatMoney(row.usd),
    ])}
  />
);
