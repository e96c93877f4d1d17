import type { DomainGate, GateFinding, GateInput, Thresholds } from "../domain.ts";
import { evaluate, vocabularyOf, splitArgs } from "./evaluate.ts";
import { depthOf, FormulaError, parseFormula, type Formula } from "./formula.ts";
import { examineLookahead } from "./lookahead.ts";
import { matchedBar, shareBelow } from "./matched.ts";
import {
  meanTurnover,
  positionsFrom,
  rankCorrelation,
  sharpeRatio,
  YEAR_DAYS,
  type Days,
  type Earnings,
  earningsIn,
} from "./portfolio.ts";
import type { FactorSoil } from "./soil.ts";
import { OPERATORS } from "./operators.ts";

/** A gate's figures by default, and where they come from. */
type Defaults<T extends Thresholds> = { readonly thresholds: T; readonly provenance: string };

type Checked<T extends Thresholds> = {
  readonly soil: FactorSoil;
  readonly study: Study;
  readonly thresholds: T;
  readonly input: GateInput<FactorSoil>;
};

/** A gate of a candidate's study, with what a profile leaves out of its thresholds. */
function gate<T extends Thresholds>(
  about: Pick<DomainGate, "name" | "title" | "hard" | "ranges"> & Defaults<T>,
  examine: (of: Checked<T>) => GateFinding,
): DomainGate<FactorSoil> {
  return {
    ...about,
    check: (input) => {
      const { soil, candidate } = input;
      const study = studyCandidate(soil, candidate);
      return examine({ soil, study, thresholds: { ...about.thresholds, ...input.thresholds }, input });
    },
  };
}

const round = (value: number): string => value.toFixed(2);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const sanity = gate(
  {
    name: "G1",
    title: "has values that are there, finite and different",
    hard: true,
    thresholds: { max_missing: 0.3, max_constant: 0.5 },
    provenance: "Rainforest's published figures: 30 % missing at most, less than half of the days constant",
  },
  ({ soil: { panel }, study: { values, warmUp }, thresholds: { max_missing, max_constant } }) => {
    const { days, instruments } = panel;
    const first = warmUp * instruments;
    const finding = { threshold: max_missing, value: null };
    if (first >= values.length)
      return { ...finding, passed: false, detail: `its windows take ${warmUp} days, and there are ${days}` };
    let [missing, infinite, constant] = [0, 0, 0];
    for (let day = warmUp; day < days; day += 1) {
      let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const value of values.subarray(day * instruments, (day + 1) * instruments))
        if (Number.isNaN(value)) missing += 1;
        else {
          if (!Number.isFinite(value)) infinite += 1;
          [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
        }
      if (least >= greatest) constant += 1;
    }
    const value = missing / (values.length - first);
    const constants = constant / (days - warmUp);
    const passed = value <= max_missing && infinite === 0 && constants < max_constant;
    const detail = `${percent(value)} of the values are missing, ${infinite} are infinite, and ${percent(constants)} of the days have one value alone`;
    return { ...finding, passed, value, detail, infinite, constant: constants };
  },
);

const lookahead = gate(
  {
    name: "G2",
    title: "does not change when the future does",
    hard: true,
    thresholds: {},
    provenance: "by definition: no change is allowed",
  },
  ({ soil: { panel }, study: { formula }, input: { seed } }) =>
    examineLookahead({ panel, seed, compute: (of) => evaluate(formula, of) }),
);

/**
 * `weak_signal` is a Sharpe ratio below the bar that nine of ten random formulas do not reach. The median would call half of
 * all noise a weak signal; with the ninth decile, 9 % of noise is one, and a real but weak signal is one more often than not.
 */
const matchedGate = gate(
  {
    name: "G3",
    title: "beats random formulas of the same depth out of sample",
    hard: true,
    thresholds: { count: 1_000, percentile: 99, weak_percentile: 90 },
    ranges: { count: [20, 100_000], percentile: [50, 99.99], weak_percentile: [0, 99.99] },
    provenance:
      "99th percentile of 1,000 random formulas of the same depth, vocabulary and soil, drawn from the seed: noise passes with a probability of at most 1 %",
  },
  ({ soil, study, thresholds: { count, percentile, weak_percentile }, input: { seed } }) => {
    const value = sharpeRatio(earningsOf(study, soil.outOfSample));
    const bar = matchedBar({ soil, seed, count, percentile, depth: depthOf(study.formula) });
    const finding = { passed: false, value, threshold: bar?.threshold ?? null };
    if (bar === undefined)
      return { ...finding, detail: "too few random formulas have a Sharpe ratio on this soil" };
    const { threshold, provenance } = bar;
    if (value === null)
      return {
        ...finding,
        provenance,
        detail: "it has no Sharpe ratio: too few positions, or earnings that do not vary",
      };
    const passed = value > threshold;
    const below = shareBelow(bar, value);
    const inSample = sharpeRatio(earningsOf(study, { from: 0, to: soil.outOfSample.from }));
    return {
      ...finding,
      passed,
      ...(!passed && below * 100 >= weak_percentile ? { weak_signal: true } : {}),
      provenance,
      share_below: below,
      in_sample: inSample,
      detail: `a Sharpe ratio of ${round(value)} out of sample; the bar is ${round(threshold)}, and ${percent(below)} of ${count} random formulas are below it`,
    };
  },
);

const novelty = gate(
  {
    name: "G4",
    title: "differs from every fruit before it",
    hard: true,
    thresholds: { max_correlation: 0.9 },
    provenance: "above 0.9, four fifths of the variance of the positions are a fruit's",
  },
  ({ soil: { panel }, study: { positions }, thresholds: { max_correlation }, input }) => {
    let [value, unlike]: [number, number] = [0, 0];
    let nearest = "";
    for (const fruit of input.accepted) {
      const other = fruitPositions(fruit, input.soil);
      const correlation = other && rankCorrelation(positions, other, panel);
      if (correlation == null) unlike += 1;
      else if (Math.abs(correlation) > value || nearest === "")
        [value, nearest] = [Math.max(value, Math.abs(correlation)), fruit];
    }
    const skipped = unlike === 0 ? "" : `; ${unlike} could not be compared`;
    const detail =
      nearest === ""
        ? `there is no fruit to compare it with${skipped}`
        : `its positions correlate by ${round(value)} with those of ${nearest}${skipped}`;
    const measured = nearest === "" ? null : value;
    return { passed: value <= max_correlation, value: measured, threshold: max_correlation, detail };
  },
);

/** Undefined for a fruit that is no formula of this soil: another had other fields. */
function fruitPositions(fruit: string, soil: FactorSoil): Float64Array | undefined {
  try {
    return positionsFrom(evaluate(parseFormula(fruit, vocabularyOf(soil.panel)), soil.panel), soil.panel);
  } catch (error) {
    if (error instanceof FormulaError) return undefined;
    throw error;
  }
}

const turnover = gate(
  {
    name: "G5",
    title: "does not trade more than a book a day",
    hard: true,
    thresholds: { max_turnover: 1 },
    provenance:
      "bought and sold in a day, of a book of 1: new random ranks every day come to 1.33, and so 1.00 leaves out what is forgotten overnight",
  },
  ({ soil: { panel }, study: { positions, earnings }, thresholds: { max_turnover } }) => {
    const first = earnings.findIndex((earned) => !Number.isNaN(earned));
    if (first < 0)
      return { passed: false, value: null, threshold: max_turnover, detail: "it never has a position" };
    const value = meanTurnover(positions, panel, first);
    const detail = `${round(value)} of the book is bought and sold a day; ${round(max_turnover)} at most`;
    return { passed: value <= max_turnover, value, threshold: max_turnover, detail };
  },
);

const PERIODS = 4;

const stability = gate(
  {
    name: "G6",
    title: "has a Sharpe ratio of one sign in most of the time",
    hard: true,
    thresholds: { min_periods: 3, strong_t: 2.5, weak_t: 1 },
    provenance:
      "3 of 4 quarters of the days out of sample; strong is 2.5 standard errors above 0, which 2.5 % of noise reach in one of the four",
  },
  ({ soil: { outOfSample }, study, thresholds: { min_periods, strong_t, weak_t } }) => {
    const all = Math.sign(sharpeRatio(earningsOf(study, outOfSample)) ?? 0);
    const parts = splitDays(outOfSample, PERIODS).map((days) => earningsOf(study, days));
    const value = all === 0 ? 0 : parts.filter((part) => Math.sign(sharpeRatio(part) ?? 0) === all).length;
    const strengths = parts.map((part) => tStatistic(part));
    const passed = value >= min_periods;
    const strong = strengths.filter((t) => t >= strong_t).length;
    const weak = strengths.filter((t) => t < weak_t).length;
    return {
      passed,
      value,
      threshold: min_periods,
      ...(!passed && strong === 1 && weak === PERIODS - 1 ? { sub_regime: true } : {}),
      t_statistics: strengths,
      detail: `the sign is that of the whole in ${value} of ${PERIODS} periods`,
    };
  },
);

const MIN_ROLLING = 3;

const decay = gate(
  {
    name: "G8",
    title: "does not fade",
    hard: false,
    thresholds: { max_decay_slope: -0.5 },
    provenance:
      "a fall by 0.5 every 20 days: 5 % of 2,000 random formulas on ten generated soils without a signal fall faster",
  },
  ({ soil: { panel }, study: { earnings, warmUp }, thresholds: { max_decay_slope: threshold } }) => {
    const finding = { value: null, threshold };
    if (rollingSharpes(earnings).length < MIN_ROLLING)
      return {
        ...finding,
        passed: true,
        vacuous: true,
        detail: `${panel.days} days have fewer than ${MIN_ROLLING} periods: nothing was measured`,
      };
    const rolling = rollingSharpes(earnings.subarray(warmUp));
    const known = rolling.filter((sharpe) => sharpe !== null).length;
    if (known < MIN_ROLLING || known < rolling.length / 2)
      return { ...finding, passed: false, detail: `it has a Sharpe ratio in ${known} periods only` };
    const value = slopeOf(rolling);
    const detail = `its Sharpe ratio over 60 days changes by ${round(value)} every 20 days, over ${known} periods`;
    return { ...finding, passed: value >= threshold, value, detail };
  },
);

const liquidity = gate(
  {
    name: "G9",
    title: "buys what can be bought",
    hard: false,
    thresholds: { min_traded: 1_000_000 },
    provenance: "in the prices' currency a day: a position of 10,000 is then at most 1 % of what is traded",
  },
  ({ soil: { panel, outOfSample }, study: { positions }, thresholds: { min_traded: threshold } }) => {
    const { close, volume } = panel.fields;
    if (!volume || !close)
      return {
        passed: true,
        vacuous: true,
        value: null,
        threshold,
        detail: "the soil has no field volume: nothing was measured",
      };
    const traded: number[] = [];
    for (let at = outOfSample.from * panel.instruments; at < positions.length; at += 1) {
      const value = (close[at] as number) * (volume[at] as number);
      if ((positions[at] as number) > 0 && !Number.isNaN(value)) traded.push(value);
    }
    if (traded.length === 0)
      return { passed: false, value: null, threshold, detail: "it buys nothing whose volume is known" };
    const value = Float64Array.from(traded).sort()[Math.floor(traded.length * 0.2)] as number;
    const detail = `a fifth of what it buys is traded for ${Math.round(value)} a day or less`;
    return { passed: value >= threshold, value, threshold, detail };
  },
);

const alignment: DomainGate<FactorSoil> = {
  name: "G7",
  title: "the evidence agrees with the mechanism",
  hard: false,
  aligned: true,
};

/** In the order of their names. */
export const GATES: readonly DomainGate<FactorSoil>[] = [
  sanity,
  lookahead,
  matchedGate,
  novelty,
  turnover,
  stability,
  alignment,
  decay,
  liquidity,
];

/** Cuts a range into so many periods of the same length, give or take a day. */
function splitDays({ from, to }: Days, periods: number): Days[] {
  const at = (nth: number) => from + Math.floor(((to - from) * nth) / periods);
  return Array.from({ length: periods }, (_, nth) => ({ from: at(nth), to: at(nth + 1) }));
}

/** How many standard errors the mean of what is earned is away from 0; 0 where there is no Sharpe ratio. */
function tStatistic(earnings: Earnings): number {
  return (sharpeRatio(earnings) ?? 0) * Math.sqrt(earnings.length / YEAR_DAYS);
}

/** Days of a rolling Sharpe ratio, and from one to the next. */
const ROLLING_DAYS = 60;
const ROLLING_STEP = 20;

/** The Sharpe ratio of every 60 days, 20 days apart; null where there is none. */
function rollingSharpes(earnings: Earnings): (number | null)[] {
  const count = Math.max(0, Math.floor((earnings.length - ROLLING_DAYS) / ROLLING_STEP) + 1);
  return Array.from({ length: count }, (_, nth) =>
    sharpeRatio(earnings.subarray(nth * ROLLING_STEP, nth * ROLLING_STEP + ROLLING_DAYS)),
  );
}

/** The slope of a line through values, a step from each to the next, by least squares; unknown values are left out. */
function slopeOf(values: readonly (number | null)[]): number {
  const points = values.flatMap((y, x) => (y === null ? [] : [{ x, y }]));
  const middle = points.reduce((total, { x }) => total + x, 0) / points.length;
  let [up, across] = [0, 0];
  for (const { x, y } of points) {
    up += (x - middle) * y;
    across += (x - middle) ** 2;
  }
  return up / across;
}

/** What the gates measure of a candidate. */
export type Study = {
  readonly formula: Formula;
  readonly values: Float64Array;
  readonly positions: Float64Array;
  /** Of every day but the last. */
  readonly earnings: Earnings;
  /** How many days pass before the longest of its windows within windows is full. */
  readonly warmUp: number;
};

/** The last study of a soil: the gates of one candidate come after each other. */
const lastStudies = new WeakMap<FactorSoil, { readonly candidate: string; readonly study: Study }>();

/** @throws FormulaError for a candidate that is no formula of the soil's vocabulary */
function studyCandidate(soil: FactorSoil, candidate: string): Study {
  const last = lastStudies.get(soil);
  if (last?.candidate === candidate) return last.study;
  const { panel, returns } = soil;
  const formula = parseFormula(candidate, vocabularyOf(panel));
  const values = evaluate(formula, panel);
  const { instruments, days } = panel;
  const study = {
    formula,
    values,
    positions: positionsFrom(values, panel),
    earnings: earningsIn(values, { instruments, returns }, { from: 0, to: days - 1 }),
    warmUp: warmUpOf(formula),
  };
  lastStudies.set(soil, { candidate, study });
  return study;
}

const earningsOf = ({ earnings }: Study, { from, to }: Days): Earnings => earnings.subarray(from, to);

/** How many earlier days a formula looks at. */
function warmUpOf(formula: Formula): number {
  if (formula.kind !== "call") return 0;
  const operator = OPERATORS[formula.op] ?? {};
  const { series, window } = splitArgs(formula.args, operator);
  return Math.max(0, window - 1) + Math.max(...series.map(warmUpOf));
}
