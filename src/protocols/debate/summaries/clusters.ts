import type { Likeness } from "./likeness.ts";

/** Sums of cosines that differ by less are one: what is left of them is rounding. */
const EQUAL = 1e-9;

/**
 * Groups `count` items by leaders (Hartigan 1975, Clustering Algorithms, chapter 3): each item in turn joins the group
 * whose first item it is most like, of equals the older, where that is at least `threshold`; else it begins a group.
 * Takes at most count × groups comparisons.
 *
 * @returns the items' indices, in order, group by group
 */
export function clustersOf(count: number, between: Likeness["between"], threshold: number): number[][] {
  const clusters: number[][] = [];
  for (let item = 0; item < count; item += 1) {
    let nearest: { readonly cluster: number[]; readonly alike: number } | undefined;
    for (const cluster of clusters) {
      const alike = between(cluster[0] ?? 0, item);
      if (alike >= threshold && alike > (nearest?.alike ?? -Infinity)) nearest = { cluster, alike };
    }
    if (nearest) nearest.cluster.push(item);
    else clusters.push([item]);
  }
  return clusters;
}

/**
 * The item of a group that is nearest to its centroid, of equals the newest. It is the one most like all the others
 * together: for unit vectors the cosine with their centroid is the sum of the cosines with them, but for a factor that
 * is the same for every item. So words, which have no centroid, are measured the same way.
 *
 * @param cluster not empty
 */
export function representativeOf(cluster: readonly number[], between: Likeness["between"]): number {
  const totals = cluster.map(() => 0);
  for (const [at, item] of cluster.entries()) {
    for (let next = at + 1; next < cluster.length; next += 1) {
      const alike = between(item, cluster[next] ?? item);
      totals[at] = (totals[at] ?? 0) + alike;
      totals[next] = (totals[next] ?? 0) + alike;
    }
  }
  const most = Math.max(...totals);
  const at = totals.findLastIndex((total) => total >= most - EQUAL);
  return cluster[at] ?? 0;
}
