import { labeledTask } from "../../lab/judge/tasks.ts";
import { summarizeValidation } from "../../protocols/judge/view-validation.ts";
import { protocols } from "../../app/registry.ts";
import { loadShown } from "../../app/result.ts";
import { answerText } from "../../reports/answer.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { endedEarly, judgeCallOf, runJudge } from "./judge-run.ts";

/** `parley judge validate FILE`: a judge against labels; exit 7 when too little was measured to judge by. */
export const run: CommandModule["run"] = (io, [file = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const call = judgeCallOf(flags);
    const task = labeledTask({ ...io, settings: parley.settings }, file);
    const { entries, exit } = await runJudge(io, parley, { task, call, quiet: flags["quiet"] === true });
    const validation = summarizeValidation(entries);
    if (!validation || exit === EXIT.interrupted) return exit;
    const { color, columns } = io.output.stdout;
    const shown = await loadShown(protocols, entries);
    if (flags["json"] === true) await io.output.result(`${JSON.stringify(validation, undefined, 2)}\n`);
    else if (shown)
      await io.output.result(answerText(shown, { color, width: columns, unpriced: unpricedModels(entries) }));
    const early = endedEarly(entries);
    if (early !== undefined) io.output.note(early);
    return exit === EXIT.answered && !validation.measured ? EXIT.inconclusive : exit;
  });
