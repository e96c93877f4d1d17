import { readFactsFile, readJsonLines } from "../config/input-files.ts";
import type { FileContext } from "../config/paths.ts";
import * as z from "zod";
import { isFault } from "../kernel/index.ts";
import type { LoadFacts } from "../sim/index.ts";
import type { LoadRecorded } from "../sim/recorded.ts";

/** Reads the files of `sim/…?facts=FILE`, relative to the working directory. */
export const factsLoader =
  (place: FileContext): LoadFacts =>
  (file) =>
    orReason(() => ({ ok: true, data: readFactsFile(file, place) }));

/** Reads the files of `recorded/FILE#NAME`, relative to the working directory. */
export const recordedLoader =
  (place: FileContext): LoadRecorded =>
  (file) =>
    orReason(() => ({
      ok: true,
      lines: readJsonLines(
        { file, kind: "file of recorded answers", row: z.unknown(), form: "every line is a JSON object" },
        place,
      ),
    }));

function orReason<T>(read: () => T): T | { readonly ok: false; readonly reason: string } {
  try {
    return read();
  } catch (error) {
    if (isFault(error)) return { ok: false, reason: error.message };
    throw error;
  }
}
