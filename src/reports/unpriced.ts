import { callOf, type Entry } from "../kernel/index.ts";

/** The models of a deliberation's own answered calls whose price is unknown, each once. */
export const unpricedModels = (entries: readonly Entry[]): string[] => [
  ...new Set(
    entries.flatMap((entry): string[] => {
      const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
      return call?.ok && call.cost.source === "unknown" ? [call.model] : [];
    }),
  ),
];
