import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { withParley } from "../session.ts";

/** `parley replay ID`: no model is called; exit 1 when what comes out differs from what is recorded. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, {}, async (_context, { parley, principal }) => {
    const { id, closed, steps, calls } = await parley.replay(prefix, { principal });
    const so = closed ? "the same again" : "it is open; what there is so far is the same again";
    const text = flags["json"]
      ? JSON.stringify({ id, same: true, closed, steps, calls }, undefined, 2)
      : `${id}: ${so}, ${steps} steps, ${calls} replies read anew, no model called`;
    await io.output.result(`${text}\n`);
    return EXIT.answered;
  });
