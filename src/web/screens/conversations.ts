import type { ListedRun } from "../../contract/runs.ts";

/** The turns of a conversation that are listed, newest first. */
export type ListedConversation = readonly [newest: ListedRun, ...earlier: ListedRun[]];

/** Runs by their conversation, in the order of each one's newest turn; `isOne`: all are turns of one, and stand apart. */
export function conversationsOf(
  runs: readonly ListedRun[],
  { isOne = false }: { readonly isOne?: boolean } = {},
): readonly ListedConversation[] {
  if (isOne) return runs.map((run) => [run]);
  const all = new Map<string, [ListedRun, ...ListedRun[]]>();
  for (const run of runs) {
    // A conversation is named by its first run.
    const name = run.series ?? run.id;
    const known = all.get(name);
    if (known) known.push(run);
    else all.set(name, [run]);
  }
  return [...all.values()];
}
