import { isClosed } from "../../projections/index.ts";
import { conduct, finish } from "../conduct.ts";
import type { CommandModule } from "../command.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { judgeScreen } from "./judge-progress.ts";
import { idOf, showingOf, withParley } from "../session.ts";

/** `parley resume ID`: what is recorded is recalled, the rest is asked. A closed one is shown. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const id = await idOf(parley.store, { id: prefix, settings: parley.settings });
    const showing = showingOf(flags, parley.settings);
    const files = debateFiles(flags, io);
    const entries = await parley.store.read(id);
    const exit = isClosed(entries)
      ? await finish(io, entries, showing)
      : await conduct(io, { parley, id, progress: judgeScreen(io, entries) }, showing);
    await writeDebate(io, { store: parley.store, id }, files);
    return exit;
  });
