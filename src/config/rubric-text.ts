import { Rubric } from "../kernel/index.ts";

export type RubricReading =
  { readonly ok: true; readonly rubric: Rubric } | { readonly ok: false; readonly reason: string };

/**
 * A rubric written as a block of text, as LoCAL2's `critic.yaml` has it: `[criteria]`, then `Score 1: …` to `Score 5: …`, each
 * once and in any order. A line that begins none of them goes on with the one before it.
 */
export function rubricOfText(text: string, name: string): RubricReading {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const parts = new Map<string, string>();
  let last: string | undefined;
  for (const line of lines.filter((one) => one !== "")) {
    const [, score, rest = ""] = /^score\s*(\d+)\s*:(.*)$/i.exec(line) ?? [];
    const part = score ?? (last === undefined ? "criteria" : undefined);
    if (part === undefined) {
      if (last !== undefined) parts.set(last, `${parts.get(last) ?? ""} ${line}`.trim());
      continue;
    }
    if (parts.has(part)) return { ok: false, reason: `it has two lines "Score ${part}: …"` };
    parts.set(part, score === undefined ? line : rest.trim());
    last = part;
  }
  const [, criteria] = /^\[(.*)\]$/.exec(parts.get("criteria") ?? "") ?? [];
  if (criteria === undefined)
    return { ok: false, reason: "it does not begin with its criteria in brackets: […]" };
  const scores = [...parts.keys()].filter((part) => part !== "criteria");
  const missing = SCORES.find((score) => !scores.includes(score));
  if (missing !== undefined) return { ok: false, reason: `it has no line "Score ${missing}: …"` };
  const more = scores.find((score) => !SCORES.includes(score));
  if (more !== undefined)
    return { ok: false, reason: `it has a line "Score ${more}: …", and grades go from 1 to 5` };
  const anchors = Object.fromEntries(SCORES.map((score) => [score, parts.get(score)]));
  const read = Rubric.safeParse({ name, criteria, anchors });
  if (read.success) return { ok: true, rubric: read.data };
  const [issue] = read.error.issues;
  return { ok: false, reason: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it cannot be read"}` };
}

const SCORES: readonly string[] = ["1", "2", "3", "4", "5"];
