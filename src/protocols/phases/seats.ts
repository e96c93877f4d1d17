/** The one of this id. @throws RangeError where there is none, which only a mistake in a protocol brings about */
export function findById<T extends { readonly id: string }>(all: readonly T[], id: string): T {
  const one = all.find((other) => other.id === id);
  if (!one) throw new RangeError(`${id} has no part in this`);
  return one;
}

/** The answer under this label. @throws RangeError where there is none */
export function findByLabel<T extends { readonly label: string }>(table: readonly T[], label: string): T {
  const one = table.find((other) => other.label === label);
  if (!one) throw new RangeError(`no answer is labelled ${label}`);
  return one;
}
