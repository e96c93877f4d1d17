import type { MemoryFacts } from "../../views/memory-view.ts";
import { memoryFactsText } from "../../reports/memory.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { scopeOf } from "./memory-place.ts";

/** `parley memory facts`: what is pinned. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async (parley) => {
    const scope = scopeOf(parley);
    const pinned: MemoryFacts = {
      user: scope.user,
      facts: [...(await (await parley.memory()).facts(scope))],
    };
    const { color, columns: width } = io.output.stdout;
    await io.output.result(
      flags["json"] === true
        ? `${JSON.stringify(pinned, undefined, 2)}\n`
        : memoryFactsText(pinned, { color, width }),
    );
    return EXIT.answered;
  });
