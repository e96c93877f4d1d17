/**
 * The known word closest to what somebody wrote: the one it is the beginning of, else the one that takes the
 * fewest insertions, deletions, substitutions and swaps of neighbours (Levenshtein 1966, Damerau 1964; no
 * place is edited twice). Of equals the first; undefined only where nothing is known. Capitals do not count.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { readonly one: string; readonly away: number } | undefined;
  for (const one of known) {
    const away = distance(word, one);
    if (best === undefined || away < best.away) best = { one, away };
  }
  return best?.one;
}

/** Edits from one word to the other, capitals ignored; at most 1 where `word` begins `known`. */
export function distance(word: string, known: string): number {
  const from = word.slice(0, LONGEST).toLowerCase();
  const to = known.slice(0, LONGEST).toLowerCase();
  const edits = editsBetween(from, to);
  return from.length >= 3 && to.startsWith(from) ? Math.min(1, edits) : edits;
}

const LONGEST = 100;

function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let left = 1; left <= from.length; left += 1) {
    const next = [left];
    for (let right = 1; right <= to.length; right += 1) {
      const substituted = (row[right - 1] ?? 0) + (from[left - 1] === to[right - 1] ? 0 : 1);
      const edits = Math.min(substituted, (row[right] ?? 0) + 1, (next[right - 1] ?? 0) + 1);
      const swaps = from[left - 1] === to[right - 2] && from[left - 2] === to[right - 1];
      next.push(swaps && left > 1 && right > 1 ? Math.min(edits, (before[right - 2] ?? 0) + 1) : edits);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
