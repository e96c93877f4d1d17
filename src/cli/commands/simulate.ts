import { startSimServer } from "../../app/sim-server.ts";
import { type Io, type Values } from "../command.ts";
import type { SIM_SERVER } from "../options.ts";
import { interruptible } from "../session.ts";

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
