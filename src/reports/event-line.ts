import * as z from "zod";
import { canonical, FailureCode, type Entry, type Frame } from "../kernel/index.ts";
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

/** What a call does before it writes: it was sent, it thinks, or it waits. */
export const DoingLine = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("started"),
    step: z.string(),
    /** Milliseconds that such a call usually takes; null where nobody knows. */
    expectedMs: z.number().nullable(),
  }),
  z.strictObject({ type: z.literal("sent"), step: z.string(), attempt: z.int().positive() }),
  z.strictObject({
    type: z.literal("thinking"),
    step: z.string(),
    attempt: z.int().positive(),
    text: z.string(),
  }),
  z.strictObject({
    type: z.literal("waiting"),
    step: z.string(),
    for: z.enum(["place", "loading", "again"]),
    /** Of `again`: what the last request failed of, how long it is until the next, and which of at most how many that is. */
    code: FailureCode.optional(),
    ms: z.number().nonnegative().optional(),
    attempt: z.int().positive().optional(),
    of: z.int().positive().optional(),
  }),
]);

/** The line of a frame. */
export function frameLine({ step, ...frame }: Frame): BesideLine {
  if (frame.kind === "text")
    return { type: "text", step, attempt: frame.delta.attempt, text: frame.delta.text };
  if (frame.kind === "started") return { type: "started", step, expectedMs: frame.expectedMs ?? null };
  const { kind: type, work: _work, deliberation: _deliberation, ...news } = frame;
  return { type, step, ...news } as BesideLine; // each kind of news is a line of that type
}

/** The last line: the result as `--json` prints it. */
export const ResultLine = z.strictObject({ type: z.literal("result"), ...Result.shape });

/** What stands between and after the events, on a line without its end. */
type BesideLine = z.infer<typeof TextLine> | z.infer<typeof DoingLine> | z.infer<typeof ResultLine>;
export const besideEvents = (line: BesideLine): string => escapeJson(JSON.stringify(line));
