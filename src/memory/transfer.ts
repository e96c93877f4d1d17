import * as z from "zod";
import { Annotation, Engram, EngramId, parseJson, UserId, type MemoryScope } from "../kernel/index.ts";
import type { EngramStore } from "./engram-store.ts";
import { parseFact, pinnedId } from "./facts.ts";
import { listEngrams } from "./lookup.ts";

const MAX_LINE_LENGTH = 4 * 1024 * 1024;
const MAX_REFUSALS = 100;
const CHUNK = 100;

/** One engram with what was said of it: a line of an export. */
export const EngramLine = z.strictObject({
  engram: Engram,
  cluster: EngramId,
  annotations: z.array(Annotation),
});
export type EngramLine = z.infer<typeof EngramLine>;

/** What `parley memory import --json` prints. Published as `schemas/memory-import.schema.json`. */
export const MemoryImport = z.strictObject({
  user: UserId,
  file: z.string(),
  /** Engrams that were not there; that were there, and stayed as they were; that were forgotten here, and stay so. */
  written: z.int(),
  known: z.int(),
  forgotten: z.int(),
  /** Annotations that were not there. */
  annotations: z.int(),
  /** Lines that are none of an export, and of these the first 100. `line`: from 1. */
  refused: z.int(),
  refusals: z.array(z.strictObject({ line: z.int(), why: z.string() })),
});
export type MemoryImport = z.infer<typeof MemoryImport>;
export type Imported = Omit<MemoryImport, "user" | "file">;

export type TextLines = AsyncIterable<string> | Iterable<string>;

/**
 * The engrams of a scope as they stand when it is asked, pinned facts too, oldest first, so that an import keeps their order. No
 * vectors: they belong to a model. What is forgotten is left out. @throws Fault `store-unavailable`
 */
export async function* exportEngrams(store: EngramStore, scope: MemoryScope): AsyncGenerator<EngramLine> {
  const ids: EngramId[] = [];
  for await (const { engram, forgotten } of listEngrams(store, scope, {}))
    if (!forgotten) ids.push(engram.id);
  ids.reverse();
  for (let from = 0; from < ids.length; from += CHUNK)
    for (const stored of await store.get(scope, ids.slice(from, from + CHUNK))) {
      const { engram, cluster, annotations, forgotten } = stored;
      if (forgotten === null) yield { engram, cluster, annotations: [...annotations] };
    }
}

/**
 * Takes the lines of an export into a scope, whatever scope they say; blank lines are passed over. What is there is never
 * changed, but gains the annotations that it lacks; a second time nothing happens. An engram keeps its id and its cluster,
 * and loses its deliberation and conversation, which are not here. Lines that are none are counted and the others go on.
 * @throws Fault `store-unavailable`
 */
export async function importEngrams(
  store: EngramStore,
  scope: MemoryScope,
  lines: TextLines,
): Promise<Imported> {
  const counts = { written: 0, known: 0, forgotten: 0, annotations: 0, refused: 0 };
  const refusals: Imported["refusals"] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === "") continue;
    const read = lineOf(text, scope);
    if (!read.ok) {
      counts.refused += 1;
      if (refusals.length < MAX_REFUSALS) refusals.push({ line, why: read.why });
      continue;
    }
    const took = await take(store, scope, read.value);
    counts[took.state] += 1;
    counts.annotations += took.annotations;
  }
  return { ...counts, refusals };
}

type ParsedLine =
  { readonly ok: true; readonly value: EngramLine } | { readonly ok: false; readonly why: string };

/** A line as it is to be written into this scope. */
function lineOf(text: string, { organization, user }: MemoryScope): ParsedLine {
  if (text.length > MAX_LINE_LENGTH) return { ok: false, why: "longer than 4 MB" };
  const parsed = parseJson(text);
  if (parsed === undefined) return { ok: false, why: "this is not JSON" };
  const read = EngramLine.safeParse(parsed);
  if (!read.success) {
    const [first] = read.error.issues;
    const path = (first?.path ?? []).map(String).join(".").slice(0, 200);
    return { ok: false, why: `${path === "" ? "" : `${path}: `}${(first?.message ?? "").slice(0, 300)}` };
  }
  const { cluster, annotations } = read.data;
  const engram = { ...read.data.engram, organization, user, deliberation: null, conversation: null };
  if (engram.type === "episodic") return { ok: true, value: { engram, cluster, annotations } };
  const fact = parseFact(engram.summary);
  if (!fact.ok) return { ok: false, why: `engram.summary: ${fact.reason}` };
  const id = pinnedId({ organization, user }, fact.fact);
  return { ok: true, value: { engram: { ...engram, id, summary: fact.fact }, cluster: id, annotations } };
}

type ImportedLine = { readonly state: "written" | "known" | "forgotten"; readonly annotations: number };

async function take(store: EngramStore, scope: MemoryScope, line: EngramLine): Promise<ImportedLine> {
  const { engram, cluster } = line;
  const fresh = await store.put(engram, cluster);
  const [stored] = fresh ? [] : await store.get(scope, [engram.id]);
  if (stored && stored.forgotten !== null) return { state: "forgotten", annotations: 0 };
  let annotations = 0;
  for (const annotation of line.annotations) {
    const { organization, user } = scope;
    const { state } = await store.annotate({ organization, user, id: engram.id }, annotation);
    if (state === "annotated") annotations += 1;
  }
  return { state: fresh ? "written" : "known", annotations };
}
