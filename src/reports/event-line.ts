import { canonical, type Entry } from "../kernel/index.ts";

/**
 * An entry as one line of JSON, without the line's end, its data as it lies in the store (RFC 8785): the same line whether it
 * was just recorded or read long after. An event of an unknown type is printed as it was recorded.
 */
export function eventLine(entry: Entry): string {
  const { type, data, ...envelope } = entry;
  if (entry.type === "unknown") return JSON.stringify({ ...envelope, ...entry.data });
  return `${JSON.stringify({ ...envelope, type }).slice(0, -1)},"data":${canonical(data)}}`;
}
