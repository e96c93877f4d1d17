import { preferenceTask } from "../../lab/judge/tasks.ts";
import type { CommandModule } from "../command.ts";
import { withParley } from "../session.ts";
import { textFlag } from "./judge-run.ts";
import { giveVerdict } from "./judge-verdict.ts";

/** `parley judge prefer A B`: which answer is better, asked in both orders. */
export const run: CommandModule["run"] = (io, [a = "", b = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const task = await preferenceTask(
      { ...io, settings: parley.settings },
      { question: textFlag(flags, "question") ?? "", a, b },
    );
    return giveVerdict(io, { parley, task, names: [a, b], flags });
  });
