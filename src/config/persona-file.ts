import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { parseDocument } from "yaml";
import type { LoadedPersona } from "./personas.ts";
import { displayPath, refuse, toReadFault } from "./text-file.ts";

// PFILE-1. A persona's file is changed whole or not at all, and what a person wrote in it beside the change stays. Else: a person's text is
//     lost.

/** A persona's file as it is. @throws Fault `configuration` for one that ships, and one that is no YAML */
export function readOwnFile({ name, from, path }: Pick<LoadedPersona, "name" | "from" | "path">): string {
  if (from === "built-in") throw refuse(`${name} ships with the program and has no file`, "copy it first");
  if (extname(path).toLowerCase() === ".md")
    throw refuse(`${displayPath(path)} is Markdown, and only YAML can be changed`, "edit it yourself");
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw toReadFault(error, displayPath(path));
  }
}

/** A file with these keys set, or taken out where they are undefined; comments stay (PFILE-1). */
export function withKeys(file: string, keys: Readonly<Record<string, unknown>>): string {
  const document = parseDocument(file);
  for (const [key, value] of Object.entries(keys))
    if (value === undefined) document.delete(key);
    else document.set(key, document.createNode(value));
  return document.toString();
}
