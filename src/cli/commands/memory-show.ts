import type { MemoryEngram } from "../../views/memory-view.ts";
import { memoryEngramText } from "../../reports/memory.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { engramNamed, viewOf } from "./memory-place.ts";

/** `parley memory show ID`: one engram, with all that was said of it and the history of its cluster. */
export const run: CommandModule["run"] = (io, [given = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const { engram, history } = await engramNamed(parley, given);
    const shown: MemoryEngram = { ...viewOf(engram), history: history.map(viewOf) };
    const { color, columns: width } = io.output.stdout;
    await io.output.result(
      flags["json"] === true
        ? `${JSON.stringify(shown, undefined, 2)}\n`
        : memoryEngramText(shown, { color, width }),
    );
    return EXIT.answered;
  });
