import type { CommandModule } from "../command.ts";
import { chat } from "../chat.ts";
import { refuseUnaskedSecond, respondFlags } from "../respond-flags.ts";
import { idOf, showingOf, withParley } from "../session.ts";

/** `parley chat`: a conversation, until the end of input. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, respondFlags(flags), async (parley) => {
    const { settings, store } = parley;
    refuseUnaskedSecond(flags, settings);
    const given = flags["continue"];
    const previous = typeof given === "string" ? await idOf(store, { id: given, settings }) : undefined;
    const folder = typeof flags["folder"] === "string" ? flags["folder"] : undefined;
    return chat(io, { parley, previous, folder, all: flags["all"] === true }, showingOf(flags, settings));
  });
