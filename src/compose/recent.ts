/** A map that keeps what was used last. */
export type Recent<K, V> = {
  /** Counts as a use. */
  get(key: K): V | undefined;
  set(key: K, value: V): void;
};

/** Of more than `most` keys, the one whose last use is longest ago is let go. */
export function createRecent<K, V>(most: number): Recent<K, V> {
  const kept = new Map<K, V>();
  const set = (key: K, value: V) => {
    kept.delete(key);
    kept.set(key, value);
    if (kept.size <= most) return;
    const [oldest] = kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}
