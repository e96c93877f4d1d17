import type { Parley } from "../compose/index.ts";
import { isEvent, type DeliberationId, type Entry, type Store } from "../kernel/index.ts";
import { givenAnswer, gradeOf } from "../projections/index.ts";
import { gradeLine, oneLine, styleOf } from "../reports/index.ts";
import type { Showing } from "./showing.ts";
import type { Io } from "./command.ts";

// A1. What comes after an answer (a second one, a grade, memory) never keeps the answer back, and never makes a command fail.
// A2. Where spending is capped, nothing that comes of an answer is begun before it: it could take what the answer needs.

export type Reacting = {
  readonly parley: Parley;
  readonly id: DeliberationId;
  readonly onEntry?: (entry: Entry) => void;
};

/** Answers a deliberation's events from now until it has ended and nothing is left; resolves also when that fails. */
export async function react(
  { parley, id, onEntry }: Reacting,
  driving: Promise<unknown>,
  signal: AbortSignal,
): Promise<{ readonly failed: string | null }> {
  const { engine, worker } = parley;
  try {
    if (await isCapped(parley.store, id)) await driving.catch(() => undefined); // A2
    await engine.drain(id, { worker, signal, until: driving, ...(onEntry ? { onEntry } : {}) });
    return { failed: null };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

async function isCapped(store: Pick<Store, "read">, id: DeliberationId): Promise<boolean> {
  const [opened] = await store.read(id);
  if (!opened || !isEvent(opened, "deliberation-opened")) return false;
  const { usd, tokens, calls } = opened.data.budget;
  return [usd, tokens, calls].some((cap) => cap !== undefined);
}

export type After = {
  readonly id: DeliberationId;
  readonly reactions: ReturnType<typeof react>;
  /** Resolves when the answer is graded, or will not be; by default with the reactions. */
  readonly graded?: Promise<unknown>;
  readonly signal: AbortSignal;
  readonly entries: () => readonly Entry[];
};

/** Waits for what comes after an answer that was shown, and shows its grade under it. */
export async function afterwards(
  { output }: Pick<Io, "output">,
  { id, reactions, graded = reactions, signal, entries }: After,
  showing: Showing,
): Promise<void> {
  await graded;
  if (!showing.json && !showing.events && !showing.quiet) await showGrade({ output }, entries());
  const { failed } = await reactions;
  if (failed !== null)
    output.note(`What comes after the answer failed: ${failed}; next: parley resume ${id}`);
  else if (signal.aborted)
    output.note(`The answer is kept; what was still to come of it goes on with: parley resume ${id}`);
}

/** The badge under an answer; why there is none, where a judge was asked and gave none. */
async function showGrade({ output }: Pick<Io, "output">, entries: readonly Entry[]): Promise<void> {
  const grade = gradeOf(entries, givenAnswer(entries)?.id);
  if (!grade) return;
  const { terminal } = output.stdout;
  const { color, columns: width } = terminal ? output.stdout : output.stderr;
  const line = gradeLine(grade, { style: styleOf(color), width });
  if (line === undefined) output.note(`Not graded: ${oneLine(grade.why ?? "no reason was recorded", 300)}`);
  else if (terminal) await output.result(`${line}\n`);
  else output.note(line);
}
