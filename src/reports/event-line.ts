import type { Entry } from "../kernel/index.ts";

/** An entry as one line of JSON, without the line's end; an event of an unknown type as it was recorded. */
export function eventLine(entry: Entry): string {
  const { type, data, ...envelope } = entry;
  const event = entry.type === "unknown" ? entry.data : { type, data };
  return JSON.stringify({ ...envelope, ...event });
}
