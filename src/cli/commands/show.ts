import { protocols } from "../../app/registry.ts";
import { loadShown } from "../../app/result.ts";
import { answerText } from "../../reports/answer.ts";
import { deliberationMarkdown } from "../../reports/deliberation.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { nextLine } from "../ending.ts";
import { entriesOf, withStore } from "../session.ts";

/** `parley show ID`: the outcome; with `--all` everything that was said. */
export const run: CommandModule["run"] = (io, [id = ""], flags) =>
  withStore(io, async (stored) => {
    const entries = await entriesOf(stored, id);
    const shown = await loadShown(protocols, entries);
    const { color, columns } = io.output.stdout;
    if (flags["json"]) await io.output.result(`${JSON.stringify(shown?.result, undefined, 2)}\n`);
    else if (flags["all"]) await io.output.result(deliberationMarkdown(entries, shown));
    else if (shown) {
      await io.output.result(answerText(shown, { color, width: columns, unpriced: unpricedModels(entries) }));
      io.output.note(nextLine(shown.result));
    }
    return EXIT.answered;
  });
