import type { MemoryScope } from "../kernel/index.ts";
import { KEPT_ANNOTATIONS } from "../memory/engram-store.ts";
import type { SqlDialect, Statements } from "./database.ts";
import {
  EMPTY_BLOCK,
  appendEntries,
  maxEntries,
  clearEntries,
  countEntries,
  toBytes,
  type Blob,
  type BlockEntry,
  type PackedBlock,
} from "./engram-block.ts";
import {
  toBlob,
  scopeWord,
  eraseContent,
  type AnnotationOutcome,
  type AnnotationColumns,
  type EmbedColumns,
  type EngramColumns,
} from "./engram-row.ts";

type EngramLookup = { readonly number: number; readonly forgotten: string | null; readonly data: string };
type BlockKey = { readonly scope: number; readonly model: string; readonly dimensions: number };
type StoredBlockRow = BlockKey & PackedBlock & { readonly number: number };

const FIND = "select number, forgotten, data from @engram where scope = $1 and id = $2";
const BLOCKS = "select * from @engram_block where scope = $1 and model = $2 and dimensions = $3";
const NEXT_VERSION = `(select coalesce(max(version), 0) + 1 from @engram_block
  where scope = $1 and model = $2 and dimensions = $3)`;

/** What is written of engrams, each inside a transaction. */
export function engramWrites({ list, among, words }: SqlDialect) {
  const PUT = `
    insert into @engram
      (scope, id, name, type, respondent, conversation, cluster, cluster_name, data, retired, live${words.column})
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, retires, live${words.value}
    from (select retires, cast($4 as text) = 'episodic' and not retires as live from (
      select exists (select 1 from @engram_waiting where scope = $1 and id = $2 and retires = (1 = 1)) as retires
    ) as waiting) as waiting
    where not exists (select 1 from @deliberation where id = $11 and status = 'forgotten')
    on conflict do nothing returning number, live`;
  const EMBEDDED = `
    select e.id, e.number, e.live, v.vector, v.block from @engram e
    left join @engram_vector v on v.engram = e.number and v.model = $3
    where e.scope = $1 and ${among("e.id", "$2", "text")} and e.forgotten is null order by e.number`;
  const TAKEN = `
    select e.number, e.forgotten, e.data from @engram e join @engram_scope s on s.number = e.scope
    where s.organization = $1 and ${among("e.conversation", "$2", "text")} and e.forgotten is null
      and length(replace(e.data, $3, '')) < length(e.data)`;
  const PLACE = `update @engram_vector set block = $1 where model = $2 and ${among("engram", "$3", "bigint")}`;
  const BLOCKS_OF = `select ${list("block", "block")} as blocks from @engram_vector where engram = $1 and block is not null`;

  const scopeOf = async (to: Statements, { organization, user }: MemoryScope): Promise<number> => {
    const get = "select number from @engram_scope where organization = $1 and user_id = $2";
    const add = "insert into @engram_scope (organization, user_id) values ($1, $2) returning number";
    const found = await to.first<{ number: number }>(get, organization, user);
    return (found ?? (await to.first<{ number: number }>(add, organization, user)))?.number ?? 0;
  };

  const rewrite = async (
    to: Statements,
    row: StoredBlockRow,
    { heads, codes }: ReturnType<typeof appendEntries>,
  ): Promise<void> => {
    const sql = `update @engram_block set version = ${NEXT_VERSION}, heads = $4, codes = $5 where number = $6`;
    const { scope, model, dimensions, number } = row;
    await to.run(sql, scope, model, dimensions, heads, codes, number);
  };

  const leave = async (to: Statements, block: number, engrams: ReadonlySet<number>): Promise<void> => {
    const row = await to.first<StoredBlockRow>("select * from @engram_block where number = $1", block);
    if (row) await rewrite(to, row, clearEntries(row, engrams));
  };

  /** So that nothing but a look-up finds it. */
  const hide = async (to: Statements, engram: number): Promise<void> => {
    await words.drop(to, engram);
    const found = await to.first<{ blocks: string }>(BLOCKS_OF, engram);
    // The select above makes it.
    for (const block of JSON.parse(found?.blocks ?? "[]") as number[])
      await leave(to, block, new Set([engram]));
    await to.run("update @engram_vector set block = null where engram = $1", engram);
    await to.run("update @engram set live = (1 = 0) where number = $1", engram);
  };

  const erase = async (to: Statements, { number, data }: EngramLookup, forgotten: string): Promise<void> => {
    await hide(to, number);
    await to.run("delete from @engram_vector where engram = $1", number);
    await to.run("delete from @engram_annotation where engram = $1", number);
    await to.run(
      "update @engram set retired = (1 = 0), forgotten = $2, data = $3 where number = $1",
      ...[number, forgotten, eraseContent(data)],
    );
  };

  /** Gives the entries places in the blocks of their kind. */
  const pack = async (to: Statements, place: BlockKey, entries: readonly BlockEntry[]): Promise<void> => {
    const key = [place.scope, place.model, place.dimensions];
    for (let at = 0; at < entries.length;) {
      const last = await to.first<StoredBlockRow>(`${BLOCKS} order by number desc limit 1`, ...key);
      const room = last ? maxEntries(place.dimensions) - countEntries(last) : 0;
      const some = entries.slice(at, at + (room > 0 ? room : maxEntries(place.dimensions)));
      let block = last?.number ?? 0;
      if (last && room > 0) await rewrite(to, last, appendEntries(last, some));
      else {
        const { heads, codes } = appendEntries(EMPTY_BLOCK, some);
        const sql = `insert into @engram_block (scope, model, dimensions, version, heads, codes)
          values ($1, $2, $3, ${NEXT_VERSION}, $4, $5) returning number`;
        const made = await to.first<{ number: number }>(sql, ...key, heads, codes);
        block = made?.number ?? 0;
      }
      await to.run(
        PLACE,
        block,
        place.model,
        some.map(({ engram }) => engram),
      );
      at += some.length;
    }
  };

  return {
    async put(to: Statements, columns: EngramColumns, ownWords: readonly string[]): Promise<boolean> {
      const scope = await scopeOf(to, columns);
      const { id, name, type, respondent, conversation, cluster, clusterName, data, of } = columns;
      const key = [scope, id];
      const scoped = ownWords.map((word) => scopeWord(scope, word));
      const values = [...key, name, type, respondent, conversation, cluster, clusterName, data, scoped, of];
      const made = await to.first<{ number: number; live: boolean | number }>(PUT, ...values);
      if (!made) return false;
      await to.run(
        `insert into @engram_annotation (engram, event, annotation)
         select $3, event, annotation from @engram_waiting where scope = $1 and id = $2 order by number`,
        ...key,
        made.number,
      );
      await to.run("delete from @engram_waiting where scope = $1 and id = $2", ...key);
      if (made.live) await words.add(to, made.number, scoped);
      return true;
    },

    async annotate(to: Statements, columns: AnnotationColumns): Promise<AnnotationOutcome> {
      const scope = await scopeOf(to, columns);
      const { id, name, event, annotation, retires } = columns;
      const found = await to.first<EngramLookup>(FIND, scope, id);
      if (found) {
        if (found.forgotten !== null) return { state: "gone", names: [] };
        const isNew = await to.run(
          "insert into @engram_annotation (engram, event, annotation) values ($1, $2, $3) on conflict do nothing",
          found.number,
          event,
          annotation,
        );
        if (isNew === 0) return { state: "known", names: [] };
        if (retires) {
          await hide(to, found.number);
          await to.run("update @engram set retired = (1 = 1) where number = $1", found.number);
        }
        return { state: "annotated", names: [] };
      }
      await to.run(
        `insert into @engram_waiting (scope, id, name, event, annotation, retires)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        ...[scope, id, name, event, annotation, retires],
      );
      // The newest of those that are too many, and all before it.
      const newest = await to.first<{ number: number }>(
        `select number from @engram_waiting where scope = $1 order by number desc limit 1 offset ${KEPT_ANNOTATIONS}`,
        scope,
      );
      if (!newest) return { state: "kept", names: [] };
      const tooMany = "from @engram_waiting where scope = $1 and number <= $2";
      const lapsed = await to.all<{ name: string }>(
        `select name ${tooMany} order by number`,
        scope,
        newest.number,
      );
      await to.run(`delete ${tooMany}`, scope, newest.number);
      return { state: "kept", names: lapsed.map((row) => row.name) };
    },

    async embed(to: Statements, owner: MemoryScope, of: EmbedColumns): Promise<void> {
      const scope = await scopeOf(to, owner);
      const given = new Map(of.vectors);
      type Row = {
        readonly id: string;
        readonly number: number;
        readonly live: boolean | number;
        readonly vector: Blob | null;
        readonly block: number | null;
      };
      const rows = await to.all<Row>(EMBEDDED, scope, [...given.keys()], of.model);
      const fresh = rows.flatMap(({ id, number: engram, live, vector: before, block }) => {
        const vector = given.get(id);
        if (!vector || (before && toBlob(vector).equals(toBytes(before)))) return [];
        return [{ engram, live, block, vector }];
      });
      if (fresh.length === 0) return;
      const byBlock = new Map<number, Set<number>>();
      for (const { engram, block } of fresh)
        if (block !== null) byBlock.set(block, (byBlock.get(block) ?? new Set()).add(engram));
      for (const [block, some] of byBlock) await leave(to, block, some);
      await to.run(
        `insert into @engram_vector (engram, model, model_name, vector)
         values ${fresh.map((_, at) => `($${at * 2 + 3}, $1, $2, $${at * 2 + 4})`).join(", ")}
         on conflict (engram, model) do update set vector = excluded.vector, block = null`,
        ...[of.model, of.modelName],
        ...fresh.flatMap(({ engram, vector }) => [engram, toBlob(vector)]),
      );
      const byLength = new Map<number, BlockEntry[]>();
      for (const { engram, vector, live } of fresh)
        if (live) byLength.set(vector.length, [...(byLength.get(vector.length) ?? []), { engram, vector }]);
      for (const [dimensions, some] of byLength) await pack(to, { scope, model: of.model, dimensions }, some);
    },

    async forget(
      to: Statements,
      owner: MemoryScope,
      of: { readonly id: string; readonly forgotten: string },
    ): Promise<boolean> {
      const found = await to.first<EngramLookup>(FIND, await scopeOf(to, owner), of.id);
      if (!found || found.forgotten !== null) return false;
      await erase(to, found, of.forgotten);
      return true;
    },

    /** Forgets all that was taken from a deliberation of a conversation, and what waits for more of it. */
    async forgetOf(
      to: Statements,
      organization: string,
      { id, conversation, forgotten }: { id: string; conversation: string; forgotten: string },
    ): Promise<void> {
      const taken = [organization, [id, conversation], `"deliberation":"${id}"`];
      for (const found of await to.all<EngramLookup>(TAKEN, ...taken)) await erase(to, found, forgotten);
      await to.run(
        "delete from @engram_waiting where substr(name, 1, length($1)) = $1 and scope in (select number from @engram_scope where organization = $2)",
        ...[`"${id}/`, organization],
      );
    },
  };
}
