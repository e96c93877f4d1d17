import { expect } from "vitest";

const TRIES = 4;
/** What is over sooner, in microseconds, says nothing of how it grows: one collection would count more. */
const MIN_TIME = 2_000;

/** The sizes to measure, as they are asked for: the smaller ones, then the larger one until the growth is seen to be linear. */
function* measured(size: number, of: string): Generator<number, void, number> {
  // The least of some, as a collection or a compilation falls into some of them.
  let [one, eight] = [Infinity, Infinity];
  const isLinear = () => eight < 24 * Math.max(one, MIN_TIME);
  for (let tries = 0; tries < TRIES; tries += 1) one = Math.min(one, yield size);
  for (let tries = 0; tries < 3 * TRIES && !isLinear(); tries += 1) eight = Math.min(eight, yield 8 * size);
  expect(isLinear(), `${of}${one} µs, then ${eight} µs`).toBe(true);
}

/** The processor time of this process since then, microseconds: other processes take none of it. */
function spentSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

/**
 * Asserts that eight times as much takes less than 24 times the processor time: that it is linear, on any machine.
 */
export function expectLinear(work: (size: number) => unknown, size: number, of = ""): void {
  const sizes = measured(size, of);
  for (let next = sizes.next(); !next.done;) {
    const from = process.cpuUsage();
    work(next.value);
    next = sizes.next(spentSince(from));
  }
}

/** The same of work that waits, while nothing else runs in this process. */
export async function expectLinearAsync(
  work: (size: number) => Promise<unknown>,
  size: number,
): Promise<void> {
  const sizes = measured(size, "");
  for (let next = sizes.next(); !next.done;) {
    const from = process.cpuUsage();
    await work(next.value);
    next = sizes.next(spentSince(from));
  }
}

/** Asserts that reading each of these pieces, written again and again, is linear; `size` is in characters. */
export function expectLinearReading(
  read: (text: string) => unknown,
  pieces: readonly string[],
  size = 4_096,
): void {
  for (const piece of pieces)
    expectLinear(
      (length) => read(piece.repeat(Math.ceil(length / piece.length)).slice(0, length)),
      size,
      `${JSON.stringify(piece).slice(0, 40)}: `,
    );
}
