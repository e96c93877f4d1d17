/** A value that changes as entries come, and what it was after any number of them. */
export type ValueByCount<T> = {
  /** From the first `count` entries on, the value is this one. Counts come in ascending order. */
  set(count: number, value: T): void;
  /** The value after the first `count` entries; undefined before the first one was set. */
  at(count: number): T | undefined;
};

export function valueByCount<T>(): ValueByCount<T> {
  const counts: number[] = [];
  const values: T[] = [];
  return {
    set(count, value) {
      if (values.at(-1) === value) return;
      if (counts.at(-1) === count) values[values.length - 1] = value;
      else {
        counts.push(count);
        values.push(value);
      }
    },
    at(count) {
      let [low, high] = [0, counts.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((counts[middle] ?? Infinity) <= count) low = middle + 1;
        else high = middle;
      }
      return values[low - 1];
    },
  };
}
