import { increase, sum } from "./numbers.ts";

/** For each unit what the observers who judged it said, in any order; null where one did not. */
type Units<T> = readonly (readonly (T | null)[])[];

/** Of every two values (given by their places in ascending `values`, with how often each occurs) the squared difference. */
type Differences = (
  values: readonly number[],
  counts: readonly number[],
) => (one: number, other: number) => number;

function at(list: readonly number[], index: number): number {
  return list[index] ?? 0;
}

const METRICS = {
  nominal: () => (one, other) => Number(one !== other),
  ordinal: (_, counts) => {
    let sum = 0;
    // The rank of each value as the mean place of its occurrences.
    const ranks = counts.map((count) => (sum += count) - count / 2);
    return (one, other) => (at(ranks, one) - at(ranks, other)) ** 2;
  },
  interval: (values) => (one, other) => (at(values, one) - at(values, other)) ** 2,
  ratio: (values) => (one, other) =>
    one === other ? 0 : ((at(values, one) - at(values, other)) / (at(values, one) + at(values, other))) ** 2,
} satisfies Record<string, Differences>;

/**
 * Krippendorff's α, agreement beyond chance among any number of observers, with values missing or not: 1 for full
 * agreement, 0 for chance (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011). Units that fewer than two
 * observers judged are left out. Values are compared as `nominal`, equal or not, unless a metric is given. Null where nothing can differ: no unit left, or one value throughout.
 * @throws RangeError for a value that is not a finite number, or for `ratio` a negative one, unless `nominal`; and for another metric
 */
export function krippendorffAlpha(
  units: Units<string | number>,
  options?: { readonly metric?: "nominal" },
): number | null;
export function krippendorffAlpha(
  units: Units<number>,
  options: { readonly metric: "ordinal" | "interval" | "ratio" },
): number | null;
export function krippendorffAlpha(
  units: Units<string | number>,
  { metric = "nominal" }: { readonly metric?: keyof typeof METRICS } = {},
): number | null {
  if (!Object.hasOwn(METRICS, metric))
    throw new RangeError(`metric must be one of ${Object.keys(METRICS).join(", ")} (got "${metric}")`);
  const judged = units
    .map((unit) => unit.filter((value) => value !== null))
    .filter((unit) => unit.length > 1);
  const labels = [...new Set(judged.flat())];
  const numbers = labels.map((label) => (typeof label === "number" ? label : Number.NaN));
  if (
    metric !== "nominal" &&
    !numbers.every((value) => Number.isFinite(value) && (metric !== "ratio" || value >= 0))
  )
    throw new RangeError(`a value is none of the metric ${metric}; compare labels as nominal`);
  const values = metric === "nominal" ? labels : numbers.toSorted((a, b) => a - b);
  const index = new Map(values.map((value, place) => [value, place]));
  const counts = values.map(() => 0);
  const coded = judged.map((unit) => unit.map((value) => index.get(value) ?? 0));
  for (const value of coded.flat()) increase(counts, value, 1);
  const difference = METRICS[metric](
    numbers.toSorted((a, b) => a - b),
    counts,
  );

  let expected = 0;
  for (const [one, count] of counts.entries())
    for (const [other, otherCount] of counts.entries())
      expected += count * otherCount * difference(one, other);
  if (expected === 0) return null;
  let observed = 0;
  for (const unit of coded)
    for (const one of unit) for (const other of unit) observed += difference(one, other) / (unit.length - 1);
  return 1 - ((sum(counts) - 1) * observed) / expected;
}
