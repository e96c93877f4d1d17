/** The most names that are kept count of. */
const mostCounts = 10_000;

export type Counter = {
  /** How often the name has come by now, this time included. */
  readonly next: (name: string) => number;
  readonly forget: (name: string) => void;
};

/** Counts by name; the oldest names are forgotten when there are too many. */
export function counter(): Counter {
  const counts = new Map<string, number>();
  return {
    next: (name) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const oldest = counts.keys().next();
      if (counts.size > mostCounts && oldest.done !== true) counts.delete(oldest.value);
      return count;
    },
    forget: (name) => void counts.delete(name),
  };
}
