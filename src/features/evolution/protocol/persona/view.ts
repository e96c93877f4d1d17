import * as z from "zod";
import { isEvent, type Entry } from "../../../../kernel/index.ts";
import type { PersonaSettings } from "./work.ts";

const SourcedList = z.array(z.strictObject({ text: z.string(), sources: z.array(z.int()) }));

/** An entry in the life of a persona; what it came to is null while there is nothing. */
export const sectionSchema = z.strictObject({
  kind: z.enum(["summary", "breeding", "decision"]),
  /** The persona's id, or the child's name. */
  persona: z.string(),
  parents: z.array(z.string()),
  /** The child's instructions by part. */
  parts: z.record(z.string(), z.string()).nullable(),
  /** What peers wrote, in short, with the numbers of the remarks. */
  feedback: z
    .strictObject({ strengths: SourcedList, weaknesses: SourcedList, unique: SourcedList })
    .nullable(),
  decision: z
    .strictObject({ decision: z.string(), by: z.string(), why: z.string(), version: z.string() })
    .nullable(),
});
export type PersonaSection = z.infer<typeof sectionSchema>;

export function sectionOf(entries: readonly Entry[]): PersonaSection | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  if (opened?.protocol.name !== "persona") return undefined;
  // As the protocol's schema read them.
  const settings = opened.settings as PersonaSettings;
  const bred = entries.findLast((entry) => isEvent(entry, "persona-bred"))?.data;
  const summary = entries.findLast((entry) => isEvent(entry, "feedback-summarized"))?.data;
  const decided = entries.findLast((entry) => isEvent(entry, "persona-decided"))?.data;
  const { kind } = settings;
  return {
    kind,
    persona:
      kind === "breeding" ? settings.name : kind === "summary" ? settings.persona.id : settings.persona,
    parents: kind === "breeding" ? settings.parents.map(({ id }) => id) : [],
    parts: bred?.parts ?? null,
    feedback: summary
      ? { strengths: summary.strengths, weaknesses: summary.weaknesses, unique: summary.unique }
      : null,
    decision: decided
      ? { decision: decided.decision, by: decided.by, why: decided.why, version: decided.version }
      : null,
  };
}
