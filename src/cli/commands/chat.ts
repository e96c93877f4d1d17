import { resolve } from "node:path";
import { resolveId } from "../../app/lookup.ts";
import type { CommandModule } from "../command.ts";
import { chat } from "../chat.ts";
import { refuseUnaskedSecond, respondFlags } from "../respond-flags.ts";
import { showingOf, withParley } from "../session.ts";

/** `parley chat`: a conversation, until the end of input. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, respondFlags(flags), async (context, configured) => {
    const { settings } = context;
    refuseUnaskedSecond(flags, settings);
    const given = flags["continue"];
    const previous = typeof given === "string" ? await resolveId(context, given) : undefined;
    const folder = typeof flags["folder"] === "string" ? resolve(io.cwd, flags["folder"]) : undefined;
    return chat(io, { configured, previous, folder, all: flags["all"] === true }, showingOf(flags, settings));
  });
