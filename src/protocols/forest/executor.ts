import { type Json, refusal } from "../../kernel/index.ts";
import { asJson, type ForestCheck } from "./settings.ts";
import type { RoleDesk } from "./table.ts";

/** Asks the process's executor. @throws Fault `configuration` where this process cannot run the forest's gates */
export async function askExecutor(
  { context }: Pick<RoleDesk, "context">,
  check: ForestCheck,
  signal: AbortSignal,
): Promise<Json> {
  const { executor } = context.ports;
  const next = "run its next cycle in the folder of the forest";
  if (!executor) throw refusal("this process has no gates", next);
  const answer = await executor.execute(asJson(check), signal);
  signal.throwIfAborted();
  if (!answer.ok) throw refusal(answer.reason, next);
  return answer.metrics;
}
