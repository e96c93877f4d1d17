import { startSimServer } from "../../app/sim-server.ts";
import { refusal } from "../../kernel/index.ts";
import { makePairs, makeTasks, TASK_KINDS, type TaskKind } from "../../sim/tasks/index.ts";
import { findNearest } from "../../text/words.ts";
import { type Io, type Values } from "../command.ts";
import { jsonLine } from "../../reports/printable.ts";
import type { SIM_SERVER, TASKS } from "../options.ts";
import { interruptible } from "../session.ts";

export async function tasks(
  { output }: Io,
  { count, seed = "7", kind, pairs }: Values<typeof TASKS>,
): Promise<void> {
  const made = makeTasks({ count, seed, kinds: kind?.map(kindNamed) ?? TASK_KINDS });
  const rows = pairs ? makePairs(made, seed) : made;
  await output.result(rows.map(jsonLine).join(""));
}

function kindNamed(name: string): TaskKind {
  const kind = TASK_KINDS.find((one) => one === name);
  if (kind !== undefined) return kind;
  throw refusal(
    `"${name.slice(0, 40)}" is not a kind of task; expected ${TASK_KINDS.join(", ")}`,
    `--kind ${findNearest(name, TASK_KINDS)}`,
  );
}

/** Serves simulated models until Ctrl-C. The first line on stdout is the URL. */
export const simServer = (
  { cwd, env, output, features = [] }: Io,
  { port, host = "127.0.0.1" }: Values<typeof SIM_SERVER>,
): Promise<void> =>
  interruptible(async (signal) => {
    const server = await startSimServer({ port, host, key: env["PARLEY_SIM_KEY"], cwd, env, features });
    await output.result(`${server.url}\n`);
    output.note(
      `Simulated models at ${server.url}/v1 (OpenAI-compatible) and ${server.url} (Anthropic). Press Ctrl-C to stop.`,
    );
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await server.close();
  });
