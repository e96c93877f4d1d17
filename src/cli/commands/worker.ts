import { runWorker } from "../../app/worker.ts";
import { oneLine } from "../../reports/printable.ts";
import { watchLine } from "../../reports/watch.ts";
import { pluralize } from "../../text/format.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { withParley } from "../session.ts";

/** `parley worker`: runs every reactor for all deliberations of the store, until Ctrl-C. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async ({ process }) => {
    const quiet = flags["quiet"] === true;
    const backfill = flags["backfill"] === true;
    const note = (text: string) => (quiet ? undefined : io.output.note(text));
    const stop = interruption();
    const where = oneLine(process.store.location, 300);
    const from = backfill ? ", from the start of the journal where no worker has run before" : "";
    note(
      `A worker for ${where}${from}. Other commands leave grading and memory to it. Press Ctrl-C to stop.`,
    );
    try {
      const count = await runWorker(process, {
        signal: stop.signal,
        backfill,
        ...(quiet ? {} : { onReaction: (entry) => io.output.note(watchLine(entry)) }),
      });
      note(
        `Ended after ${pluralize(count, "reaction")}; the next worker finishes what was in progress. Try: parley worker`,
      );
      return stop.signal.aborted ? EXIT.interrupted : EXIT.answered;
    } finally {
      stop.release();
    }
  });
