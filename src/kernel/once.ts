/** A function that calls `load` the first time only, and then gives what it gave. A `load` that throws is called again. */
export function once<T>(load: () => T): () => T {
  let loaded: { readonly value: T } | undefined;
  return () => (loaded ??= { value: load() }).value;
}
