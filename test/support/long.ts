/** Whether long tests run at their full size: `LONG=1`, as in `npm run test:all`. The gate runs a tenth of them. */
export const isLong = process.env["LONG"] === "1";

/** How many, of what is repeated `full` times: all of them, or a tenth. */
export const sized = (full: number): number => (isLong ? full : Math.ceil(full / 10));

/** Which, of many cases that are like their neighbors: all of them, or every tenth from the first on. */
export const sampled = <T>(all: readonly T[]): readonly T[] =>
  isLong ? all : all.filter((_, index) => index % 10 === 0);
