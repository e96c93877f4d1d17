import { resolveId } from "../../app/lookup.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { withParley } from "../session.ts";

/** `parley cancel ID`: whoever drives it elsewhere notices and stops. */
export const run: CommandModule["run"] = (io, [prefix = ""]) =>
  withParley(io, {}, async (context, { parley, principal }) => {
    const id = await resolveId(context, prefix);
    const cancelled = await parley.cancel(id, { principal });
    io.output.note(cancelled ? `${id} is cancelled` : `${id} was closed already; parley show ${id}`);
    return EXIT.answered;
  });
