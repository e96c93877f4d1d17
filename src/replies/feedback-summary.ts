import * as z from "zod";
import { jsonObjects, parseJson } from "./json-objects.ts";

/** A sentence, and the numbers of the remarks that it rests on. */
const Sourced = z.strictObject({
  text: z.string().trim().min(1).max(600),
  sources: z.array(z.int().positive()).min(1).max(100),
});
const list = z.array(Sourced).max(12);
const Summary = z.strictObject({ strengths: list, weaknesses: list, unique: list });
export type FeedbackSummary = z.infer<typeof Summary>;

type SummaryReading =
  { readonly ok: true; readonly summary: FeedbackSummary } | { readonly ok: false; readonly reason: string };

/** Reads a summary of `count` numbered remarks: a JSON object in which every sentence names remarks that there are. */
export function readFeedbackSummary(reply: string, count: number): SummaryReading {
  const found = jsonObjects(reply).at(-1);
  if (found === undefined) return { ok: false, reason: "there is no JSON object in it" };
  const read = Summary.safeParse(parseJson(reply.slice(found.start, found.end)));
  if (!read.success) {
    const [issue] = read.error.issues;
    return { ok: false, reason: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it cannot be read"}` };
  }
  const cited = Object.values(read.data).flatMap((lines) => lines.flatMap(({ sources }) => sources));
  const unknown = cited.find((number) => number > count);
  if (unknown !== undefined) return { ok: false, reason: `there is no remark ${unknown}` };
  return { ok: true, summary: read.data };
}
