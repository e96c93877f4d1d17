import * as z from "zod";
import { isEvent, type Entry, type Stance } from "../../kernel/index.ts";
import { answersIn } from "../../views/answer-event.ts";
import { PanelSection, panelSection } from "../../views/panel.ts";
import { rungsIn } from "./view-rungs.ts";

const nullable = z.number().nullable();
const stances = z.array(z.strictObject({ claim: z.string(), members: z.array(z.string()) }));

/** What `ask` adds to a result: the panel, and how far it went. */
export const sectionSchema = PanelSection.extend({
  /** The rungs that were climbed, each with what it came to and what it took. */
  ladder: z.array(
    z.strictObject({
      rung: z.string(),
      reason: z.string().nullable(),
      calls: z.int(),
      tokens: z.strictObject({ in: nullable, out: nullable }),
      usd: nullable,
    }),
  ),
  /** What the drafts agree on, contradict each other in, and say alone, by members' ids; null where nobody compared them. */
  comparison: z
    .strictObject({
      agreements: stances,
      contradictions: z.array(z.strictObject({ topic: z.string(), stances })),
      unique: stances,
    })
    .nullable(),
});
export type AskSection = z.infer<typeof sectionSchema>;

export const sectionOf = (entries: readonly Entry[]): AskSection => ({
  ...panelSection(entries),
  ladder: rungsIn(entries).map(({ rung, reason, spent: { calls, tokens, cost } }) => ({
    rung,
    reason,
    calls,
    tokens: { in: tokens.in, out: tokens.out },
    usd: cost.usd,
  })),
  comparison: comparisonIn(entries),
});

function comparisonIn(entries: readonly Entry[]): AskSection["comparison"] {
  const comparison = entries.findLast((entry) => isEvent(entry, "comparison-given"))?.data;
  if (!comparison) return null;
  const answers = answersIn(entries);
  const row = ({ claim, of }: Stance) => ({
    claim,
    members: of.flatMap((step) => answers.get(step)?.data.by ?? []),
  });
  return {
    agreements: comparison.agreements.map(row),
    contradictions: comparison.contradictions.map(({ topic, stances: sides }) => ({
      topic,
      stances: sides.map(row),
    })),
    unique: comparison.unique.map(row),
  };
}
