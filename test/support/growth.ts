import { expect } from "vitest";

const TRIES = 3;

/** The processor time of a synchronous piece of work, microseconds: the least of some, as a collection falls into some of them. */
function leastOf(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: TRIES }, () => {
      const from = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(from);
      return user + system;
    }),
  );
}

/**
 * Asserts that eight times as much takes less than 24 times the processor time: that it is linear, on any machine. What takes less
 * than a millisecond at the larger size is quick enough.
 */
export function expectLinear(work: (size: number) => unknown, size: number): void {
  work(size);
  const [one, eight] = [leastOf(() => work(size)), leastOf(() => work(8 * size))];
  if (eight > 1_000) expect(eight / Math.max(one, 100), `${one} µs, then ${eight} µs`).toBeLessThan(24);
}
