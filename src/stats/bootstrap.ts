import { random } from "./numbers.ts";

export type BootstrapOptions = {
  /** Decides every resample: the same seed gives the same interval. `parley` unless given. */
  readonly seed?: string | number;
  /** Between 0 and 1; 0.95 unless given. */
  readonly confidence?: number;
  /** 1,999 unless given, so that 2.5 % of them and one is a whole number. */
  readonly resamples?: number;
};

export type Bootstrap = {
  /** The statistic of the sample itself. */
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
};

/**
 * A confidence interval for any statistic of independent observations, by drawing samples of the same size from the
 * sample, with replacement: the percentile interval (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, 13.3).
 * Null for an empty sample. Small samples give intervals that are too narrow, and a sample that does not vary one without width.
 * @throws RangeError for a statistic that is not a finite number on some resample, and for options out of range
 */
export function bootstrap<T>(
  sample: readonly T[],
  statistic: (sample: readonly T[]) => number,
  { seed = "parley", confidence = 0.95, resamples = 1_999 }: BootstrapOptions = {},
): Bootstrap | null {
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`confidence must be between 0 and 1, e.g. 0.95 (got ${confidence})`);
  if (!Number.isInteger(resamples) || resamples < 1)
    throw new RangeError(`resamples must be an integer of at least 1, e.g. 1999 (got ${resamples})`);
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
  // The k-th from its end, k the share of one more than all, as for the quantiles of an unknown distribution.
  const place = Math.min(resamples, Math.max(1, Math.floor((resamples + 1) * tail + 1e-9)));
  return { estimate, low: values[place - 1] ?? estimate, high: values[resamples - place] ?? estimate };
}
