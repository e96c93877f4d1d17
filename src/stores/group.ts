import { decide, type Batch, type Decision, type Standing } from "./batch.ts";
import type { EventRow } from "./row.ts";

// G4. Within a group each batch sees what those before it did.

/** What the store holds of one batch of a group. */
export type Lookup = { readonly recorded: boolean } & (
  { readonly seq: number; readonly status: string } | { readonly seq: null }
);

/** A head row as the group leaves it; `opened` is the first cursor of a deliberation that the group opens. */
export type Head = Standing & {
  readonly cursor: number;
  readonly opened?: { readonly cursor: number; readonly batch: Batch };
};

export type Group = {
  /** In the order of the batches. */
  readonly decisions: readonly Decision[];
  readonly rows: readonly EventRow[];
  /** By deliberation, those that the group moves. */
  readonly heads: ReadonlyMap<string, Head>;
};

/**
 * What becomes of the batches of one transaction, which look up once and write once.
 * @param found in the order of the batches, and the last cursor of the store; read under the write lock
 */
export function decideAll(
  batches: readonly Batch[],
  { found, end: before }: { readonly found: readonly Lookup[]; readonly end: number },
  at: string,
): Group {
  const decisions: Decision[] = [];
  const rows: EventRow[] = [];
  const heads = new Map<string, Head>();
  const recorded = new Set<string>();
  let end = before;
  batches.forEach((batch, index) => {
    const row = found[index];
    const origin = `${batch.id} ${batch.key}`;
    const head = heads.get(batch.id);
    const standing = head ?? (row && row.seq !== null ? { seq: row.seq, status: row.status } : undefined);
    const earlier = row?.recorded === true || recorded.has(origin);
    const decision = decide(batch, { standing, recorded: earlier, end }, at);
    decisions.push(decision);
    if (decision.kind !== "fresh") return;
    const opened = standing ? head?.opened : { cursor: end + 1, batch };
    end += decision.rows.length;
    rows.push(...decision.rows);
    recorded.add(origin);
    heads.set(batch.id, { ...decision.standing, cursor: end, ...(opened && { opened }) });
  });
  return { decisions, rows, heads };
}
