import { resolveId } from "../../app/lookup.ts";
import type { Configured } from "../../app/configured.ts";
import { isClosed } from "../../views/result.ts";
import type { DeliberationId, Entry } from "../../kernel/index.ts";
import { conduct } from "../conduct.ts";
import { finish, showReactions } from "../ending.ts";
import type { Showing } from "../showing.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { judgeScreen } from "./judge-progress.ts";
import { showingOf, withParley } from "../session.ts";

/** `parley resume ID`: recorded steps are reused, the rest is asked. One that has ended is shown, and its reactions are completed. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, flags, async (context, configured) => {
    const { store, settings } = context;
    const id = await resolveId(context, prefix);
    const showing = showingOf(flags, settings);
    const files = debateFiles(flags, io);
    const entries = await store.read(id);
    const { parley, principal } = configured;
    const exit = isClosed(entries)
      ? await finishReactions(io, { configured, id, entries }, showing)
      : await conduct(
          io,
          {
            begin: (signal) => parley.resume(id, { principal, signal }),
            progress: judgeScreen(io, entries),
          },
          showing,
        );
    await writeDebate(io, { store, id }, files);
    return exit;
  });

type Closed = {
  readonly configured: Configured;
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
};

async function finishReactions(
  io: Io,
  { configured: { parley, principal }, id, entries }: Closed,
  showing: Showing,
): Promise<number> {
  const stop = interruption();
  try {
    const { signal } = stop;
    const run = await parley.resume(id, { principal, signal });
    if (showing.json || showing.events) await run.reactions;
    const exit = await finish(io, showing.json ? run.recorded() : entries, showing);
    await run.reactions;
    const news = run.recorded().length > entries.length;
    const { reactions } = run;
    await showReactions(
      io,
      { id, run: { reactions, recorded: () => (news ? run.recorded() : []) }, signal },
      showing,
    );
    return signal.aborted ? EXIT.interrupted : exit;
  } finally {
    stop.release();
  }
}
