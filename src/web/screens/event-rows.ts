import type { Entry } from "../../kernel/index.ts";
import { groupBy } from "../../stats/numbers.ts";
import { t, wordFor } from "../strings.ts";
import { speakerOf } from "../../views/spending.ts";

/** So many rows are made at once. */
const BLOCK = 100;

/** The type of an event, of an unknown one as it was recorded. */
export const nameOfType = (entry: Entry): string => (entry.type === "unknown" ? entry.data.type : entry.type);

/** The participant that an event is by, or about; empty where it is nobody's. */
export function participantOf(entry: Entry): string {
  const by = speakerOf(entry);
  return by === entry.type || by === "unknown" ? "" : by;
}

/** Rows in blocks whose borders stay where they are when more come. */
export const blocksOf = (entries: readonly Entry[]): readonly (readonly Entry[])[] =>
  Array.from({ length: Math.ceil(entries.length / BLOCK) }, (_, block) =>
    entries.slice(block * BLOCK, (block + 1) * BLOCK),
  );

/** How often each name occurs, by name; without those that have none. */
export function countBy(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
): readonly (readonly [string, number])[] {
  const named = [...groupBy(entries, nameOf)].filter(([name]) => name !== "");
  return named
    .map(([name, all]) => [name, all.length] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** A kind of work, in the page's language. */
export const nameOfWork = (kind: string | null): string =>
  kind === null ? t.unknown : wordFor(t.run.work, lastOf(kind), kind);

/** A kind of work that several do, or a phase of it. */
export const nameOfStage = (kind: string | null): string =>
  kind === null ? t.unknown : wordFor(t.run.stages, lastOf(kind), nameOfWork(kind));

const lastOf = (kind: string): string => kind.split("/").at(-1) ?? kind;

/** A seat of a protocol, in the page's language. */
export const nameOfSeat = (seat: string): string => wordFor(t.run.seats, seat);
