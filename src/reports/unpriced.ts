import { callOf, type Entry } from "../kernel/index.ts";

/** The models of a deliberation's own answered calls whose usage is known and whose price is not, each once. */
export const unpricedModels = (entries: readonly Entry[]): string[] => [
  ...new Set(
    entries.flatMap((entry): string[] => {
      const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
      return call?.ok && call.cost.source === "unknown" && call.tokens.out !== null ? [call.model] : [];
    }),
  ),
];
