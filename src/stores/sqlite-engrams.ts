import type { MemoryScope } from "../kernel/index.ts";
import type { EngramQuery, EngramStore } from "../memory/engram-store.ts";
import { WORD_ENGRAMS, askedWords, bestMatches, engramWords } from "../memory/engram-words.ts";
import { engramIndexes, type BlockRow, type VectorSource } from "./engram-index.ts";
import {
  scopedWord,
  annotationColumns,
  bytesIn,
  checkedVector,
  embedPortions,
  engramColumns,
  engramOf,
  idOf,
  keyOf,
  storedOf,
  vectorOf,
  type Blob,
  type StoredRow,
} from "./engram-row.ts";
import { escaped } from "./row.ts";
import type { SqlValue } from "./sqlite-database.ts";
import type { prepareEngramWrites } from "./sqlite-engram-writes.ts";

/** What a store on one file shares with its engrams. */
export type SqliteAccess = {
  /** A select on the reading connection. */
  readonly ask: <Row>(sql: string) => (...values: SqlValue[]) => Promise<readonly Row[]>;
  /** Runs on the writing connection, in a transaction that is durable when this resolves. `size`: characters that are written. */
  readonly inTransaction: <T>(run: () => T, size?: number) => Promise<T>;
  readonly write: Awaited<ReturnType<typeof prepareEngramWrites>>;
};

/** The scope's number; none has 0. */
const SCOPE = "coalesce((select number from engram_scope where organization = ?1 and user_id = ?2), 0)";

const STORED = `
  select e.name, e.data, e.cluster_name, e.forgotten,
    (select json_group_array(a.annotation order by a.number) from engram_annotation a where a.engram = e.number) as annotations,
    (select json_group_array(v.model_name order by v.model_name) from engram_vector v where v.engram = e.number) as embedded
  from engram e where e.scope = ${SCOPE}`;

/** Engrams that are looked through at once for those without a vector. */
const LOOKED_THROUGH = 4_000;

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Engrams in the tables beside the journal's. */
export function sqliteEngrams({ ask, inTransaction, write }: SqliteAccess): EngramStore {
  const stored = ask<StoredRow & { name: string }>(`${STORED} and e.id in (select value from json_each(?3))`);
  const page = `
    and (?3 is null or e.number < (select number from engram where scope = e.scope and id = ?3))
    and (?4 is null or e.type = ?4) and (?5 is null or e.respondent = ?5) and (?6 is null or e.retired = ?6)
    order by e.number desc limit ?7`;
  const listed = ask<StoredRow>(`${STORED} ${page}`);
  const listedOfCluster = ask<StoredRow>(`${STORED} and e.cluster = ?8 ${page}`);
  const scopeNumber = ask<{ scope: number }>(`select ${SCOPE} as scope`);
  const inConversation = ask<{ number: number }>(
    `select number from engram where scope = ${SCOPE} and conversation = ?3`,
  );
  const changedSince = ask<StoredBlock>(`
    select number, version, heads, codes from engram_block
    where scope = ? and model = ? and dimensions = ? and version > ? order by version limit ?`);
  const blocksAfter = ask<StoredBlock>(`
    select number, version, heads, codes from engram_block
    where scope = ? and model = ? and dimensions = ? and number > ? order by number limit ?`);
  const vectorsOf = `
    select e.number, e.name, v.vector from engram e join engram_vector v on v.engram = e.number
    where e.scope = ${SCOPE} and v.model = ?3`;
  const exact = ask<StoredVector>(
    `${vectorsOf} and e.live = 1 and e.number in (select value from json_each(?4))`,
  );
  const named = ask<StoredVector>(`${vectorsOf} and e.id in (select value from json_each(?4))`);
  const havingWord = ask<{ numbers: string }>(`
    select json_group_array(number) as numbers
    from (select rowid as number from engram_words where engram_words match ? order by rowid desc limit ${WORD_ENGRAMS})`);
  const names = ask<{ number: number; name: string }>(`
    select number, name from engram
    where scope = ${SCOPE} and live = 1 and number in (select value from json_each(?3))`);
  const lowest = ask<{ number: number | null }>(`
    select min(number) as number from (
      select number from engram where scope = ${SCOPE} and live = 1 and number < ?3
      order by number desc limit ${LOOKED_THROUGH}
    )`);
  const without = ask<{ number: number; data: string }>(`
    select number, data from engram e
    where scope = ${SCOPE} and live = 1 and number >= ?3 and number < ?4
      and not exists (select 1 from engram_vector where engram = e.number and model = ?5)
    order by number desc limit ?6`);

  const indexes = engramIndexes();
  /** By scope and model: all live engrams below this number have a vector, and keep it as long as they live. */
  const embeddedBelow = new Map<string, number>();

  const numbersIn = async (scope: MemoryScope, conversation: string | undefined) =>
    conversation === undefined
      ? new Set<number>()
      : new Set(
          (await inConversation(scope.organization, scope.user, conversation)).map(({ number }) => number),
        );

  return {
    async put(engram, cluster) {
      const columns = engramColumns(engram, cluster);
      const words = engramWords(engram);
      return inTransaction(() => write.put(columns, words), columns.data.length);
    },
    async annotate(engram, annotation) {
      const columns = annotationColumns(engram, annotation);
      const { state, names: lapsed } = await inTransaction(
        () => write.annotate(columns),
        columns.annotation.length,
      );
      return { state, lapsed: lapsed.map(idOf) };
    },
    async get({ organization, user }, ids) {
      const rows = await stored(organization, user, JSON.stringify(ids.map(keyOf)));
      const found = new Map(rows.map((row) => [row.name, storedOf(row)]));
      return ids.flatMap((id) => found.get(escaped(id)) ?? []);
    },
    async list({ organization, user }, query) {
      const values: SqlValue[] = [organization, user, ...listValues(query)];
      const rows =
        query.cluster === undefined
          ? await listed(...values)
          : await listedOfCluster(...values, keyOf(query.cluster));
      return rows.map(storedOf);
    },
    async nearest(scope, near) {
      const { organization, user } = scope;
      const vector = checkedVector(near.vector);
      const [found] = await scopeNumber(organization, user);
      const number = found?.scope ?? 0;
      const model = keyOf(near.model);
      const source: VectorSource = {
        changedSince: async (version, limit) =>
          (await changedSince(number, model, vector.length, version, limit)).map(blockOf),
        blocksAfter: async (after, limit) =>
          (await blocksAfter(number, model, vector.length, after, limit)).map(blockOf),
        exact: async (engrams) =>
          (await exact(organization, user, model, JSON.stringify(engrams))).map((row) => ({
            number: row.number,
            id: idOf(row.name),
            vector: vectorOf(row.vector),
          })),
      };
      const excluded = await numbersIn(scope, near.without);
      const query = { vector, limit: near.limit, without: excluded };
      return indexes.nearest(`${number} ${model} ${vector.length}`, source, query);
    },
    async matching(scope, match) {
      const { organization, user } = scope;
      const [found] = await scopeNumber(organization, user);
      const excluded = await numbersIn(scope, match.without);
      const having: number[][] = [];
      for (const word of askedWords(match.words)) {
        // A word is letters and digits, so the quotes are its end.
        const [row] = await havingWord(`"${scopedWord(found?.scope ?? 0, word)}"`);
        // The select above makes it.
        having.push(JSON.parse(row?.numbers ?? "[]") as number[]);
        await breath();
      }
      const best = bestMatches(having, match.limit + excluded.size).filter((number) => !excluded.has(number));
      const wanted = best.slice(0, Math.max(0, match.limit));
      const rows = await names(organization, user, JSON.stringify(wanted));
      const ids = new Map(rows.map(({ number, name }) => [number, idOf(name)]));
      return wanted.flatMap((number) => ids.get(number) ?? []);
    },
    async vectors({ organization, user }, { model, ids }) {
      const rows = await named(organization, user, keyOf(model), JSON.stringify(ids.map(keyOf)));
      return new Map(rows.map((row) => [idOf(row.name), vectorOf(row.vector)]));
    },
    async unembedded({ organization, user }, { model, limit }) {
      const key = keyOf(model);
      const memo = `${organization} ${user} ${key}`;
      const rows: { readonly number: number; readonly data: string }[] = [];
      let below = Number.MAX_SAFE_INTEGER;
      let top: number | undefined;
      const floor = embeddedBelow.get(memo) ?? 0;
      while (rows.length < limit) {
        const [page] = await lowest(organization, user, below);
        const from = page?.number ?? null;
        if (from === null || below <= floor) {
          // All were looked through: below the last one that is without, or below the first page, none is.
          embeddedBelow.set(memo, rows.at(-1)?.number ?? top ?? floor);
          break;
        }
        const some = await without(organization, user, from, below, key, limit - rows.length);
        rows.push(...some);
        top ??= from;
        below = from;
        await breath();
      }
      return rows.map(({ data }) => engramOf(data));
    },
    async embed({ organization, user }, of) {
      for (const portion of embedPortions(of)) {
        const size = portion.vectors.reduce((sum, [, vector]) => sum + vector.byteLength, 0);
        await inTransaction(() => write.embed({ organization, user }, portion), size);
      }
    },
    forget: ({ organization, user }, { id, by, at }) => {
      const of = { id: keyOf(id), forgotten: JSON.stringify({ by, at }) };
      return inTransaction(() => write.forget({ organization, user }, of));
    },
  };
}

type StoredBlock = Omit<BlockRow, "heads" | "codes"> & { readonly heads: Blob; readonly codes: Blob };
type StoredVector = { readonly number: number; readonly name: string; readonly vector: Blob };

const blockOf = (row: StoredBlock): BlockRow => ({
  number: row.number,
  version: row.version,
  heads: bytesIn(row.heads),
  codes: bytesIn(row.codes),
});

/** What a list asks for, in the order of the select: before, type, respondent, retired, limit. */
const listValues = (query: EngramQuery): SqlValue[] => [
  query.before === undefined ? null : keyOf(query.before),
  query.type ?? null,
  query.respondent ?? null,
  query.retired === undefined ? null : query.retired ? 1 : 0,
  // A negative one would be none.
  Math.max(0, query.limit),
];
