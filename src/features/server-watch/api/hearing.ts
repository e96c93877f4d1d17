import type { Outcome } from "../../../app/outcome.ts";
import type { Run } from "../../../app/run.ts";
import { timeOf, type Entry } from "../../../kernel/index.ts";

/** Hears of the runs that a server drives. */
export type RunListener = {
  /** A drive begins; what it gives hears the rest of it. */
  begun(run: Run): DriveListener;
};

export type DriveListener = {
  /** What was recorded while the server drives the run, each event once. */
  recorded?(entry: Entry): void;
  /** The drive has ended; undefined where it failed. Reactions may follow. */
  ended?(outcome: Outcome | undefined): void;
  /** Nothing more comes. */
  over?(): void;
};

/** Tells listeners of a drive that began at this time (ms), with no query of its own. Never rejects. */
export async function hearRun(run: Run, beganMs: number, listeners: readonly RunListener[]): Promise<void> {
  const drives = listeners.map((one) => one.begun(run));
  let seq = 0;
  const tell = (entry: Entry): void => {
    seq = Math.max(seq, entry.seq);
    // What was recorded before was told by whoever drove the run then.
    if (timeOf(entry) < beganMs) return;
    for (const one of drives) one.recorded?.(entry);
  };
  const outcome = run.outcome().catch(() => undefined); // whoever drives it tells why
  for await (const entry of run.events({ until: "outcome" })) tell(entry);
  const ended = await outcome;
  for (const one of drives) one.ended?.(ended);
  await run.reactions;
  for (const entry of run.recorded()) if (entry.seq > seq) tell(entry);
  for (const one of drives) one.over?.();
}
