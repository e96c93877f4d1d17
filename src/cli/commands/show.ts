import { resultOf } from "../../views/result.ts";
import { summarizeVerdict } from "../../protocols/judge/validation.ts";
import { answerText } from "../../reports/answer.ts";
import { deliberationMarkdown } from "../../reports/deliberation.ts";
import { judgeReport } from "../../protocols/judge/report.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { entriesOf, withStore } from "../session.ts";

/** `parley show ID`: the outcome, of a judge's run its verdict; with `--all` everything that was said. */
export const run: CommandModule["run"] = (io, [id = ""], flags) =>
  withStore(io, async (stored) => {
    const entries = await entriesOf(stored, id);
    const result = resultOf(entries);
    const { color, columns } = io.output.stdout;
    if (flags["json"])
      await io.output.result(`${JSON.stringify(summarizeVerdict(entries) ?? result, undefined, 2)}\n`);
    else if (flags["all"]) await io.output.result(deliberationMarkdown(entries));
    else if (result)
      await io.output.result(
        judgeReport(entries, { color, width: columns }) ??
          answerText(result, { color, width: columns, unpriced: unpricedModels(entries) }),
      );
    return EXIT.answered;
  });
