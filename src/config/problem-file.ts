import { absolute, type Place } from "./paths.ts";
import { MEGABYTE, readTextFile } from "./text-file.ts";

/** The text of a file that states a problem. @throws Fault `configuration` for a file that is no UTF-8 text, or has more than a megabyte */
export const readProblemFile = (written: string, place: Pick<Place, "cwd" | "env">): string =>
  readTextFile({ path: absolute(written, place), kind: "problem", mostBytes: MEGABYTE });
