// Ranks follow from comparisons alone: equal values share the mean of their places, and nothing else does.

/** Ranks the instruments of one day. Its arrays are used anew by every call. */
export type Ranker = {
  /** From 0 for the smallest; NaN for a value that is missing. */
  readonly ranks: Float64Array;
  /** Ranks the values from `start` on. Returns how many there are. */
  readonly rank: (values: Float64Array, start: number) => number;
};

/** Where the low half of a double stands among its two 32-bit words. */
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/** The last ranker: almost always the next one has as many instruments. */
let last: Ranker | undefined;

/** A ranker of so many instruments; the same one as long as their number stays. */
export function rankerFor(instruments: number): Ranker {
  if (last?.ranks.length !== instruments) last = createRanker(instruments);
  return last;
}

/**
 * The instrument's number replaces the lowest bits of a copy of its value, so that a native sort of the copies puts the
 * instruments in order too. Where these bits decided, an insertion sort by the values themselves puts it right.
 */
function createRanker(instruments: number): Ranker {
  const keys = new Float64Array(instruments);
  const words = new Uint32Array(keys.buffer);
  const order = new Int32Array(instruments);
  const ranks = new Float64Array(instruments);
  const mask = 2 ** Math.ceil(Math.log2(Math.max(2, instruments))) - 1;

  function sortKeys(values: Float64Array, start: number): number {
    let count = 0;
    for (let one = 0; one < instruments; one += 1) {
      const value = values[start + one] as number;
      if (Number.isNaN(value)) {
        ranks[one] = Number.NaN;
        continue;
      }
      // An infinity with other bits would be no number.
      keys[count] = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
      const word = 2 * count + LOW;
      words[word] = ((words[word] as number) & ~mask) | one;
      count += 1;
    }
    if (count === instruments) keys.sort();
    else keys.subarray(0, count).sort();
    return count;
  }

  function rank(values: Float64Array, start: number): number {
    const count = sortKeys(values, start);
    for (let at = 0; at < count; at += 1) {
      const one = (words[2 * at + LOW] as number) & mask;
      const value = values[start + one] as number;
      let to = at;
      for (; to > 0 && (values[start + (order[to - 1] as number)] as number) > value; to -= 1)
        order[to] = order[to - 1] as number;
      order[to] = one;
    }
    for (let at = 0; at < count;) {
      const value = values[start + (order[at] as number)];
      let end = at + 1;
      while (end < count && values[start + (order[end] as number)] === value) end += 1;
      const shared = (at + end - 1) / 2;
      for (; at < end; at += 1) ranks[order[at] as number] = shared;
    }
    return count;
  }

  return { ranks, rank };
}
