// What a window gives follows from its own values alone, to the last bit, wherever the evaluation begins: nothing slides from day to day.

/** Series of several instruments, a row a day, and the window over their days. */
export type Rows = {
  readonly xs: Float64Array;
  /** How many instruments a row has. */
  readonly width: number;
  /** In days, the present one included. */
  readonly window: number;
  /** The first day that is asked for. `xs` has its values from `window - 1` days before it on. */
  readonly from: number;
  /** Where the results go. What stands in it before `from` is lost. */
  readonly out: Float64Array;
};

/** Used anew by every call; never read before they are written. */
let scratch: readonly [Float64Array, Float64Array, Float64Array] = emptyScratch(0);

function emptyScratch(length: number): typeof scratch {
  return [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
}

function scratchFor({ length }: Float64Array): typeof scratch {
  if (scratch[0].length < length) scratch = emptyScratch(length);
  return scratch;
}

/** Where the days begin that a call reads, and those that it writes; before the second, no window is full. */
function clearUnfilled({ width, window, from, out }: Rows): {
  readonly since: number;
  readonly first: number;
} {
  const first = Math.min(out.length, Math.max(from, window - 1) * width);
  out.fill(Number.NaN, from * width, first);
  return { since: Math.max(0, from - window + 1) * width, first };
}

/**
 * Sums of every window, in as many passes as the window's size has digits in base two: sums of 2 days give those of 4, these
 * those of 8, and a window of 60 is one of 32, of 16, of 8 and of 4. NaN where a value is missing or the window is not full.
 */
export function sumWindows(rows: Rows): void {
  const { xs, width, window, out } = rows;
  const { since, first } = clearUnfilled(rows);
  const [sums] = scratchFor(xs);
  sums.set(xs.subarray(since), since);
  let done = 0;
  for (let size = 1; size <= window; size *= 2) {
    if (size > 1) {
      const half = (size / 2) * width;
      for (let at = xs.length - 1; at >= since + half; at -= 1)
        sums[at] = (sums[at] as number) + (sums[at - half] as number);
    }
    if ((window & size) === 0) continue;
    const back = done * width;
    for (let at = first; at < xs.length; at += 1)
      out[at] = (done === 0 ? 0 : (out[at] as number)) + (sums[at - back] as number);
    done += size;
  }
}

/**
 * As `sumWindows`, of the standard deviations of samples, with n − 1. Means and sums of squared distances of two parts give
 * those of both without loss (Chan, Golub & LeVeque 1983, The American Statistician 37:242), so that equal values deviate by
 * exactly 0.
 */
export function deviateWindows(rows: Rows): void {
  const { xs, width, window, out } = rows;
  const { since, first } = clearUnfilled(rows);
  const [means, squares, middles] = scratchFor(xs);
  means.set(xs.subarray(since), since);
  squares.fill(0, since);
  let done = 0;
  for (let size = 1; size <= window; size *= 2) {
    if (size > 1) {
      const back = (size / 2) * width;
      for (let at = xs.length - 1; at >= since + back; at -= 1) {
        const distance = (means[at - back] as number) - (means[at] as number);
        means[at] = (means[at] as number) + distance / 2;
        squares[at] =
          (squares[at] as number) + (squares[at - back] as number) + distance * distance * (size / 4);
      }
    }
    if ((window & size) === 0) continue;
    const back = done * width;
    const share = size / (done + size);
    for (let at = first; at < xs.length; at += 1) {
      const middle = done === 0 ? (means[at] as number) : (middles[at] as number);
      const distance = (means[at - back] as number) - middle;
      const before = done === 0 ? 0 : (out[at] as number);
      out[at] = before + (squares[at - back] as number) + distance * distance * done * share;
      middles[at] = middle + distance * share;
    }
    done += size;
  }
  for (let at = first; at < out.length; at += 1) out[at] = Math.sqrt((out[at] as number) / (window - 1));
}

/** As `sumWindows`, of the least values; of the greatest, with a sign of -1. Windows that overlap give those of a larger one. */
export function limitWindows(rows: Rows, sign: 1 | -1): void {
  const { xs, width, window, from, out } = rows;
  const since = Math.max(0, from - window + 1) * width;
  for (let at = since; at < xs.length; at += 1) out[at] = sign * (xs[at] as number);
  for (let size = 1; size < window;) {
    const step = Math.min(size, window - size);
    const back = step * width;
    for (let at = xs.length - 1; at >= since + back; at -= 1)
      out[at] = Math.min(out[at] as number, out[at - back] as number);
    size += step;
  }
  const { first } = clearUnfilled(rows);
  for (let at = first; at < out.length; at += 1) out[at] = sign * (out[at] as number);
}

/** As `sumWindows`, from the first and the last value of every window; missing unless those between are there too. */
export function compareEnds(rows: Rows, compare: (first: number, last: number) => number): void {
  const { xs, width, window, from, out } = rows;
  const known = new Int32Array(width);
  for (let row = Math.max(0, from - window + 1) * width; row < xs.length; row += width)
    for (let one = 0; one < width; one += 1) {
      const last = xs[row + one] as number;
      const run = Number.isNaN(last) ? 0 : (known[one] as number) + 1;
      known[one] = run;
      if (row < from * width) continue;
      out[row + one] =
        run < window ? Number.NaN : compare(xs[row + one - (window - 1) * width] as number, last);
    }
}
