import { gradingTask } from "../../lab/judge/tasks.ts";
import type { CommandModule } from "../command.ts";
import { withParley } from "../session.ts";
import { textFlag } from "./judge-run.ts";
import { giveVerdict } from "./judge-verdict.ts";

/** `parley judge grade ANSWER…`: each answer's grade from 1 to 5 by the rubric. */
export const run: CommandModule["run"] = (io, files, flags) =>
  withParley(io, flags, async (parley) => {
    const task = await gradingTask(
      { ...io, settings: parley.settings },
      {
        question: textFlag(flags, "question") ?? "",
        files,
        reference: textFlag(flags, "reference"),
      },
    );
    return giveVerdict(io, { parley, task, names: files, flags });
  });
