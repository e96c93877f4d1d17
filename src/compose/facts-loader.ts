import { readFactsFile } from "../config/index.ts";
import { isFault } from "../kernel/index.ts";
import type { LoadFacts } from "../sim/index.ts";
import type { Place } from "./parley.ts";

/** Reads the files that `sim/…?facts=FILE` names, relative to where the command was given. */
export const factsLoader =
  (place: Pick<Place, "env" | "cwd">): LoadFacts =>
  (file) => {
    try {
      return { ok: true, data: readFactsFile(file, place) };
    } catch (error) {
      if (isFault(error)) return { ok: false, reason: error.message };
      throw error;
    }
  };
