import type { VNode } from "preact";
import type { BenchArmResult } from "../../contract/bench.ts";
import type { Estimate } from "../../contract/figures.ts";
import { benchFigure } from "../../reports/bench-plot.ts";
import { MIN_BENCH_TASKS } from "../../reports/bench-words.ts";
import { hrefWith } from "../address.ts";
import { formatCount, formatMoney, formatPercent, formatRatio, formatTime } from "../formats.ts";
import { Figure } from "../parts/elements.tsx";
import { Interval } from "../parts/interval.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

/** The address of this bench with the runs of an arm, all or those of a change. */
export const hrefToRuns = (arm: string, change?: string): string => hrefWith({ arm, change });

/** `70.0 % (57.5 % … 80.1 %)`. */
export const formatEstimate = ({ value, low, high }: Estimate): string =>
  value === null || low === null || high === null
    ? "–"
    : `${formatPercent(value, 1)} (${formatPercent(low, 1)} … ${formatPercent(high, 1)})`;

type ArmProps = { readonly arms: readonly BenchArmResult[]; readonly isScored: boolean };

/** Accuracy over cost, and the figures behind it, an arm a row. */
export function ArmFigures({ arms, isScored }: ArmProps): VNode {
  return (
    <>
      {isScored && (
        <section>
          <h2>{t.bench.plot}</h2>
          <p class="quiet">
            {t.bench.plotSubtitle} {t.bench.plotHint}
          </p>
          <Figure
            tree={benchFigure(arms, {
              hrefFor: hrefToRuns,
              words: {
                ...{ title: t.bench.plot, subtitle: t.bench.plotSubtitle, nothing: t.bench.nothing },
                axis: t.bench.axis,
                share: formatPercent,
                cost: (value, unit) =>
                  unit === "usd"
                    ? formatMoney(value)
                    : unit === "tokens"
                      ? formatCount(Math.round(value))
                      : formatRatio(value, Number.isInteger(value) ? 0 : 1),
              },
            })}
          />
        </section>
      )}
      <ArmTable arms={arms} isScored={isScored} />
    </>
  );
}

type Column = {
  readonly head: string;
  readonly isFigure: boolean;
  readonly cell: (arm: BenchArmResult, index: number) => VNode | string;
};

function ArmTable({ arms, isScored }: ArmProps): VNode {
  const scored: readonly Column[] = [
    {
      head: t.bench.accuracy,
      isFigure: false,
      cell: ({ accuracy }) => <span class="unbroken">{formatEstimate(accuracy)}</span>,
    },
    {
      ...{ head: t.bench.interval, isFigure: false },
      cell: ({ accuracy: { value, low, high } }) => (
        <Interval value={value} low={low} high={high} from={0} to={1} />
      ),
    },
    {
      ...{ head: t.bench.n, isFigure: true },
      cell: ({ accuracy: { n } }) =>
        n < MIN_BENCH_TASKS ? (
          <span class="unbroken">
            {formatCount(n)} <span class="quiet">({t.knowledge.tooFew})</span>
          </span>
        ) : (
          formatCount(n)
        ),
    },
  ];
  const means: readonly Column[] = [
    { head: t.bench.cost, isFigure: true, cell: ({ perQuestion: { usd } }) => formatMoney(usd) },
    { head: t.bench.calls, isFigure: true, cell: ({ perQuestion: { calls } }) => formatRatio(calls, 1) },
    {
      ...{ head: t.bench.latency, isFigure: true },
      cell: ({ perQuestion: { latencyMs } }) => (latencyMs === null ? t.unknown : formatTime(latencyMs)),
    },
    { head: t.bench.notFinished, isFigure: true, cell: ({ unfinished }) => formatCount(unfinished) },
  ];
  const columns: readonly Column[] = [
    { head: t.bench.number, isFigure: false, cell: (_, index) => formatCount(index + 1) },
    {
      ...{ head: t.bench.arm, isFigure: false },
      cell: ({ name, what }) => (
        <>
          <a href={hrefToRuns(name)} aria-label={t.bench.toRows(name)}>
            {name}
          </a>
          <br />
          <span class="quiet what">{what}</span>
        </>
      ),
    },
    ...(isScored ? scored : []),
    ...means,
  ];
  return (
    <section>
      <h2>{t.bench.arms}</h2>
      <p class="quiet">{t.bench.armsHint}</p>
      <Table
        label={t.bench.arms}
        heads={columns.map(({ head }) => head)}
        figures={columns.flatMap(({ isFigure }, index) => (isFigure ? [index] : []))}
        rows={arms.map((arm, index) => columns.map(({ cell }) => cell(arm, index)))}
      />
    </section>
  );
}
