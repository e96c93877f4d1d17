import type * as z from "zod";
import { checkedFile } from "./checked-file.ts";
import { absolute, type Place } from "./paths.ts";
import { refuse } from "./refusal.ts";
import { fileName, MEGABYTE, readTextFile } from "./text-file.ts";

/** A file of one JSON object a line, each of one form. */
export type JsonLines<S extends z.ZodType> = {
  readonly file: string;
  /** What the file is, in the words of an error: `file of tasks`. */
  readonly kind: string;
  readonly row: S;
  /** Where the right form is to be seen, in words. */
  readonly form: string;
};

/** A row, and where it stands: `tasks.jsonl:3`. */
export type JsonLine<T> = { readonly place: string; readonly value: T };

const MOST_BYTES = 64 * MEGABYTE;

/**
 * The rows of such a file; empty lines are skipped.
 * @throws Fault `configuration` for a file that cannot be read or has no row, and for the first line that is not of the form
 */
export function readJsonLines<S extends z.ZodType>(
  { file, kind, row, form }: JsonLines<S>,
  place: Place,
): JsonLine<z.output<S>>[] {
  const text = readTextFile({ path: absolute(file, place), kind, mostBytes: MOST_BYTES });
  const name = fileName(file);
  const lines = text.split(/\r?\n/).flatMap((line, index): JsonLine<z.output<S>>[] => {
    if (line.trim() === "") return [];
    const at = `${name}:${index + 1}`;
    const read = { path: at, value: parsed(line, { at, form }), place: () => at };
    return [{ place: at, value: checkedFile(read, row, form) }];
  });
  if (lines.length === 0) throw refuse(`the ${kind} ${name} has no line`, form);
  return lines;
}

function parsed(line: string, { at, form }: { readonly at: string; readonly form: string }): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw refuse(`${at}: this is not JSON`, form);
  }
}
