import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { idOf, withParley } from "../session.ts";

/** `parley cancel ID`: a driver at work elsewhere notices and stops. */
export const run: CommandModule["run"] = (io, [prefix = ""]) =>
  withParley(io, {}, async (parley) => {
    const id = await idOf(parley.store, { id: prefix, settings: parley.settings });
    const done = await parley.engine.cancel(id, "cancelled by its client");
    io.output.note(done ? `${id} is cancelled` : `${id} was closed already; parley show ${id}`);
    return EXIT.answered;
  });
