import { mean, normalCdf, normalQuantile, random } from "./numbers.ts";

export type BootstrapOptions = {
  /** Decides every resample: the same seed gives the same interval. `parley` unless given. */
  readonly seed?: string | number;
  /** Between 0 and 1; 0.95 unless given. */
  readonly confidence?: number;
  /** 1,999 unless given, so that 2.5 % of them and one is a whole number. */
  readonly resamples?: number;
  /** `percentile` unless given; `bca` corrects for bias and skewness, for samples of some dozens and more. */
  readonly method?: "percentile" | "bca";
};

export type Bootstrap = {
  /** The statistic of the sample itself. */
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** The standard deviation of the statistic over the resamples. */
  readonly standardError: number;
};

/**
 * A confidence interval for any statistic of independent observations, by drawing samples of the same size from the
 * sample, with replacement: the percentile interval, or the bias-corrected and accelerated one with the jackknife's
 * acceleration (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, 13.3 and 14.3). Null for an empty sample.
 * Small samples give intervals that are too narrow, and a sample that does not vary one without width.
 * @throws RangeError for a statistic that is not a finite number on some resample, and for options out of range
 */
export function bootstrap<T>(
  sample: readonly T[],
  statistic: (sample: readonly T[]) => number,
  { seed = "parley", confidence = 0.95, resamples = 1_999, method = "percentile" }: BootstrapOptions = {},
): Bootstrap | null {
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`confidence must be between 0 and 1, e.g. 0.95 (got ${confidence})`);
  if (!Number.isInteger(resamples) || resamples < 1)
    throw new RangeError(`resamples must be an integer of at least 1, e.g. 1999 (got ${resamples})`);
  if (method !== "percentile" && method !== "bca")
    throw new RangeError(`method must be percentile or bca (got "${String(method)}")`);
  if (sample.length === 0) return null;
  const measured = (drawn: readonly T[]): number => {
    const value = statistic(drawn);
    if (!Number.isFinite(value))
      throw new RangeError(`the statistic must be a finite number on every resample (got ${value})`);
    return value;
  };
  const estimate = measured(sample);
  const next = random(seed);
  const draw = () => {
    // The index is below the length, so there is an observation.
    const observation = () => sample[Math.floor(next() * sample.length)] as T;
    return measured(sample.map(observation));
  };
  const values = Array.from({ length: resamples }, draw).sort((a, b) => a - b);

  const tail = (1 - confidence) / 2;
  const cut =
    method === "percentile"
      ? { below: tail, above: tail }
      : correctedTails({ estimate, values, tail, acceleration: acceleration(sample, measured) });
  // The k-th from its end, k the share of one more than all, as for the quantiles of an unknown distribution.
  const place = (share: number) =>
    Math.min(resamples, Math.max(1, Math.floor((resamples + 1) * share + 1e-9)));
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return {
    estimate,
    low: values[place(cut.below) - 1] ?? estimate,
    high: values[resamples - place(cut.above)] ?? estimate,
    standardError: Math.sqrt(squares / Math.max(1, resamples - 1)),
  };
}

/** From the statistic with each observation left out in turn: a sixth of the skewness of its influence. */
function acceleration<T>(sample: readonly T[], measured: (drawn: readonly T[]) => number): number {
  if (sample.length < 2) return 0;
  const left = sample.map((_, index) => measured(sample.toSpliced(index, 1)));
  const center = mean(left);
  const squares = left.reduce((sum, value) => sum + (center - value) ** 2, 0);
  const cubes = left.reduce((sum, value) => sum + (center - value) ** 3, 0);
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

type Correction = {
  readonly estimate: number;
  readonly values: readonly number[];
  readonly tail: number;
  readonly acceleration: number;
};

/** The shares of the resamples to leave out below and above; those that equal the estimate count half. */
function correctedTails({ estimate, values, tail, acceleration: a }: Correction) {
  const less = values.filter((value) => value < estimate).length;
  const equal = values.filter((value) => value === estimate).length;
  const bias = normalQuantile((less + equal / 2) / values.length);
  const corrected = (quantile: number): number => {
    const shifted = bias + quantile;
    const scale = 1 - a * shifted;
    return scale <= 0 ? Number(shifted > 0) : normalCdf(bias + shifted / scale);
  };
  const z = normalQuantile(1 - tail);
  return { below: corrected(-z), above: 1 - corrected(z) };
}
