import type pg from "pg";
import { KEPT_ANNOTATIONS } from "../memory/engram-store.ts";
import {
  EMPTY_BLOCK,
  appended,
  blockEntries,
  cleared,
  entriesIn,
  type BlockEntry,
  type PackedBlock,
} from "./engram-block.ts";
import {
  blobOf,
  scopedWord,
  wiped,
  type Annotated,
  type AnnotationColumns,
  type EmbedColumns,
  type EngramColumns,
  type ScopeColumns,
} from "./engram-row.ts";
import type { Sized } from "./group-queue.ts";
import { transaction, type PostgresDatabase } from "./postgres-database.ts";

type Found = {
  readonly number: number;
  readonly gone: boolean;
  readonly live: boolean;
  readonly data: string;
};

/** `Row` is what the select names. */
type Ask = <Row extends object>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** What is written in one transaction, together with others; `size`: about how many characters. */
export type EngramJob<T = unknown> = Sized & { readonly run: (ask: Ask) => Promise<T> };

/** Runs jobs one after the other in one transaction, under the lock of the engrams: what a job looked up still holds when it writes. */
export const runEngramJobs = (
  { pool, engramLock }: PostgresDatabase,
  jobs: readonly EngramJob[],
): Promise<readonly unknown[]> =>
  transaction(pool, engramLock, async (client) => {
    const ask = asking(client);
    const results: unknown[] = [];
    for (const { run } of jobs) results.push(await run(ask));
    return results;
  });

const asking =
  (client: pg.PoolClient): Ask =>
  async <Row extends object>(text: string, values: readonly unknown[]) =>
    (await client.query<Row>({ text, values: [...values] })).rows;

/** The jobs that engrams are written by. */
export function postgresEngramWrites({ table }: PostgresDatabase) {
  const engrams = table("engram");
  const annotations = table("engram_annotation");
  const waiting = table("engram_waiting");
  const vectors = table("engram_vector");
  const blocks = table("engram_block");

  const scopeOf = async (ask: Ask, { organization, user }: ScopeColumns): Promise<number> => {
    const scopes = table("engram_scope");
    const values = [organization, user];
    await ask(`insert into ${scopes} (organization, user_id) values ($1, $2) on conflict do nothing`, values);
    const [row] = await ask<{ number: number }>(
      `select number from ${scopes} where organization = $1 and user_id = $2`,
      values,
    );
    return row?.number ?? 0;
  };

  const find = async (ask: Ask, scope: number, id: string): Promise<Found | undefined> => {
    const sql = `select number, forgotten is not null as gone, live, data from ${engrams} where scope = $1 and id = $2`;
    return (await ask<Found>(sql, [scope, id]))[0];
  };

  const versionSql = `(select coalesce(max(version), 0) + 1 from ${blocks} where scope = $1 and model = $2 and dimensions = $3)`;

  const rewrite = async (ask: Ask, row: BlockRow, { heads, codes }: PackedBlock): Promise<void> => {
    const sql = `update ${blocks} set version = ${versionSql}, heads = $4, codes = $5 where number = $6`;
    const bytes = [Buffer.from(heads), Buffer.from(codes)];
    await ask(sql, [row.scope, row.model, row.dimensions, ...bytes, row.number]);
  };

  /** Takes engrams out of the blocks that they are in. */
  const leave = async (
    ask: Ask,
    gone: readonly { readonly engram: number; readonly block: number | null }[],
  ): Promise<void> => {
    const byBlock = new Map<number, Set<number>>();
    for (const { engram, block } of gone) {
      if (block !== null) byBlock.set(block, (byBlock.get(block) ?? new Set()).add(engram));
    }
    for (const [block, some] of byBlock) {
      const [row] = await ask<BlockRow>(`select * from ${blocks} where number = $1`, [block]);
      if (row) await rewrite(ask, row, cleared(row, some));
    }
  };

  /** So that nothing but a look-up finds it. */
  const hide = async (ask: Ask, engram: number): Promise<void> => {
    const placed = `select engram, block from ${vectors} where engram = $1 and block is not null`;
    await leave(ask, await ask(placed, [engram]));
    await ask(`update ${vectors} set block = null where engram = $1`, [engram]);
    await ask(`update ${engrams} set live = false, words = null where number = $1`, [engram]);
  };

  /** Gives the entries places in the blocks of their kind. */
  const pack = async (ask: Ask, place: Place, entries: readonly BlockEntry[]): Promise<void> => {
    const key = [place.scope, place.model, place.dimensions];
    for (let at = 0; at < entries.length;) {
      const [last] = await ask<BlockRow>(
        `select * from ${blocks} where scope = $1 and model = $2 and dimensions = $3 order by number desc limit 1`,
        key,
      );
      const room = last ? blockEntries(place.dimensions) - entriesIn(last) : 0;
      const some = entries.slice(at, at + (room > 0 ? room : blockEntries(place.dimensions)));
      let block = last?.number ?? 0;
      if (last && room > 0) await rewrite(ask, last, appended(last, some));
      else {
        const { heads, codes } = appended(EMPTY_BLOCK, some);
        const sql = `insert into ${blocks} (scope, model, dimensions, version, heads, codes)
          values ($1, $2, $3, ${versionSql}, $4, $5) returning number`;
        const [made] = await ask<{ number: number }>(sql, [...key, Buffer.from(heads), Buffer.from(codes)]);
        block = made?.number ?? 0;
      }
      await ask(`update ${vectors} set block = $1 where model = $2 and engram = any($3::bigint[])`, [
        block,
        place.model,
        some.map(({ engram }) => engram),
      ]);
      at += some.length;
    }
  };

  return {
    put: (columns: EngramColumns, words: readonly string[]): EngramJob<boolean> => ({
      size: columns.data.length,
      run: async (ask) => {
        const scope = await scopeOf(ask, columns);
        const { id, name, type, respondent, conversation, cluster, clusterName, data } = columns;
        const key = [scope, id];
        const isNew = await ask<{ number: number; live: boolean }>(
          `insert into ${engrams}
             (scope, id, name, type, respondent, conversation, cluster, cluster_name, data, retired, live, words)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9, retires, live, case when live then array_to_tsvector($10::text[]) end
           from (select retires, $4::text = 'episodic' and not retires as live from (
             select exists (select from ${waiting} where scope = $1 and id = $2 and retires) as retires
           ) as kept) as kept
           on conflict do nothing returning number, live`,
          [
            ...[...key, name, type, respondent, conversation, cluster, clusterName, data],
            words.map((word) => scopedWord(scope, word)),
          ],
        );
        const [made] = isNew;
        if (!made) return false;
        await ask(
          `insert into ${annotations} (engram, event, annotation)
           select $3, event, annotation from ${waiting} where scope = $1 and id = $2 order by number`,
          [...key, made.number],
        );
        await ask(`delete from ${waiting} where scope = $1 and id = $2`, key);
        return true;
      },
    }),

    annotate: (columns: AnnotationColumns): EngramJob<Annotated> => ({
      size: columns.annotation.length,
      run: async (ask) => {
        const scope = await scopeOf(ask, columns);
        const { id, name, event, annotation, retires } = columns;
        const found = await find(ask, scope, id);
        if (found?.gone) return { state: "gone", names: [] };
        if (found) {
          const added = await ask(
            `insert into ${annotations} (engram, event, annotation) values ($1, $2, $3)
             on conflict do nothing returning number`,
            [found.number, event, annotation],
          );
          if (added.length === 0) return { state: "known", names: [] };
          if (retires === 1) {
            await hide(ask, found.number);
            await ask(`update ${engrams} set retired = true where number = $1`, [found.number]);
          }
          return { state: "annotated", names: [] };
        }
        await ask(
          `insert into ${waiting} (scope, id, name, event, annotation, retires)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
          [scope, id, name, event, annotation, retires === 1],
        );
        const lapsed = await ask<{ number: number; name: string }>(
          `delete from ${waiting} where number in (
             select number from ${waiting} where scope = $1 order by number desc offset ${KEPT_ANNOTATIONS}
           ) returning number, name`,
          [scope],
        );
        return {
          state: "kept",
          names: lapsed.toSorted((a, b) => a.number - b.number).map((row) => row.name),
        };
      },
    }),

    embed: (owner: ScopeColumns, of: EmbedColumns): EngramJob<void> => ({
      size: of.vectors.reduce((sum, [, vector]) => sum + vector.byteLength, 0),
      run: async (ask) => {
        const scope = await scopeOf(ask, owner);
        const given = new Map(of.vectors);
        const found = await ask<{
          id: string;
          number: number;
          live: boolean;
          vector: Buffer | null;
          block: number | null;
        }>(
          `select e.id, e.number, e.live, v.vector, v.block from ${engrams} e
           left join ${vectors} v on v.engram = e.number and v.model = $3
           where e.scope = $1 and e.id = any($2::text[]) and e.forgotten is null
           order by e.number`,
          [scope, [...given.keys()], of.model],
        );
        const fresh = found.flatMap(({ id, number, live, vector: before, block }) => {
          const vector = given.get(id);
          if (!vector || (before && blobOf(vector).equals(before))) return [];
          return [{ engram: number, live, block, vector }];
        });
        await leave(ask, fresh);
        await ask(
          `insert into ${vectors} (engram, model, model_name, vector)
           select engram, $1, $2, vector from unnest($3::bigint[], $4::bytea[]) as fresh (engram, vector)
           on conflict (engram, model) do update set vector = excluded.vector, block = null`,
          [
            ...[of.model, of.modelName],
            ...[fresh.map(({ engram }) => engram), fresh.map(({ vector }) => blobOf(vector))],
          ],
        );
        const byLength = new Map<number, BlockEntry[]>();
        for (const { engram, vector, live } of fresh) {
          if (live) byLength.set(vector.length, [...(byLength.get(vector.length) ?? []), { engram, vector }]);
        }
        for (const [dimensions, some] of byLength) {
          await pack(ask, { scope, model: of.model, dimensions }, some);
        }
      },
    }),

    forget: (
      owner: ScopeColumns,
      of: { readonly id: string; readonly forgotten: string },
    ): EngramJob<boolean> => ({
      size: 0,
      run: async (ask) => {
        const found = await find(ask, await scopeOf(ask, owner), of.id);
        if (!found || found.gone) return false;
        await hide(ask, found.number);
        await ask(`delete from ${vectors} where engram = $1`, [found.number]);
        await ask(`delete from ${annotations} where engram = $1`, [found.number]);
        await ask(`update ${engrams} set retired = false, forgotten = $2, data = $3 where number = $1`, [
          found.number,
          of.forgotten,
          wiped(found.data),
        ]);
        return true;
      },
    }),
  };
}

type Place = { readonly scope: number; readonly model: string; readonly dimensions: number };
type BlockRow = Place & PackedBlock & { readonly number: number };
