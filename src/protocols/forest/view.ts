import * as z from "zod";
import { isEvent, type Entry } from "../../kernel/index.ts";
import { ClassifyNote, notesOf, weatherIn } from "./history.ts";
import { LeafKind } from "./state.ts";

/** A cycle of a forest: its weather, and what became of the candidates. */
export const sectionSchema = z.strictObject({
  cycle: z.int(),
  domain: z.string(),
  weather: z.array(
    z.strictObject({
      tree: z.string(),
      weather: z.string(),
      slots: z.int(),
      status: z.string(),
      reason: z.string(),
    }),
  ),
  candidates: z.array(
    z.strictObject({
      tree: z.string(),
      seed: z.string(),
      formula: z.string(),
      classification: LeafKind.nullable(),
      reason: z.string(),
      /** Each gate's outcome, and why. */
      gates: z.array(
        z.strictObject({ gate: z.string(), passed: z.boolean().nullable(), detail: z.string() }),
      ),
      risks: z.array(z.string()),
    }),
  ),
  fruits: z.int(),
  tested: z.int(),
  /** One line about the cycle; null before it has ended. */
  summary: z.string().nullable(),
});
export type ForestSection = z.infer<typeof sectionSchema>;

const Settings = z.object({ cycle: z.int(), domain: z.object({ name: z.string() }) });
const Summary = z.object({ summary: z.string() });

/** Folds a cycle so far; undefined for any other deliberation. */
export function sectionOf(entries: readonly Entry[]): ForestSection | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "forest") return undefined;
  const { cycle, domain } = Settings.parse(opened.data.settings);
  const candidates = notesOf(entries, "classify")
    .map(({ data }) => ClassifyNote.parse(data.body))
    .toSorted((one, other) => (one.record.task_id < other.record.task_id ? -1 : 1))
    .map(({ tree_id, seed_id, formula, record }) => ({
      ...{ tree: tree_id, seed: seed_id, formula, classification: record.classification },
      ...{ reason: record.classification_reason, risks: record.risks.map(String) },
      gates: Object.entries(record.gate_record?.gates ?? {}).map(([gate, { passed, detail, reason }]) => ({
        gate,
        passed: typeof passed === "boolean" ? passed : null,
        detail: typeof detail === "string" ? detail : typeof reason === "string" ? reason : "",
      })),
    }));
  const summary = notesOf(entries, "validate_post_save")[0]?.data.body;
  return {
    ...{ cycle, domain: domain.name, candidates, tested: candidates.length },
    weather: Object.values(weatherIn(entries)?.trees ?? {}).map(
      ({ tree_id, weather, allocation, status, reason }) => ({
        ...{ tree: tree_id, weather, slots: allocation, status, reason },
      }),
    ),
    fruits: candidates.filter(({ classification }) => classification === "fruit").length,
    summary: summary === undefined ? null : Summary.parse(summary).summary,
  };
}
