import { conduct } from "../conduct.ts";
import type { CommandModule } from "../command.ts";
import { attachments } from "../attachments.ts";
import { showingOf, withParley } from "../session.ts";

/** `parley ask` and `parley council`: a deliberation on the question, by the protocol that the command is named after. */
export const run: CommandModule["run"] = (io, args, flags) =>
  withParley(io, flags, async ({ settings }, { parley, principal, requested }) => {
    const { question, texts } = await attachments(io, args, { flags, settings });
    const request = { ...requested, protocol: String(flags["command"]), question, context: texts };
    return conduct(
      io,
      { begin: (signal) => parley.start(request, { principal, signal }) },
      showingOf(flags, settings),
    );
  });
