import type { Parley } from "../../compose/index.ts";
import { isOnTheWay, isFault, type Entry } from "../../kernel/index.ts";
import { countWords, oneLine, watchLine } from "../../reports/index.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { withParley } from "../session.ts";

/** How long a store that is away is left alone, milliseconds. */
const AWAY_MS = 1_000;

/** `parley react`: a worker of every reactor, for all deliberations of the store, until Ctrl-C. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async (parley) => {
    const quiet = flags["quiet"] === true;
    const note = (text: string) => (quiet ? undefined : io.output.note(text));
    const stop = interruption();
    const ended = new AbortController();
    const signal = AbortSignal.any([stop.signal, ended.signal]);
    const where = oneLine(parley.store.where, 300);
    const from = flags["backfill"] === true ? ", from the beginning where none has run before" : "";
    note(`A worker for ${where}${from}; commands leave their reactions to it. Ctrl-C ends it.`);
    const telling = quiet ? Promise.resolve(0) : tellReactions(io, parley, signal);
    telling.catch(() => undefined); // told below
    try {
      await parley.engine.react({
        worker: parley.worker,
        signal: stop.signal,
        backfill: flags["backfill"] === true,
      });
      ended.abort();
      const made = await telling;
      note(
        `Ended after ${countWords(made, "reaction")}; what was under way is made by whoever reacts next: parley react`,
      );
      return stop.signal.aborted ? EXIT.interrupted : EXIT.answered;
    } finally {
      ended.abort();
      await telling.catch(() => undefined); // it reads the store, which is about to be closed
      stop.release();
    }
  });

/** A line for each reaction that ends while this worker has its reactor, and how many there were. */
async function tellReactions(
  { output }: Io,
  { store, worker, world }: Parley,
  signal: AbortSignal,
): Promise<number> {
  let made = 0;
  let at = await store.end();
  const isOwn = async ({ origin }: Entry): Promise<boolean> => {
    if (origin.by !== "reactor") return false;
    const name = `reactor/${origin.reactor}`;
    const leases = await store.leases(name);
    return leases.some((lease) => lease.name === name && lease.holder === worker);
  };
  while (!signal.aborted) {
    try {
      for await (const batch of store.subscribe(at, signal))
        for (const entry of batch) {
          at = entry.cursor;
          if (entry.origin.by !== "reactor" || isOnTheWay(entry) || !(await isOwn(entry))) continue;
          made += 1;
          output.note(watchLine(entry));
        }
    } catch (error) {
      if (!isFault(error, "store-unavailable")) throw error;
      await world.sleep(AWAY_MS, signal);
    }
  }
  return made;
}
