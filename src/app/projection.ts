import type { PersonaShares } from "../contract/knowledge.ts";
import {
  Cursor,
  EVENT_SCHEMA,
  Fault,
  isUnreadable,
  type DeliberationId,
  type Entry,
  type OrganizationStore,
} from "../kernel/index.ts";
import { addSums, type Sums } from "../stats/numbers.ts";
import type { PartQuery, RunProjection, StoredPart, SumOf } from "../stores/projection.ts";
import {
  personaShares,
  addPart,
  filePart,
  modelName,
  namesIn,
  PARTS_VERSION,
  personaName,
  type RunPart,
} from "../views/run-part.ts";

// PROJ-3. What the projection answers is what a plain fold over all journals would. Else: spending, votes and quotas are wrong.

/** An organization's part of a store, and what is known over its deliberations. */
export type Projected = {
  readonly store: Pick<OrganizationStore, "read" | "changed">;
  readonly projection: RunProjection;
};

/** Which deliberations count. */
export type KnownRuns = {
  readonly protocol?: string | undefined;
  readonly kind?: string | undefined;
  /** Only those opened then or later; in milliseconds since 1970. */
  readonly since?: number | undefined;
};

export type ProjectionReading = {
  readonly onUnreadable: (id: string) => void;
  /** Called while journals are read that are not in the projection yet. */
  readonly onProgress?: (done: number, of: number) => void;
};

/** Parts that go into the projection together. */
const BATCH = 500;
const PAGE = 2_000;
/** What a newer vocabulary reads may be more than what this one does. */
const VERSION = 1_000 * PARTS_VERSION + EVENT_SCHEMA;
const START = Cursor.parse(0);
const UNREADABLE = "unreadable";

/** Brings the projection up to the journals; after the first time only what has changed since is read. */
export async function project(
  known: Projected,
  { onProgress }: Pick<ProjectionReading, "onProgress"> = {},
): Promise<void> {
  const { projection, store } = known;
  let reached = await projection.cursor(VERSION);
  if (reached === undefined) {
    await projection.clear();
    await projection.reach(VERSION, START);
    reached = START;
  }
  const { cursor, heads } = await store.changed(reached);
  if (heads.length === 0) return;
  // What was interrupted goes on where it was.
  const seqs = heads.length > BATCH ? await projection.seqs() : new Map<string, number>();
  const left = heads.filter(({ deliberation, seq }) => (seqs.get(deliberation) ?? -1) < seq);
  for (let start = 0; start < left.length; start += BATCH) {
    const parts: StoredPart[] = [];
    for (const { deliberation } of left.slice(start, start + BATCH))
      parts.push(...(await readPart(known, deliberation)));
    await projection.put(parts);
    onProgress?.(Math.min(start + BATCH, left.length), left.length);
  }
  await projection.reach(VERSION, cursor);
}

/** Throws away what is kept, and makes it anew; resolves to the number of deliberations. */
export async function rebuildProjection(known: Projected, reading: ProjectionReading): Promise<number> {
  await known.projection.clear();
  await project(known, reading);
  await reportUnreadable(known, reading);
  return (await known.projection.seqs()).size;
}

async function readPart(
  { store }: Pick<Projected, "store">,
  deliberation: DeliberationId,
): Promise<StoredPart[]> {
  const entries = await readable(store, deliberation);
  if (entries === undefined) {
    const nothing = { protocol: "", kind: UNREADABLE, people: [], data: null };
    return [{ deliberation, seq: 0, opened: 0, openedAt: "", ...nothing }];
  }
  const [opened] = entries;
  const filed = filePart(entries);
  if (!opened || !filed) return [];
  const { part, ...place } = filed;
  const data = part && JSON.stringify(part);
  const people = part ? namesIn(part) : [];
  const seq = entries.at(-1)?.seq ?? 0;
  return [{ deliberation, seq, opened: opened.cursor, ...place, people, data }];
}

async function readable(
  store: Pick<OrganizationStore, "read">,
  id: DeliberationId,
): Promise<readonly Entry[] | undefined> {
  try {
    return await store.read(id);
  } catch (fault) {
    if (!isUnreadable(fault)) throw fault;
    return undefined;
  }
}

// `readPart` and `sumOf` wrote what these read.
const parsePart = (data: string) => JSON.parse(data) as RunPart;
const parseSums = (data: string): Sums => new Map(JSON.parse(data) as [string, number][]);

const sumOf: SumOf = (what, texts) => {
  const all: Sums = new Map();
  for (const text of texts)
    if (what === "parts") addPart(all, parsePart(text));
    else addSums(all, parseSums(text));
  return JSON.stringify([...all]);
};

async function* pagesOf(
  projection: RunProjection,
  query: PartQuery,
  first?: Pick<StoredPart, "openedAt" | "opened">,
): AsyncGenerator<StoredPart> {
  for (let before = first, isEnd = false; !isEnd;) {
    const page = await projection.parts(query, { limit: PAGE, ...(before === undefined ? {} : { before }) });
    yield* page;
    before = page.at(-1);
    isEnd = page.length < PAGE;
  }
}

/** A time in ISO 8601. A year that no such text can hold is beyond all others. */
const isoOf = (since: number): string => new Date(Math.min(Math.max(since, 0), 8.64e15)).toISOString();

async function reportUnreadable(
  { projection }: Projected,
  { onUnreadable }: ProjectionReading,
): Promise<void> {
  for await (const { deliberation } of pagesOf(projection, { kind: UNREADABLE, empty: true }))
    onUnreadable(deliberation);
}

/** What these deliberations come to together, and by kind of question (PROJ-3): see `addPart`. */
export async function readSums(
  known: Projected,
  { protocol, kind, since }: KnownRuns,
  reading: ProjectionReading,
): Promise<{ readonly all: Sums; readonly kinds: ReadonlyMap<string, Sums> }> {
  await project(known, reading);
  await reportUnreadable(known, reading);
  const from = since === undefined ? "" : isoOf(since);
  const day = from.slice(0, 10);
  const kinds = new Map<string, Sums>();
  const sumsOf = (of: string): Sums => {
    const own: Sums = kinds.get(of) ?? new Map();
    kinds.set(of, own);
    return own;
  };
  // Whole months and days by their sums; the day within which `since` is by its parts.
  for (const sum of await known.projection.sums({ protocol, kind, after: day }, sumOf))
    addSums(sumsOf(sum.kind), parseSums(sum.data));
  if (since !== undefined)
    for await (const part of pagesOf(known.projection, { protocol, kind, since: from, until: `${day}~` }))
      if (part.data !== null) addPart(sumsOf(part.kind), parsePart(part.data));
  const all: Sums = new Map();
  for (const own of kinds.values()) addSums(all, own);
  return { all, kinds };
}

/** Whom deliberations name, and the newest one that is looked at. */
type NamingRuns = KnownRuns & {
  readonly persona?: string | undefined;
  readonly model?: string | undefined;
  readonly from?: DeliberationId | undefined;
};

/** The journals of deliberations that name these personas and models, the newest first. @throws Fault `deliberation-missing` for a `from` that is not there */
export async function* readNaming(
  known: Projected,
  { protocol, kind, since, persona, model, from }: NamingRuns,
  reading: ProjectionReading,
): AsyncGenerator<readonly Entry[]> {
  await project(known, reading);
  await reportUnreadable(known, reading);
  const people = [
    persona === undefined ? [] : personaName(persona),
    model === undefined ? [] : modelName(model),
  ].flat();
  const query = { protocol, kind, people, since: since === undefined ? undefined : isoOf(since) };
  const [first] = from === undefined ? [] : await known.store.read(from, 0, 1);
  if (from !== undefined && first === undefined) throw new Fault("deliberation-missing", { id: from });
  // What was opened before the next place in the store: `from` itself, and all that are older.
  const before = first && { openedAt: first.at, opened: first.cursor + 1 };
  for await (const { deliberation } of pagesOf(known.projection, query, before)) {
    const entries = await readable(known.store, deliberation);
    if (entries) yield entries;
  }
}

/** What deliberations that name a persona add, from a time on (ISO 8601), the oldest first. */
export async function* readSessions(
  known: Projected,
  { persona, since }: { readonly persona: string; readonly since: string },
): AsyncGenerator<RunPart> {
  await project(known);
  const parts: RunPart[] = [];
  for await (const { data } of pagesOf(known.projection, { people: [personaName(persona)], since }))
    if (data !== null) parts.push(parsePart(data));
  yield* parts.toReversed();
}

/** What personas had of the answers that chairs wrote, over all deliberations. */
export async function readShares(
  known: Projected,
  { byStrategy, ...filter }: KnownRuns & { readonly byStrategy: boolean },
  reading: ProjectionReading,
): Promise<readonly PersonaShares[]> {
  return personaShares((await readSums(known, filter, reading)).all, byStrategy);
}
