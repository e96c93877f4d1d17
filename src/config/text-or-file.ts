import { statSync } from "node:fs";
import { absolute, type Place } from "./paths.ts";
import { MEGABYTE, readTextFile } from "./text-file.ts";

/**
 * What an argument that may be a text or name a file stands for: the file's text where there is a file of that name, else
 * the argument itself.
 * @throws Fault `configuration` for a file that is no UTF-8 text, or has more than a megabyte
 */
export function textOrFile(given: string, place: Place): string {
  const path = absolute(given, place);
  return isFile(path) ? readTextFile({ path, kind: "file", mostBytes: MEGABYTE }) : given;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // a text that cannot be a path: too long, or with a NUL in it
  }
}
