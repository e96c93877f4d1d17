import { readFactsFile } from "../config/input-files.ts";
import type { FileContext } from "../config/paths.ts";
import { isFault } from "../kernel/index.ts";
import type { LoadFacts } from "../sim/index.ts";

/** Reads the files of `sim/…?facts=FILE`, relative to the working directory. */
export const factsLoader =
  (place: FileContext): LoadFacts =>
  (file) => {
    try {
      return { ok: true, data: readFactsFile(file, place) };
    } catch (error) {
      if (isFault(error)) return { ok: false, reason: error.message };
      throw error;
    }
  };
