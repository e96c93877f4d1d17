import type { MemoryScope } from "../kernel/index.ts";
import type { EngramStore } from "../memory/engram-store.ts";
import { searchWords, engramWords } from "../memory/query.ts";
import { yieldToOthers, type Database, type Value } from "./database.ts";
import type { Blob } from "./engram-block.ts";
import { engramIndexes, type BlockRow, type VectorSource } from "./engram-index.ts";
import {
  scopeWord,
  annotationColumns,
  checkVector,
  splitVectors,
  engramColumns,
  parseEngram,
  parseEngramId,
  hashKey,
  readStoredEngram,
  toVector,
  type StoredRow,
} from "./engram-row.ts";
import { engramWrites } from "./engram-writes.ts";
import { escapeText } from "./batch.ts";

/** The scope's number; none has 0. */
const SCOPE = "coalesce((select number from @engram_scope where organization = $1 and user_id = $2), 0)";

const BLOCKS = `select number, version, heads, codes from @engram_block
  where scope = $1 and model = $2 and dimensions = $3`;

const VECTORS = `select e.number, e.name, v.vector from @engram e join @engram_vector v on v.engram = e.number
  where e.scope = ${SCOPE} and v.model = $3`;

/** Engrams that are looked through at once for those without a vector. */
const LOOKED_THROUGH = 4_000;

/** Engrams in the tables beside the journal's. Vectors are searched by this process, so that no extension of a database is needed. */
export function createEngrams(database: Database): EngramStore {
  const { dialect } = database;
  const write = engramWrites(dialect);
  const STORED = `
    select e.name, e.data, e.cluster_name, e.forgotten,
      (select ${dialect.list("a.annotation", "a.number")}
        from @engram_annotation a where a.engram = e.number) as annotations,
      (select ${dialect.list("v.model_name", "v.model_name")}
        from @engram_vector v where v.engram = e.number) as embedded
    from @engram e where e.scope = ${SCOPE}`;
  const GET = `${STORED} and ${dialect.among("e.id", "$3", "text")}`;
  const EXACT = `${VECTORS} and ${dialect.isLive} and ${dialect.among("e.number", "$4", "bigint")}`;
  const NAMED = `${VECTORS} and ${dialect.among("e.id", "$4", "text")}`;
  const LIVE = `from @engram e where e.scope = ${SCOPE} and ${dialect.isLive}`;
  const LOWEST = `select min(number) as number from (
      select e.number ${LIVE} and e.number < $3 order by e.number desc limit ${LOOKED_THROUGH}
    ) as page`;
  const WITHOUT = `select e.number, e.data ${LIVE} and e.number >= $3 and e.number < $4
      and not exists (select 1 from @engram_vector v where v.engram = e.number and v.model = $5)
    order by e.number desc limit $6`;

  const indexes = engramIndexes();
  /** By scope and model: all live engrams below this number have a vector, and keep it as long as they live. */
  const embeddedBelow = new Map<string, number>();

  const numberOf = async ({ organization, user }: MemoryScope): Promise<number> => {
    const row = await database.first<{ scope: number }>(`select ${SCOPE} as scope`, organization, user);
    return row?.scope ?? 0;
  };
  type StoredVector = { readonly number: number; readonly name: string; readonly vector: Blob };

  return {
    async put(engram, cluster) {
      const columns = engramColumns(engram, cluster);
      const words = engramWords(engram);
      return database.transaction(columns.data.length, (to) => write.put(to, columns, words));
    },
    async annotate(engram, annotation) {
      const columns = annotationColumns(engram, annotation);
      const size = columns.annotation.length;
      const { state, names } = await database.transaction(size, (to) => write.annotate(to, columns));
      return { state, lapsed: names.map(parseEngramId) };
    },
    async get({ organization, user }, ids) {
      const rows = await database.all<StoredRow & { name: string }>(
        GET,
        organization,
        user,
        ids.map(hashKey),
      );
      const found = new Map(rows.map((row) => [row.name, readStoredEngram(row)]));
      return ids.flatMap((id) => found.get(escapeText(id)) ?? []);
    },
    async list({ organization, user }, { before, type, respondent, retired, cluster, limit }) {
      const values: Value[] = [organization, user];
      const only = (sql: (parameter: string) => string, value: Value | undefined): string =>
        value === undefined ? "" : ` and ${sql(`$${values.push(value)}`)}`;
      const place = "select number from @engram where scope = e.scope and id =";
      const conditions = [
        only((id) => `e.number < (${place} ${id})`, before && hashKey(before)),
        only((own) => `e.type = ${own}`, type),
        only((own) => `e.respondent = ${own}`, respondent),
        only((own) => `e.retired = ${own}`, retired),
        only((own) => `e.cluster = ${own}`, cluster && hashKey(cluster)),
      ].join("");
      // A negative limit would be none.
      const page = `order by e.number desc limit $${values.push(Math.max(0, limit))}`;
      return (await database.all<StoredRow>(`${STORED}${conditions} ${page}`, ...values)).map(
        readStoredEngram,
      );
    },
    async nearest(scope, near) {
      const { organization, user } = scope;
      const vector = checkVector(near.vector);
      const number = await numberOf(scope);
      const model = hashKey(near.model);
      const blocks = (condition: string, from: number, limit: number) => {
        const sql = `${BLOCKS} and ${condition} limit $5`;
        return database.all<BlockRow>(sql, number, model, vector.length, from, limit);
      };
      const source: VectorSource = {
        changedSince: (version, limit) => blocks("version > $4 order by version", version, limit),
        blocksAfter: (after, limit) => blocks("number > $4 order by number", after, limit),
        exact: async (engrams) =>
          (await database.all<StoredVector>(EXACT, organization, user, model, engrams)).map((row) => ({
            number: row.number,
            id: parseEngramId(row.name),
            vector: toVector(row.vector),
          })),
      };
      const excluded =
        near.without === undefined
          ? []
          : await database.all<{ number: number }>(
              `select number from @engram where scope = $1 and conversation = $2`,
              number,
              near.without,
            );
      const without = new Set(excluded.map((row) => row.number));
      const query = { vector, limit: near.limit, without };
      return indexes.nearest(`${number} ${model} ${vector.length}`, source, query);
    },
    async matching(scope, { words, limit, without = null }) {
      const { organization, user } = scope;
      const number = await numberOf(scope);
      const names = await dialect.matching(database, {
        ...{ organization, user, scope: number, without, limit: Math.max(0, limit) },
        words: searchWords(words).map((word) => scopeWord(number, word)),
      });
      return names.map(parseEngramId);
    },
    async vectors({ organization, user }, { model, ids }) {
      const key = [organization, user, hashKey(model)];
      const rows = await database.all<StoredVector>(NAMED, ...key, ids.map(hashKey));
      return new Map(rows.map((row) => [parseEngramId(row.name), toVector(row.vector)]));
    },
    async unembedded({ organization, user }, { model, limit }) {
      const key = hashKey(model);
      const memo = `${organization} ${user} ${key}`;
      const rows: { readonly number: number; readonly data: string }[] = [];
      let below = Number.MAX_SAFE_INTEGER;
      let top: number | undefined;
      const floor = embeddedBelow.get(memo) ?? 0;
      while (rows.length < limit) {
        const page = await database.first<{ number: number | null }>(LOWEST, organization, user, below);
        const from = page?.number ?? null;
        if (from === null || below <= floor) {
          // All were looked through: below the last one that is without, or below the first page, none is.
          embeddedBelow.set(memo, rows.at(-1)?.number ?? top ?? floor);
          break;
        }
        const range = [organization, user, from, below, key, limit - rows.length];
        rows.push(...(await database.all<{ number: number; data: string }>(WITHOUT, ...range)));
        top ??= from;
        below = from;
        await yieldToOthers();
      }
      return rows.map(({ data }) => parseEngram(data));
    },
    async embed(scope, of) {
      for (const portion of splitVectors(of)) {
        const size = portion.vectors.reduce((sum, [, vector]) => sum + vector.byteLength, 0);
        await database.transaction(size, (to) => write.embed(to, scope, portion));
      }
    },
    forget: (scope, { id, by, at }) => {
      const of = { id: hashKey(id), forgotten: JSON.stringify({ by, at }) };
      return database.transaction(0, (to) => write.forget(to, scope, of));
    },
  };
}
