/** An entry with its place: 1 + how many are strictly better, so that equals share one (1, 1, 3). */
export type Place = { readonly id: string; readonly place: number; readonly tiedWith: string[] };

/** Scores nearer than this are equal: sums of the same fractions in another order differ by less. */
const indistinct = 1e-9;

/** Groups of equal score, highest first; equals stand in the order in which they came. */
export const orderByScore = (scores: readonly (readonly [id: string, score: number])[]): string[][] => {
  const groups: { score: number; ids: string[] }[] = [];
  for (const [id, score] of scores.toSorted(([, a], [, b]) => b - a)) {
    const last = groups.at(-1);
    if (last !== undefined && Math.abs(last.score - score) <= indistinct) last.ids.push(id);
    else groups.push({ score, ids: [id] });
  }
  const came = new Map(scores.map(([id], index) => [id, index]));
  return groups.map(({ ids }) => ids.sort((a, b) => (came.get(a) ?? 0) - (came.get(b) ?? 0)));
};

/** Competition places of groups that stand best first. */
export const places = (order: readonly (readonly string[])[]): Place[] => {
  let place = 1;
  return order.flatMap((group) => {
    const here = place;
    place += group.length;
    return group.map((id) => ({ id, place: here, tiedWith: group.filter((other) => other !== id) }));
  });
};
