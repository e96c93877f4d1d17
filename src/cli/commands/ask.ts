import { convene } from "../../compose/index.ts";
import { readStandardInput } from "../standard-input.ts";
import { conduct } from "../conduct.ts";
import type { CommandModule } from "../command.ts";
import { showingOf, withParley } from "../session.ts";

/** `parley ask` and `parley council`: opens a deliberation by that protocol on the question, and drives it to its answer. */
export const run: CommandModule["run"] = (io, args, flags) =>
  withParley(io, flags, async (parley) => {
    const question = args.join(" ").trim();
    const stdin = question === "" ? undefined : await readStandardInput(io.output);
    const files = Array.isArray(flags["context"]) ? flags["context"].map(String) : [];
    const { asked, notes } = await convene(parley, {
      protocol: String(flags["command"]),
      question,
      files,
      stdin,
      reactions: true,
    });
    const showing = showingOf(flags, parley.settings);
    if (!showing.quiet) for (const note of notes) io.output.note(note);
    const { opened } = await parley.engine.open(parley.world.id(), asked);
    return conduct(io, { parley, id: opened.deliberation }, showing);
  });
