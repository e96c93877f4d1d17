import type { VNode } from "preact";
import type { BenchArmResult, BenchJudged, BenchPair } from "../../contract/bench.ts";
import { countRightAfter, MIN_DISCORDANT, SIGNIFICANT } from "../../reports/bench-words.ts";
import { formatCount, formatPercent, formatRatio } from "../formats.ts";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";
import { formatEstimate, hrefToRuns } from "./bench-arms.tsx";
import { CHANGES } from "../../reports/bench-rows.ts";

const formatP = (p: number, n: number): string =>
  n === 0 ? "–" : p <= 0.001 ? "≤ 0.001" : formatRatio(p, 3);

/** What deliberating changed, each count a link to the runs that it counts. */
export function Flips({ arms }: { readonly arms: readonly BenchArmResult[] }): VNode | null {
  const changed = arms.flatMap(({ name, flips }) => (flips === null ? [] : [{ name, flips }]));
  if (changed.length === 0) return null;
  return (
    <section>
      <h2>{t.bench.flips}</h2>
      <p class="quiet">{t.bench.flipsHint}</p>
      <Table
        label={t.bench.flips}
        heads={[
          ...[t.bench.arm, t.bench.n, t.bench.drafts, t.bench.answer],
          ...CHANGES.map((change) => t.bench.changes[change]),
          t.bench.p,
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
                  aria-label={`${t.bench.toRows(name)}: ${t.bench.changes[change]}, ${counts[change]}`}
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
  if (n === 0) return <>{t.bench.noPairs}</>;
  if (adjusted < SIGNIFICANT) return <strong>{t.bench.better(better)}</strong>;
  return <span class="quiet">{differ < MIN_DISCORDANT ? t.bench.underpowered : t.bench.noDifference}</span>;
}

const signed = (share: number): string =>
  `${share > 0 ? "+" : share < 0 ? "−" : ""}${formatRatio(Math.abs(share) * 100, 1)}`;

const formatDifference = (difference: BenchPair["difference"]): string =>
  difference === null
    ? "–"
    : `${signed(difference.value)} (${signed(difference.low)} … ${signed(difference.high)})`;

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
      <h2>{t.bench.pairs}</h2>
      <p class="quiet">{t.bench.pairsHint}</p>
      <Table
        label={t.bench.pairs}
        heads={[
          ...[t.bench.pair, t.bench.n, t.bench.onlyOne, t.bench.difference, t.bench.adjusted],
          t.bench.reading,
        ]}
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
      <h2>{t.bench.judged}</h2>
      <p class="quiet">{t.bench.judgedHint(model)}</p>
      <Table
        label={t.bench.judged}
        heads={[
          ...[t.bench.arm, t.bench.preferredTo(against), t.bench.n, t.bench.wonTiedLost, t.bench.adjusted],
        ]}
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
