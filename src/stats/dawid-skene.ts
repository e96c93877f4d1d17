import { groupBy, increase, sum } from "./numbers.ts";

export type Label = { readonly item: string; readonly worker: string; readonly label: string };

/** Shares by class, 0 to 1, that sum to 1. */
type ClassShares = Record<string, number>;

export type DawidSkene = {
  /** By item, how likely each class is the true one. */
  readonly items: Record<string, ClassShares>;
  /** By worker and true class, how likely each label is; null for a class that none of the worker's items can have. */
  readonly workers: Record<string, Record<string, ClassShares | null>>;
  /** How frequent each class is. */
  readonly prevalence: ClassShares;
  readonly logLikelihood: number;
  readonly iterations: number;
  /** Whether the last iteration raised the log likelihood by less than 1e-8. */
  readonly converged: boolean;
};

const TOLERANCE = 1e-8;

function normalize(values: readonly number[]): number[] {
  const total = sum(values);
  return values.map((value) => value / total);
}

/** Labels by number: of the item, the worker and the class. */
type Coded = readonly { readonly item: number; readonly worker: number; readonly label: number }[];
type Size = { readonly items: number; readonly workers: number; readonly classes: number };

/** What the true classes, so far as they are believed, say of the workers and the classes. */
type Parameters = {
  readonly prevalence: readonly number[];
  readonly confusion: readonly (readonly (readonly number[] | null)[])[];
};

/**
 * What several workers' labels of the same items say of the items' true classes and of the workers, by the EM algorithm
 * of Dawid and Skene (1979, Applied Statistics 28:20). It starts from each item's shares of its labels, and so from
 * the majority, and climbs to a local top of the likelihood. A worker may label an item more than once or not at all;
 * workers are taken to err independently of each other. Classes are all labels given. Null for no labels.
 */
export function dawidSkene(
  labels: readonly Label[],
  { maximumIterations = 1_000 }: { readonly maximumIterations?: number } = {},
): DawidSkene | null {
  if (labels.length === 0) return null;
  const list = (of: (label: Label) => string) => {
    const names = [...new Set(labels.map(of))].sort();
    const places = new Map(names.map((name, index) => [name, index]));
    return { names, place: (label: Label) => places.get(of(label)) ?? 0 };
  };
  const [itemList, workerList, classList] = [
    list(({ item }) => item),
    list(({ worker }) => worker),
    list(({ label }) => label),
  ];
  const [items, workers, classes] = [itemList.names, workerList.names, classList.names];
  const coded = labels.map((one) => {
    return { item: itemList.place(one), worker: workerList.place(one), label: classList.place(one) };
  });
  const size = { items: items.length, workers: workers.length, classes: classes.length };

  let beliefs = items.map(() => classes.map(() => 0));
  for (const { item, label } of coded) increase(beliefs[item], label, 1);
  beliefs = beliefs.map(normalize);
  let parameters: Parameters;
  let logLikelihood = -Infinity;
  let iterations = 0;
  let converged = false;
  do {
    parameters = maximize(coded, beliefs, size);
    const believed = updateBeliefs(coded, parameters, size);
    converged = believed.logLikelihood - logLikelihood < TOLERANCE;
    ({ beliefs, logLikelihood } = believed);
    iterations += 1;
  } while (iterations < maximumIterations && !converged);
  const { prevalence, confusion } = parameters;
  const byName = <T>(names: readonly string[], value: (index: number) => T): Record<string, T> =>
    Object.fromEntries(names.map((name, index) => [name, value(index)]));
  const byClass = (values: readonly number[] = []) => byName(classes, (index) => values[index] ?? 0);
  return {
    items: byName(items, (item) => byClass(beliefs[item])),
    workers: byName(workers, (worker) =>
      byName(classes, (truth) => {
        const row = confusion[worker]?.[truth] ?? null;
        return row && byClass(row);
      }),
    ),
    prevalence: byClass(prevalence),
    logLikelihood,
    iterations,
    converged,
  };
}

/** The M step: frequencies under the beliefs. */
function maximize(coded: Coded, beliefs: readonly (readonly number[])[], size: Size): Parameters {
  const zeros = () => Array.from({ length: size.classes }, () => 0);
  const prevalence = zeros();
  for (const belief of beliefs)
    for (const [truth, share] of belief.entries()) increase(prevalence, truth, share);
  const counts = Array.from({ length: size.workers }, () => Array.from({ length: size.classes }, zeros));
  for (const { item, worker, label } of coded)
    for (const [truth, share] of (beliefs[item] ?? []).entries())
      increase(counts[worker]?.[truth], label, share);
  return {
    prevalence: normalize(prevalence),
    confusion: counts.map((rows) => rows.map((row) => (sum(row) > 0 ? normalize(row) : null))),
  };
}

/** The E step: beliefs under the frequencies, in logarithms, so that many labels of an item do not vanish. */
function updateBeliefs(coded: Coded, { prevalence, confusion }: Parameters, size: Size) {
  const scores = Array.from({ length: size.items }, () => prevalence.map(Math.log));
  for (const { item, worker, label } of coded)
    for (const [truth, row] of (confusion[worker] ?? []).entries())
      increase(scores[item], truth, row === null ? -Infinity : Math.log(row[label] ?? 0));
  let logLikelihood = 0;
  const beliefs = scores.map((row) => {
    const highest = Math.max(...row);
    const worths = row.map((score) => Math.exp(score - highest));
    logLikelihood += highest + Math.log(sum(worths));
    return normalize(worths);
  });
  return { beliefs, logLikelihood };
}

export type OneCoin = {
  /** By item, how likely each of the labels given to it is the true one. */
  readonly items: Record<string, ClassShares>;
  /** By worker, how often its labels are true, 0 to 1. */
  readonly accuracy: Record<string, number>;
};

const MAX_ITERATIONS = 1_000;
const STEADY = 1e-6;

/**
 * The same model with one number a worker, so that labels need not mean the same from item to item: a worker is right
 * with one probability everywhere, and when wrong takes any other label of that item alike (the one-coin model of Zhang
 * et al. 2016, Journal of Machine Learning Research 17:102). It starts from each item's shares of its labels, and so from
 * the majority. A worker counts as right once and wrong once more than it was, so that nobody is beyond doubt.
 */
export function oneCoin(labels: readonly Label[]): OneCoin {
  const byItem = groupBy(labels, ({ item }) => item);
  const classes = new Map(
    [...byItem].map(([item, own]) => [item, [...new Set(own.map(({ label }) => label))]]),
  );
  const workers = [...new Set(labels.map(({ worker }) => worker))];
  const shares = new Map<string, number[]>();
  for (const [item, own] of byItem) {
    const counts = (classes.get(item) ?? []).map((name) => own.filter(({ label }) => label === name).length);
    shares.set(item, normalize(counts));
  }
  let accuracy = new Map<string, number>();
  for (let round = 0; round < MAX_ITERATIONS; round += 1) {
    const hits = new Map(workers.map((worker) => [worker, { right: 1, all: 2 }]));
    for (const { item, worker, label } of labels) {
      const hit = hits.get(worker);
      if (!hit) continue;
      hit.right += shares.get(item)?.[classes.get(item)?.indexOf(label) ?? -1] ?? 0;
      hit.all += 1;
    }
    const next = new Map([...hits].map(([worker, { right, all }]) => [worker, right / all]));
    const moved = Math.max(
      0,
      ...workers.map((worker) => Math.abs((next.get(worker) ?? 0) - (accuracy.get(worker) ?? 0))),
    );
    accuracy = next;
    for (const [item, own] of byItem) {
      const names = classes.get(item) ?? [];
      const scores = names.map((name) =>
        sum(
          own.map(({ worker, label }) => {
            const right = accuracy.get(worker) ?? 0.5;
            return Math.log(label === name ? right : (1 - right) / Math.max(1, names.length - 1));
          }),
        ),
      );
      const highest = Math.max(...scores);
      shares.set(item, normalize(scores.map((score) => Math.exp(score - highest))));
    }
    if (moved < STEADY) break;
  }
  return {
    items: Object.fromEntries(
      [...shares].map(([item, own]) => [
        item,
        Object.fromEntries((classes.get(item) ?? []).map((name, index) => [name, own[index] ?? 0])),
      ]),
    ),
    accuracy: Object.fromEntries(accuracy),
  };
}
