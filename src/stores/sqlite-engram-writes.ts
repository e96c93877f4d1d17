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
import type { SqliteDatabase, Statement } from "./sqlite-database.ts";

type Found = {
  readonly number: number;
  readonly forgotten: string | null;
  readonly live: number;
  readonly data: string;
};

/** The statements of the writing connection; each is called inside a transaction. */
export async function prepareEngramWrites({ writer }: Pick<SqliteDatabase, "writer">) {
  // What is deleted is overwritten.
  await writer.exec("pragma secure_delete = on");
  const prepare = async (sql: string): Promise<Statement> => writer.prepare(sql);

  const addScope = await prepare(
    "insert into engram_scope (organization, user_id) values (?, ?) on conflict do nothing",
  );
  const getScope = await prepare("select number from engram_scope where organization = ? and user_id = ?");
  const getEngram = await prepare(
    "select number, forgotten, live, data from engram where scope = ? and id = ?",
  );
  const insertEngram = await prepare(`
    insert into engram
      (scope, id, name, type, respondent, conversation, cluster, cluster_name, retired, live, forgotten, data)
    values (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, null, ?) on conflict do nothing`);
  const takeWaiting = await prepare(`
    insert into engram_annotation (engram, event, annotation)
    select ?, event, annotation from engram_waiting where scope = ? and id = ? order by number`);
  const retiresWaiting = await prepare(
    "select coalesce(max(retires), 0) as retires from engram_waiting where scope = ? and id = ?",
  );
  const dropWaiting = await prepare("delete from engram_waiting where scope = ? and id = ?");
  const insertAnnotation = await prepare(
    "insert into engram_annotation (engram, event, annotation) values (?, ?, ?) on conflict do nothing",
  );
  const insertWaiting = await prepare(`
    insert into engram_waiting (scope, id, name, event, annotation, retires)
    values (?, ?, ?, ?, ?, ?) on conflict do nothing`);
  const countWaiting = await prepare("select count(*) as waiting from engram_waiting where scope = ?");
  const oldestWaiting = await prepare(
    "select number, name from engram_waiting where scope = ? order by number limit 1",
  );
  const dropOldest = await prepare("delete from engram_waiting where number = ?");
  const retire = await prepare("update engram set retired = 1, live = 0 where number = ?");
  const forget = await prepare(
    "update engram set retired = 0, live = 0, forgotten = ?, data = ? where number = ?",
  );
  const dropAnnotations = await prepare("delete from engram_annotation where engram = ?");
  const dropVectors = await prepare("delete from engram_vector where engram = ?");
  const insertWords = await prepare("insert into engram_words (rowid, words) values (?, ?)");
  const dropWords = await prepare("delete from engram_words where rowid = ?");
  const blocksOf = await prepare(
    "select json_group_array(block) as blocks from engram_vector where engram = ? and block is not null",
  );
  const getVector = await prepare("select vector, block from engram_vector where engram = ? and model = ?");
  const putVector = await prepare(`
    insert into engram_vector (engram, model, model_name, vector, block) values (?, ?, ?, ?, null)
    on conflict (engram, model) do update set vector = excluded.vector, block = null`);
  const placeVector = await prepare("update engram_vector set block = ? where engram = ? and model = ?");
  const leaveBlocks = await prepare("update engram_vector set block = null where engram = ?");
  const getBlock = await prepare("select * from engram_block where number = ?");
  const lastBlock = await prepare(
    "select * from engram_block where scope = ? and model = ? and dimensions = ? order by number desc limit 1",
  );
  const nextVersion = await prepare(
    "select coalesce(max(version), 0) + 1 as version from engram_block where scope = ? and model = ? and dimensions = ?",
  );
  const insertBlock = await prepare(
    "insert into engram_block (scope, model, dimensions, version, heads, codes) values (?, ?, ?, ?, ?, ?) returning number",
  );
  const updateBlock = await prepare(
    "update engram_block set version = ?, heads = ?, codes = ? where number = ?",
  );

  /** `Row` is what the select names. */
  const one = <Row>(statement: Statement, values: Parameters<Statement["get"]>[0]): Row | undefined =>
    statement.get(values) as Row | undefined;

  const scopeOf = ({ organization, user }: ScopeColumns): number => {
    addScope.run([organization, user]);
    return one<{ number: number }>(getScope, [organization, user])?.number ?? 0;
  };

  type Place = { readonly scope: number; readonly model: string; readonly dimensions: number };
  type BlockRow = Place & PackedBlock & { readonly number: number };

  const versionOf = ({ scope, model, dimensions }: Place): number =>
    one<{ version: number }>(nextVersion, [scope, model, dimensions])?.version ?? 1;

  const rewrite = (row: BlockRow, { heads, codes }: PackedBlock): void =>
    void updateBlock.run([versionOf(row), Buffer.from(heads), Buffer.from(codes), row.number]);

  /** Takes an engram out of one block. */
  const clear = (block: number, engram: number): void => {
    const row = one<BlockRow>(getBlock, [block]);
    if (row) rewrite(row, cleared(row, new Set([engram])));
  };

  /** So that nothing but a look-up finds it. */
  const hide = (engram: number): void => {
    dropWords.run([engram]);
    const found = one<{ blocks: string }>(blocksOf, [engram]);
    // The select above makes it.
    for (const block of JSON.parse(found?.blocks ?? "[]") as number[]) clear(block, engram);
    leaveBlocks.run([engram]);
  };

  /** Gives the entries places in the blocks of their kind. */
  const pack = (place: Place, entries: readonly BlockEntry[]): void => {
    const { scope, model, dimensions } = place;
    for (let at = 0; at < entries.length;) {
      const last = one<BlockRow>(lastBlock, [scope, model, dimensions]);
      const room = last ? blockEntries(dimensions) - entriesIn(last) : 0;
      const some = entries.slice(at, at + (room > 0 ? room : blockEntries(dimensions)));
      let block = last?.number ?? 0;
      if (last && room > 0) rewrite(last, appended(last, some));
      else {
        const { heads, codes } = appended(EMPTY_BLOCK, some);
        const values = [scope, model, dimensions, versionOf(place), Buffer.from(heads), Buffer.from(codes)];
        block = one<{ number: number }>(insertBlock, values)?.number ?? 0;
      }
      for (const { engram } of some) placeVector.run([block, engram, model]);
      at += some.length;
    }
  };

  return {
    put(columns: EngramColumns, words: readonly string[]): boolean {
      const scope = scopeOf(columns);
      const { id, name, type, respondent, conversation, cluster, clusterName, data } = columns;
      const key = [scope, id];
      const waiting = one<{ retires: number }>(retiresWaiting, key);
      const live = type === "episodic" && waiting?.retires !== 1;
      const kind = [type, respondent, conversation];
      const isNew = insertEngram.run([...key, name, ...kind, cluster, clusterName, live ? 1 : 0, data]);
      if (isNew.changes !== 1) return false;
      const number = one<Found>(getEngram, key)?.number ?? 0;
      takeWaiting.run([number, ...key]);
      dropWaiting.run(key);
      if (waiting?.retires === 1) retire.run([number]);
      if (live) insertWords.run([number, words.map((word) => scopedWord(scope, word)).join(" ")]);
      return true;
    },

    annotate(columns: AnnotationColumns): Annotated {
      const scope = scopeOf(columns);
      const { id, name, event, annotation, retires } = columns;
      const found = one<Found>(getEngram, [scope, id]);
      if (found) {
        if (found.forgotten !== null) return { state: "gone", names: [] };
        const { changes } = insertAnnotation.run([found.number, event, annotation]);
        if (changes !== 1) return { state: "known", names: [] };
        if (retires === 1) {
          hide(found.number);
          retire.run([found.number]);
        }
        return { state: "annotated", names: [] };
      }
      insertWaiting.run([scope, id, name, event, annotation, retires]);
      const waiting = one<{ waiting: number }>(countWaiting, [scope])?.waiting ?? 0;
      const names: string[] = [];
      for (let left = waiting; left > KEPT_ANNOTATIONS; left -= 1) {
        const oldest = one<{ number: number; name: string }>(oldestWaiting, [scope]);
        if (!oldest) break;
        names.push(oldest.name);
        dropOldest.run([oldest.number]);
      }
      return { state: "kept", names };
    },

    embed(owner: ScopeColumns, of: EmbedColumns): void {
      const scope = scopeOf(owner);
      const entries = new Map<number, BlockEntry[]>();
      for (const [id, vector] of of.vectors) {
        const found = one<Found>(getEngram, [scope, id]);
        if (!found || found.forgotten !== null) continue;
        const blob = blobOf(vector);
        const before = one<{ vector: Buffer; block: number | null }>(getVector, [found.number, of.model]);
        if (before && blob.equals(before.vector)) continue;
        if (before && before.block !== null) clear(before.block, found.number);
        putVector.run([found.number, of.model, of.modelName, blob]);
        if (found.live !== 1) continue;
        const alike = entries.get(vector.length) ?? [];
        entries.set(vector.length, alike);
        alike.push({ engram: found.number, vector });
      }
      for (const [dimensions, some] of entries) pack({ scope, model: of.model, dimensions }, some);
    },

    forget(owner: ScopeColumns, of: { readonly id: string; readonly forgotten: string }): boolean {
      const found = one<Found>(getEngram, [scopeOf(owner), of.id]);
      if (!found || found.forgotten !== null) return false;
      hide(found.number);
      dropVectors.run([found.number]);
      dropAnnotations.run([found.number]);
      forget.run([of.forgotten, wiped(found.data), found.number]);
      return true;
    },
  };
}
