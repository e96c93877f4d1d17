import { createHash } from "node:crypto";
import * as z from "zod";
import {
  Annotation,
  Engram,
  EngramId,
  Fault,
  OrganizationId,
  UserId,
  type MemoryScope,
} from "../kernel/index.ts";
import type { EngramStore, StoredEngram, Vector } from "../memory/engram-store.ts";
import { LENGTH_TOLERANCE, MAX_DIMENSIONS, toBytes, type Blob } from "./engram-block.ts";
import { escapeText, unescapeText } from "./batch.ts";

/** An id, an event or a model's name as a column that is compared and indexed: 64 digits, however long it is and whatever stands in it. */
export function hashKey(name: string): string {
  return createHash("sha256").update(escapeText(name)).digest("hex");
}

/** @throws Fault `event-invalid` */
function admitRow<T>(schema: z.ZodType<T>, value: unknown, type: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault("event-invalid", { type, why: z.prettifyError(parsed.error) }, { cause: parsed.error });
}

/** What is written of an engram that is put. @throws Fault `event-invalid` where it could not be read back */
export function engramColumns(put: Engram, cluster: EngramId) {
  const engram = admitRow(Engram, put, "engram");
  const clusterId = admitRow(EngramId, cluster, "engram");
  return {
    organization: engram.organization,
    user: engram.user,
    id: hashKey(engram.id),
    name: escapeText(engram.id),
    type: engram.type,
    respondent: engram.respondent,
    conversation: engram.conversation,
    cluster: hashKey(clusterId),
    clusterName: escapeText(clusterId),
    data: JSON.stringify(engram),
    of: engram.deliberation,
  };
}

export type EngramColumns = ReturnType<typeof engramColumns>;

const Target = z.object({ organization: OrganizationId, user: UserId, id: EngramId });

/** An annotation of an engram, ready to be written. @throws Fault `event-invalid` where it could not be read back */
export function annotationColumns(target: MemoryScope & { readonly id: EngramId }, made: Annotation) {
  const { organization, user, id } = admitRow(Target, target, "annotation");
  const annotation = admitRow(Annotation, made, "annotation");
  return {
    organization,
    user,
    id: hashKey(id),
    name: escapeText(id),
    event: hashKey(annotation.event),
    annotation: JSON.stringify(annotation),
    retires: annotation.what.kind === "retired",
  };
}

export type AnnotationColumns = ReturnType<typeof annotationColumns>;

/** An engram and all that belongs to it, as one row. */
export type StoredRow = {
  readonly data: string;
  readonly cluster_name: string;
  readonly forgotten: string | null;
  /** JSON text of an array of JSON texts, in their order. */
  readonly annotations: string;
  /** JSON text of an array of names, as `escaped` writes them, in any order. */
  readonly embedded: string;
};

const Forgotten = z.strictObject({ by: z.string(), at: z.string() }).nullable();
const Texts = z.array(z.string());

export function readStoredEngram(row: StoredRow): StoredEngram {
  return {
    engram: parseEngram(row.data),
    cluster: EngramId.parse(unescapeText(row.cluster_name)),
    annotations: parseTexts(row.annotations).map((text) => Annotation.parse(JSON.parse(text))),
    embedded: parseTexts(row.embedded).map(unescapeText).sort(),
    forgotten: row.forgotten === null ? null : Forgotten.parse(JSON.parse(row.forgotten)),
  };
}

export function parseEngram(data: string): Engram {
  return Engram.parse(JSON.parse(data));
}

export function parseEngramId(name: string): EngramId {
  return EngramId.parse(unescapeText(name));
}

function parseTexts(json: string): string[] {
  return Texts.parse(JSON.parse(json));
}

/** What stays of an engram that is forgotten: whose it was, and what is said of it in lists. */
export function eraseContent(data: string): string {
  return JSON.stringify({ ...parseEngram(data), question: "", summary: "", entities: [] } satisfies Engram);
}

/** A vector as a column: its 32-bit numbers, little-endian. */
export function toBlob(vector: Vector): Buffer {
  return Buffer.from(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength));
}

/** A copy, because the bytes need not stand where 32-bit numbers may. */
export function toVector(blob: Blob): Vector {
  return new Float32Array(new Uint8Array(toBytes(blob)).buffer);
}

/** @throws Fault `event-invalid` where it has no direction, is not of length 1, or is too long */
export function checkVector(vector: Vector): Vector {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const why =
    vector.length > MAX_DIMENSIONS
      ? `${vector.length} numbers are more than ${MAX_DIMENSIONS}`
      : Math.abs(Math.sqrt(squares) - 1) <= LENGTH_TOLERANCE
        ? undefined
        : `its length is ${Math.sqrt(squares)}, and must be 1`;
  if (why === undefined) return vector;
  throw new Fault("event-invalid", { type: "vector", why });
}

/** Vectors that are written in one transaction: what is written holds the event loop. */
const PORTION = 128;

/** What is embedded, as it is written, in portions. @throws Fault `event-invalid` before anything is written */
export function splitVectors({ model, vectors }: Parameters<EngramStore["embed"]>[1]) {
  const entries = [...vectors].map(([id, vector]) => [hashKey(id), checkVector(vector)] as const);
  return Array.from({ length: Math.ceil(entries.length / PORTION) }, (_, index) => ({
    model: hashKey(model),
    modelName: escapeText(model),
    vectors: entries.slice(index * PORTION, (index + 1) * PORTION),
  }));
}

/** Vectors of one model, by the ids of their engrams. */
export type EmbedColumns = ReturnType<typeof splitVectors>[number];

/** A word of one scope: what stands before the word is no letter, so that it cannot be a word's own, and full text takes all of it for one. */
export function scopeWord(scope: number, word: string): string {
  return `${scope}§${word}`;
}

/** `names`: engrams that were let go, oldest first, as `escaped` writes them. */
export type AnnotationOutcome = {
  readonly state: "annotated" | "known" | "kept" | "gone";
  readonly names: readonly string[];
};
