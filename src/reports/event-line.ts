import * as z from "zod";
import { canonical, type Entry } from "../kernel/index.ts";
import { Result } from "../views/result.ts";
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

/** A piece of text that a step writes. An attempt after the first starts the step's text again. */
export const TextLine = z.strictObject({
  type: z.literal("text"),
  step: z.string(),
  attempt: z.int().positive(),
  text: z.string(),
});

/** The last line: the result as `--json` prints it. */
export const ResultLine = z.strictObject({ type: z.literal("result"), ...Result.shape });

/** What stands between and after the events, on a line without its end. */
export const besideEvents = (line: z.infer<typeof TextLine> | z.infer<typeof ResultLine>): string =>
  escapeJson(JSON.stringify(line));
