import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { idOf, withParley } from "../session.ts";

/** `parley replay ID`: no model is called; exit 1 when what comes out differs from what is recorded. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, {}, async (parley) => {
    const id = await idOf(parley.store, { id: prefix, settings: parley.settings });
    const { steps, calls } = await parley.engine.replay(id);
    const text = flags["json"]
      ? JSON.stringify({ id, same: true, steps, calls }, undefined, 2)
      : `${id}: the same again, ${steps} steps, ${calls} replies read anew, no model called`;
    await io.output.result(`${text}\n`);
    return EXIT.answered;
  });
