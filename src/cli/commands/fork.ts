import { forkChanges } from "../../compose/index.ts";
import { conduct } from "../conduct.ts";
import type { CommandModule } from "../command.ts";
import { idOf, showingOf, withParley } from "../session.ts";

/** `parley fork ID`: what the changes do not touch is adopted and costs nothing. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const parent = await idOf(parley.store, { id: prefix, settings: parley.settings });
    const without = Array.isArray(flags["without"]) ? flags["without"].map(String) : [];
    const changes = await forkChanges(parley, { parent, without });
    const { opened } = await parley.engine.fork(parent, { request: parley.world.id(), changes });
    return conduct(io, { parley, id: opened.deliberation }, showingOf(flags, parley.settings));
  });
