import { groupBy, sum } from "../../../stats/numbers.ts";

export type Label = { readonly item: string; readonly worker: string; readonly label: string };

/** Shares by class, 0 to 1, that sum to 1. */
type ClassShares = Record<string, number>;

function normalize(values: readonly number[]): number[] {
  const total = sum(values);
  return values.map((value) => value / total);
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
 * What several workers' labels of the same items say of the items and of the workers, by the EM algorithm of Dawid and Skene (1979,
 * Applied Statistics 28:20) with one number a worker, so that labels need not mean the same from item to item: a worker is right
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
