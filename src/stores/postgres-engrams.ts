import type { MemoryScope } from "../kernel/index.ts";
import type { EngramStore } from "../memory/engram-store.ts";
import { WORD_ENGRAMS, askedWords, engramWords } from "../memory/engram-words.ts";
import { engramIndexes, type BlockRow, type VectorSource } from "./engram-index.ts";
import {
  scopedWord,
  annotationColumns,
  checkedVector,
  embedPortions,
  engramColumns,
  engramOf,
  idOf,
  keyOf,
  storedOf,
  vectorOf,
  type StoredRow,
} from "./engram-row.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { postgresEngramWrites, type EngramJob } from "./postgres-engram-writes.ts";
import { escaped } from "./row.ts";

type Value = string | number | boolean | null | readonly (string | number)[];

/** What a store on one server shares with its engrams. */
export type PostgresAccess = {
  readonly database: PostgresDatabase;
  /** A prepared select. */
  readonly ask: <Row extends object>(
    name: string,
    text: string,
  ) => (...values: readonly Value[]) => Promise<readonly Row[]>;
  /** Resolves when the job's transaction is durable; errors become faults. */
  readonly committed: <T>(job: EngramJob<T>) => Promise<T>;
};

type StoredVector = { readonly number: number; readonly name: string; readonly vector: Buffer };

/**
 * Engrams in the tables beside the journal's. Vectors are searched by this process, as on a file: an extension of the
 * server's is not needed.
 */
export function postgresEngrams({ database, ask, committed }: PostgresAccess): EngramStore {
  const { table } = database;
  const write = postgresEngramWrites(database);
  const scopeSql = `coalesce((select number from ${table("engram_scope")} where organization = $1 and user_id = $2), 0)`;
  const engrams = `from ${table("engram")} e where e.scope = ${scopeSql}`;
  const stored = `
    select e.name, e.data, e.cluster_name, e.forgotten,
      (select coalesce(json_agg(a.annotation order by a.number), '[]')::text
        from ${table("engram_annotation")} a where a.engram = e.number) as annotations,
      (select coalesce(json_agg(v.model_name order by v.model_name collate "C"), '[]')::text
        from ${table("engram_vector")} v where v.engram = e.number) as embedded
    ${engrams}`;
  const get = ask<StoredRow & { name: string }>("engrams-get", `${stored} and e.id = any($3::text[])`);
  const list = ask<StoredRow>(
    "engrams-list",
    `${stored}
      and ($3::text is null or e.number < (select number from ${table("engram")} where scope = e.scope and id = $3))
      and ($4::text is null or e.type = $4) and ($5::text is null or e.respondent = $5)
      and ($6::boolean is null or e.retired = $6) and ($7::text is null or e.cluster = $7)
     order by e.number desc limit $8`,
  );
  const scopeNumber = ask<{ scope: number }>("engrams-scope", `select ${scopeSql} as scope`);
  const inConversation = ask<{ number: number }>(
    "engrams-conversation",
    `select e.number ${engrams} and e.conversation = $3`,
  );
  const blocks = `
    select number, version, heads, codes from ${table("engram_block")}
    where scope = $1 and model = $2 and dimensions = $3`;
  const changedSince = ask<BlockRow>(
    "engrams-changed",
    `${blocks} and version > $4 order by version limit $5`,
  );
  const blocksAfter = ask<BlockRow>("engrams-blocks", `${blocks} and number > $4 order by number limit $5`);
  const vectors = `
    select e.number, e.name, v.vector from ${table("engram")} e
    join ${table("engram_vector")} v on v.engram = e.number
    where e.scope = ${scopeSql} and v.model = $3`;
  const exact = ask<StoredVector>("engrams-exact", `${vectors} and e.live and e.number = any($4::bigint[])`);
  const named = ask<StoredVector>("engrams-vectors", `${vectors} and e.id = any($4::text[])`);
  // Weights as those of `bestMatches`.
  const matching = ask<{ name: string }>(
    "engrams-matching",
    `with hit as (
       select asked.word, found.number, found.name, found.conversation
       from unnest($3::text[]) as asked (word), lateral (
         select e.number, e.name, e.conversation ${engrams} and e.words @@ asked.word::tsquery
         order by e.number desc limit ${WORD_ENGRAMS}
       ) as found
     ), weight as (
       select word, ln(1 + ${WORD_ENGRAMS}::float8 / count(*)) as weight from hit group by word
     )
     select name from hit join weight using (word)
     where $4::text is null or conversation is distinct from $4
     group by number, name order by sum(weight) desc, number desc limit $5`,
  );
  const unembedded = ask<{ data: string }>(
    "engrams-unembedded",
    `select e.data ${engrams} and e.live
       and not exists (select from ${table("engram_vector")} v where v.engram = e.number and v.model = $3)
     order by e.number desc limit $4`,
  );

  const indexes = engramIndexes();

  const numberOf = async ({ organization, user }: MemoryScope): Promise<number> =>
    (await scopeNumber(organization, user))[0]?.scope ?? 0;

  return {
    put: async (engram, cluster) => {
      const columns = engramColumns(engram, cluster);
      return committed(write.put(columns, engramWords(engram)));
    },
    async annotate(engram, annotation) {
      const columns = annotationColumns(engram, annotation);
      const { state, names } = await committed(write.annotate(columns));
      return { state, lapsed: names.map(idOf) };
    },
    async get({ organization, user }, ids) {
      const rows = await get(organization, user, ids.map(keyOf));
      const found = new Map(rows.map((row) => [row.name, storedOf(row)]));
      return ids.flatMap((id) => found.get(escaped(id)) ?? []);
    },
    async list({ organization, user }, { before, type, respondent, retired, cluster, limit }) {
      const of = [type ?? null, respondent ?? null, retired ?? null] as const;
      const from = before === undefined ? null : keyOf(before);
      const own = cluster === undefined ? null : keyOf(cluster);
      return (await list(organization, user, from, ...of, own, Math.max(0, limit))).map(storedOf);
    },
    async nearest(scope, near) {
      const { organization, user } = scope;
      const vector = checkedVector(near.vector);
      const number = await numberOf(scope);
      const model = keyOf(near.model);
      const source: VectorSource = {
        changedSince: (version, limit) => changedSince(number, model, vector.length, version, limit),
        blocksAfter: (after, limit) => blocksAfter(number, model, vector.length, after, limit),
        exact: async (wanted) =>
          (await exact(organization, user, model, wanted)).map((row) => ({
            number: row.number,
            id: idOf(row.name),
            vector: vectorOf(row.vector),
          })),
      };
      const excluded =
        near.without === undefined ? [] : await inConversation(organization, user, near.without);
      const without = new Set(excluded.map((row) => row.number));
      const query = { vector, limit: near.limit, without };
      return indexes.nearest(`${number} ${model} ${vector.length}`, source, query);
    },
    async matching(scope, { words, limit, without }) {
      const number = await numberOf(scope);
      // A word is letters and digits, so the quotes are its end.
      const lexemes = askedWords(words).map((word) => `'${scopedWord(number, word)}'`);
      const { organization, user } = scope;
      const rows = await matching(organization, user, lexemes, without ?? null, Math.max(0, limit));
      return rows.map(({ name }) => idOf(name));
    },
    async vectors({ organization, user }, { model, ids }) {
      const rows = await named(organization, user, keyOf(model), ids.map(keyOf));
      return new Map(rows.map((row) => [idOf(row.name), vectorOf(row.vector)]));
    },
    async unembedded({ organization, user }, { model, limit }) {
      const rows = await unembedded(organization, user, keyOf(model), Math.max(0, limit));
      return rows.map(({ data }) => engramOf(data));
    },
    async embed({ organization, user }, of) {
      for (const portion of embedPortions(of)) await committed(write.embed({ organization, user }, portion));
    },
    forget: ({ organization, user }, { id, by, at }) => {
      const of = { id: keyOf(id), forgotten: JSON.stringify({ by, at }) };
      return committed(write.forget({ organization, user }, of));
    },
  };
}
