import { openConfigured } from "../../../app/configured.ts";
import { serveMcpStdio } from "../api/stdio.ts";
import manifest from "../../../../package.json" with { type: "json" };
import type { Io, Values } from "../../../cli/command.ts";
import { withoutModels } from "../../../cli/connect.ts";
import type { MCP } from "./index.ts";
import { interruptible } from "../../../cli/session.ts";

/** Serves one MCP client over standard input and output, until it goes away. */
export const mcp = (io: Io, options: Values<typeof MCP>): Promise<void> =>
  interruptible(async (signal) => {
    const { output, env, cwd, protocols, features } = io;
    const { maxDrives } = options;
    const { parley, context, renamed } = await openConfigured({
      ...{ env, cwd, protocols, features, flags: {}, isServed: true, ...withoutModels(options) },
    });
    for (const note of renamed) output.note(note);
    if (process.stdin.isTTY)
      output.note("This is for MCP clients, which start it themselves. Press Ctrl-D to stop.");
    try {
      const log = (line: string) => output.note(line);
      const config = { version: manifest.version, place: { env, cwd }, maxDepth: 0 };
      await serveMcpStdio({ parley, principal: context.principal, config, features, maxDrives, log, signal });
    } finally {
      await parley.close();
    }
  });
