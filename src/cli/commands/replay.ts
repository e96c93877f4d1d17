import { isClosed } from "../../projections/index.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { idOf, withParley } from "../session.ts";

/** `parley replay ID`: no model is called; exit 1 when what comes out differs from what is recorded. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, {}, async (parley) => {
    const id = await idOf(parley.store, { id: prefix, settings: parley.settings });
    const closed = isClosed(await parley.store.read(id));
    const { steps, calls } = await parley.engine.replay(id);
    const so = closed ? "the same again" : "it is open; what there is so far is the same again";
    const text = flags["json"]
      ? JSON.stringify({ id, same: true, closed, steps, calls }, undefined, 2)
      : `${id}: ${so}, ${steps} steps, ${calls} replies read anew, no model called`;
    await io.output.result(`${text}\n`);
    return EXIT.answered;
  });
