import { canonical, type Entry } from "../kernel/index.ts";
import { escapeJson } from "./printable.ts";

/**
 * An entry as one line of JSON, without the line's end, its data in the order of the store (RFC 8785): the same line whether it
 * was just recorded or read long after. An event of an unknown type is printed as it was recorded.
 */
export function eventLine(entry: Entry): string {
  const { type, data, ...envelope } = entry;
  if (entry.type === "unknown") return escapeJson(JSON.stringify({ ...envelope, ...entry.data }));
  return escapeJson(`${JSON.stringify({ ...envelope, type }).slice(0, -1)},"data":${canonical(data)}}`);
}
