import * as z from "zod";
import { callOf, isEvent, workOf, type Entry, type Stance } from "../../../kernel/index.ts";
import { answersIn } from "../../../views/answer-event.ts";
import { PanelSection, panelSection } from "../../../views/panel.ts";
import { spentFold, type SpentFold } from "../../../views/spending.ts";

const nullable = z.number().nullable();
const stances = z.array(z.strictObject({ claim: z.string(), members: z.array(z.string()) }));

/** What `ask` adds to a result: the panel, and how far it went. */
export const sectionSchema = PanelSection.extend({
  /** The rungs that were climbed, from the lowest; `reason` null where nothing was decided after one. */
  ladder: z.array(
    z.strictObject({
      /** As step keys name the work: `draft`, `comparison`, `revision`, `review`, `synthesis`. */
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
  ladder: ladderIn(entries),
  comparison: comparisonIn(entries),
});

/** The rungs that a run climbed, with what each cost; empty where it took no decisions to climb. */
function ladderIn(entries: readonly Entry[]): AskSection["ladder"] {
  const reasons = new Map<string, string[]>();
  const rungs: string[] = [];
  const climbed = (rung: string) => {
    if (!rungs.includes(rung)) rungs.push(rung);
  };
  for (const entry of entries) {
    if (!isEvent(entry, "rung-decided")) continue;
    const { rung, next, reason } = entry.data;
    climbed(rung);
    if (next !== null) climbed(next);
    const known = reasons.get(rung);
    if (known) known.push(reason);
    else reasons.set(rung, [reason]);
  }
  if (rungs.length === 0) return [];
  const spent = new Map<string, SpentFold>();
  for (const entry of entries) {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    const work = workOf(entry)?.kind;
    if (!call || work === undefined) continue;
    // What a last rung leads to without a decision of its own: a review's synthesis.
    if (!spent.has(work)) climbed(work);
    const own = spent.get(work) ?? spentFold();
    spent.set(work, own);
    own.take(call);
  }
  return rungs.map((rung) => {
    const own = (spent.get(rung) ?? spentFold()).read();
    const tokens = { in: own.tokens.in, out: own.tokens.out };
    return {
      rung,
      reason: reasons.get(rung)?.join("; ") ?? null,
      calls: own.calls,
      tokens,
      usd: own.cost.usd,
    };
  });
}

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
