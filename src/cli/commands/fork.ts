import { conduct } from "../conduct.ts";
import type { CommandModule } from "../command.ts";
import { showingOf, withParley } from "../session.ts";

/** `parley fork ID`: a copy with changes; every unaffected step is reused and costs nothing. */
export const run: CommandModule["run"] = (io, [id = ""], flags) =>
  withParley(io, flags, async ({ settings }, { parley, principal, requested }) => {
    const without = Array.isArray(flags["without"]) ? flags["without"].map(String) : [];
    return conduct(
      io,
      { begin: (signal) => parley.fork(id, { ...requested, without }, { principal, signal }) },
      showingOf(flags, settings),
    );
  });
