import type { VNode } from "preact";
import type { BenchArmResult, BenchJudged, BenchPair } from "../contract.ts";
import type { Estimate } from "../../../contract/figures.ts";
import { benchFigure } from "../protocol/report-plot.ts";
import { MIN_BENCH_TASKS, countRightAfter, MIN_DISCORDANT, CHANGES } from "../protocol/report-words.ts";
import { hrefWith } from "../../../web/address.ts";
import { formatCount, formatMoney, formatPercent, formatRatio, formatTime } from "../../../web/formats.ts";
import { Figure } from "../../../web/parts/elements.tsx";
import { Interval } from "../../../web/parts/interval.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { t } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { SIGNIFICANT } from "../../../stats/proportions.ts";

/** The address of this bench with the runs of an arm, all or those of a change. */
const hrefToRuns = (arm: string, change?: string): string => hrefWith({ arm, change });

/** `70.0 % (57.5 % … 80.1 %)`. */
const formatEstimate = ({ value, low, high }: Estimate): string =>
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
          <h2>{words.plot}</h2>
          <p class="quiet">
            {words.plotSubtitle} {words.plotHint}
          </p>
          <Figure
            tree={benchFigure(arms, {
              hrefFor: hrefToRuns,
              words: {
                ...{ title: words.plot, subtitle: words.plotSubtitle, nothing: words.nothing },
                axis: words.axis,
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
      head: words.accuracy,
      isFigure: false,
      cell: ({ accuracy }) => <span class="unbroken">{formatEstimate(accuracy)}</span>,
    },
    {
      ...{ head: words.interval, isFigure: false },
      cell: ({ accuracy: { value, low, high } }) => (
        <Interval value={value} low={low} high={high} from={0} to={1} />
      ),
    },
    {
      ...{ head: words.n, isFigure: true },
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
    { head: t.run.cost, isFigure: true, cell: ({ perQuestion: { usd } }) => formatMoney(usd) },
    { head: t.run.callsHead, isFigure: true, cell: ({ perQuestion: { calls } }) => formatRatio(calls, 1) },
    {
      ...{ head: words.latency, isFigure: true },
      cell: ({ perQuestion: { latencyMs } }) => (latencyMs === null ? t.unknown : formatTime(latencyMs)),
    },
    { head: words.notFinished, isFigure: true, cell: ({ unfinished }) => formatCount(unfinished) },
  ];
  const columns: readonly Column[] = [
    { head: words.number, isFigure: false, cell: (_, index) => formatCount(index + 1) },
    {
      ...{ head: words.arm, isFigure: false },
      cell: ({ name, what }) => (
        <>
          <a href={hrefToRuns(name)} aria-label={words.toRows(name)}>
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
      <h2>{words.arms}</h2>
      <p class="quiet">{words.armsHint}</p>
      <Table
        label={words.arms}
        heads={columns.map(({ head }) => head)}
        figures={columns.flatMap(({ isFigure }, index) => (isFigure ? [index] : []))}
        rows={arms.map((arm, index) => columns.map(({ cell }) => cell(arm, index)))}
      />
    </section>
  );
}

const formatP = (p: number, n: number): string =>
  n === 0 ? "–" : p <= 0.001 ? "≤ 0.001" : formatRatio(p, 3);

/** What deliberating changed, each count a link to the runs that it counts. */
export function Flips({ arms }: { readonly arms: readonly BenchArmResult[] }): VNode | null {
  const changed = arms.flatMap(({ name, flips }) => (flips === null ? [] : [{ name, flips }]));
  if (changed.length === 0) return null;
  return (
    <section>
      <h2>{words.flips}</h2>
      <p class="quiet">{words.flipsHint}</p>
      <Table
        label={words.flips}
        heads={[
          ...[words.arm, words.n, t.run.stages.draft, t.run.answer],
          ...CHANGES.map((change) => words.changes[change]),
          words.p,
        ]}
        figures={[1, 2, 3, 4, 5, 6, 7, 8]}
        rows={changed.map(({ name, flips: { n, controlRight, p, ...flips } }) => {
          const counts = {
            ...{ "right-wrong": flips.rightToWrong, "wrong-right": flips.wrongToRight },
            ...{ "right-none": flips.rightToNone, "none-right": flips.noneToRight },
          };
          const right = countRightAfter({ controlRight, ...flips });
          const share = (count: number) => (n === 0 ? "–" : formatPercent(count / n));
          return [
            ...[name, formatCount(n), share(controlRight), share(right)],
            ...CHANGES.map((change) =>
              counts[change] === 0 ? (
                formatCount(0)
              ) : (
                <a
                  href={hrefToRuns(name, change)}
                  aria-label={`${words.toRows(name)}: ${words.changes[change]}, ${counts[change]}`}
                >
                  {formatCount(counts[change])}
                </a>
              ),
            ),
            formatP(p, n),
          ];
        })}
      />
    </section>
  );
}

type Tested = { readonly n: number; readonly differ: number; readonly adjusted: number };

/** What a test says. `better`: the arm that it is for, where it is significant. */
function Reading({ n, differ, adjusted, better }: Tested & { readonly better: string }): VNode {
  if (n === 0) return <>{words.noPairs}</>;
  if (adjusted < SIGNIFICANT) return <strong>{words.better(better)}</strong>;
  return <span class="quiet">{differ < MIN_DISCORDANT ? words.underpowered : words.noDifference}</span>;
}

const formatSigned = (share: number): string =>
  `${share > 0 ? "+" : share < 0 ? "−" : ""}${formatRatio(Math.abs(share) * 100, 1)}`;

const formatDifference = (difference: BenchPair["difference"]): string =>
  difference === null
    ? "–"
    : `${formatSigned(difference.value)} (${formatSigned(difference.low)} … ${formatSigned(difference.high)})`;

/** Every two arms on the questions that both finished. */
export function Pairs({
  pairs,
  isTooFew,
}: {
  readonly pairs: readonly BenchPair[];
  readonly isTooFew: boolean;
}): VNode | null {
  if (pairs.length === 0) return null;
  return (
    <section>
      <h2>{words.pairs}</h2>
      <p class="quiet">{words.pairsHint}</p>
      <Table
        label={words.pairs}
        heads={[...[words.arms, words.n, words.onlyOne, words.difference, words.adjusted], words.reading]}
        figures={[1, 2, 3, 4]}
        rows={pairs.map(({ first, second, n, onlyFirst, onlySecond, difference, adjusted }) => [
          `${first} − ${second}`,
          formatCount(n),
          `${formatCount(onlyFirst)} : ${formatCount(onlySecond)}`,
          <span class="unbroken">{formatDifference(difference)}</span>,
          formatP(adjusted, n),
          isTooFew ? (
            <span class="quiet">{t.knowledge.tooFew}</span>
          ) : (
            <Reading
              {...{ n, adjusted, differ: onlyFirst + onlySecond }}
              better={onlyFirst > onlySecond ? first : second}
            />
          ),
        ])}
      />
    </section>
  );
}

/** How often a judge preferred each arm's answers to open questions. */
export function JudgedArms({ judged: { model, against, arms } }: { readonly judged: BenchJudged }): VNode {
  return (
    <section>
      <h2>{words.judged}</h2>
      <p class="quiet">{words.judgedHint(model)}</p>
      <Table
        label={words.judged}
        heads={[...[words.arm, words.preferredTo(against), words.n, words.wonTiedLost, words.adjusted]]}
        figures={[2, 3, 4]}
        rows={arms.map(({ arm, preferred, n, won, tied, lost, adjusted }) => [
          <a href={hrefToRuns(arm)}>{arm}</a>,
          <span class="unbroken">{formatEstimate(preferred)}</span>,
          formatCount(n),
          [won, tied, lost].map(formatCount).join(" : "),
          formatP(adjusted, n),
        ])}
      />
    </section>
  );
}
