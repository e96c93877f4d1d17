import { Fault } from "../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { readStandardInput } from "../standard-input.ts";
import { scopeOf } from "./memory-place.ts";

/** `parley memory pin "FACT"`: its id on stdout. */
export const run: CommandModule["run"] = (io, words, flags) =>
  withParley(io, flags, async ({ memory, settings, world }) => {
    const said = words.join(" ");
    const fact = said.trim() === "" ? ((await readStandardInput(io.output)) ?? "") : said;
    const at = new Date(world.now()).toISOString();
    const pinned = await (await memory()).pin(scopeOf({ settings }), { fact, at, by: settings.user });
    if (!pinned.ok)
      throw new Fault("configuration", {
        why: pinned.reason,
        next: 'pin one fact at a time: parley memory pin "We deploy on Fridays."',
      });
    io.output.note(
      pinned.fresh
        ? `Pinned for ${settings.user}: respond and chat always see it. parley memory forget takes it back`
        : "It was pinned before, and stays so",
    );
    await io.output.result(`${pinned.engram.id}\n`);
    return EXIT.answered;
  });
