import { interruption } from "../interruption.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { startSimServer } from "../../app/sim-server.ts";

/** `parley sim-server`: serves until Ctrl-C. The first line on stdout is its URL. */
export const run: CommandModule["run"] = async (io, _args, flags) => {
  const stop = interruption();
  const server = await startSimServer({
    port: Number(flags["port"]),
    host: String(flags["host"]),
    key: io.env["PARLEY_SIM_KEY"],
    cwd: io.cwd,
    env: io.env,
  });
  await io.output.result(`${server.url}\n`);
  io.output.note(
    `Simulated models are served at ${server.url}/v1 (OpenAI-compatible) and ${server.url} (Anthropic). Ctrl-C ends it.`,
  );
  await new Promise<void>((resolve) =>
    stop.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  await server.close();
  stop.release();
  return EXIT.answered;
};
