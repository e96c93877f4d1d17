import { findNearest } from "../../text/words.ts";
import { Fault } from "../../kernel/index.ts";
import { makeTasks, MAX_TASKS, makePairs, TASK_KINDS, type TaskKind } from "../../sim/tasks/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";

/** `parley tasks`: tasks with known answers as JSON lines for `bench`, or with `--pairs` labelled pairs for `judge validate`. */
export const run: CommandModule["run"] = async ({ output }, _args, flags) => {
  const seed = String(flags["seed"]);
  const count = Number(flags["count"]);
  if (!Number.isInteger(count) || count < 1 || count > MAX_TASKS) {
    throw new Fault("configuration", {
      why: `--count ${String(flags["count"])} is no number of tasks`,
      next: `give 1 to ${MAX_TASKS}`,
    });
  }
  const kinds = Array.isArray(flags["kind"]) ? flags["kind"].map(kindOf) : TASK_KINDS;
  const tasks = makeTasks({ count, seed, kinds });
  const rows = flags["pairs"] === true ? makePairs(tasks, seed) : tasks;
  await output.result(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return EXIT.answered;
};

function kindOf(name: string): TaskKind {
  const kind = TASK_KINDS.find((one) => one === name);
  if (kind !== undefined) return kind;
  throw new Fault("configuration", {
    why: `there is no kind of task "${name.slice(0, 40)}"`,
    next: `did you mean ${findNearest(name, TASK_KINDS)}? There are ${TASK_KINDS.join(", ")}`,
  });
}
