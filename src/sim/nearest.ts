/** The known word that takes the fewest insertions, deletions and substitutions to reach from `word` (Levenshtein 1966). */
export const nearest = (word: string, known: readonly string[]): string | undefined =>
  known.map((one) => ({ one, away: distance(word, one) })).sort((a, b) => a.away - b.away)[0]?.one;

const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from.slice(0, 100)].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const substituted = (row[at - 1] ?? 0) + (to[at - 1] === character ? 0 : 1);
      next.push(Math.min(substituted, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
};
