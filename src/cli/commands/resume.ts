import { isClosed } from "../../projections/index.ts";
import type { Parley } from "../../compose/index.ts";
import type { DeliberationId, Entry } from "../../kernel/index.ts";
import { afterwards, react } from "../afterwards.ts";
import { conduct, finish } from "../conduct.ts";
import type { Showing } from "../showing.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { judgeScreen } from "./judge-progress.ts";
import { idOf, showingOf, withParley } from "../session.ts";

/** `parley resume ID`: what is recorded is recalled, the rest is asked. A closed one is shown, and what is still to come of it comes. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const id = await idOf(parley.store, { id: prefix, settings: parley.settings });
    const showing = showingOf(flags, parley.settings);
    const files = debateFiles(flags, io);
    const entries = await parley.store.read(id);
    const exit = isClosed(entries)
      ? await finishReactions(io, { parley, id, entries }, showing)
      : await conduct(io, { parley, id, progress: judgeScreen(io, entries) }, showing);
    await writeDebate(io, { store: parley.store, id }, files);
    return exit;
  });

type Closed = {
  readonly parley: Parley;
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
};

async function finishReactions(io: Io, { parley, id, entries }: Closed, showing: Showing): Promise<number> {
  const stop = interruption();
  try {
    const { signal } = stop;
    const reactions = react({ parley, id }, Promise.resolve(), signal);
    if (showing.json || showing.events) await reactions;
    const exit = await finish(io, showing.json ? await parley.store.read(id) : entries, showing);
    const { failed } = await reactions;
    const now = await parley.store.read(id);
    const news = now.length > entries.length;
    const whole = { id, reactions: Promise.resolve({ failed }), signal, entries: () => (news ? now : []) };
    await afterwards(io, whole, showing);
    return signal.aborted ? EXIT.interrupted : exit;
  } finally {
    stop.release();
  }
}
