import * as z from "zod";
import { isEvent, type Entry } from "../../../kernel/index.ts";
import { notesOf, type ClassifyNote, weatherIn } from "./history.ts";
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

/** What the view reads of the settings. */
type CycleSettings = { readonly cycle: number; readonly domain: { readonly name: string } };

/** Folds a cycle so far; undefined for any other deliberation. */
export function sectionOf(entries: readonly Entry[]): ForestSection | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "forest") return undefined;
  // As the protocol's schema read them; notes as the protocol took them.
  const { cycle, domain } = opened.data.settings as CycleSettings;
  const candidates = notesOf(entries, "classify")
    .map(({ data }) => data.body as ClassifyNote)
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
    summary: (summary as { readonly summary: string } | undefined)?.summary ?? null,
  };
}
