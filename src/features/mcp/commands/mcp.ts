import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { openConfigured } from "../../../app/configured.ts";
import { topOf } from "../../../app/work-tree.ts";
import { refusal } from "../../../kernel/index.ts";
import { quoteValue } from "../../../text/words.ts";
import { serveMcpStdio } from "../api/stdio.ts";
import manifest from "../../../../package.json" with { type: "json" };
import type { Io, Values } from "../../../cli/command.ts";
import { withoutModels } from "../../../cli/connect.ts";
import type { MCP } from "./index.ts";
import { interruptible } from "../../../cli/session.ts";

/**
 * The folders whose files a call may name: those that were given, else the work tree that the process was started in, if it was.
 * @throws Fault `configuration` for one that is no folder
 */
function rootsFor(cwd: string, given: readonly string[]): readonly string[] {
  const roots = given.map((folder) => {
    const path = resolve(cwd, folder);
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw refusal(`--root ${quoteValue(folder)} is no folder`, "name one that is there");
    return realpathSync(path);
  });
  return given.length > 0 ? roots : [topOf(cwd) ?? []].flat();
}

/** Serves one MCP client over standard input and output, until it goes away. */
export const mcp = (io: Io, options: Values<typeof MCP>): Promise<void> =>
  interruptible(async (signal) => {
    const { output, env, cwd, protocols, features } = io;
    const { maxDrives, maxCostUsd, maxCostUsdDay: usdPerDay, tools } = options;
    const roots = rootsFor(cwd, options.root);
    const { parley, context, renamed } = await openConfigured({
      ...{ env, cwd, protocols, features, flags: { maxCostUsd }, isServed: true, ...withoutModels(options) },
    });
    for (const note of renamed) output.note(note);
    if (process.stdin.isTTY)
      output.note("This is for MCP clients, which start it themselves. Press Ctrl-D to stop.");
    try {
      const log = (line: string) => output.note(line);
      const config = { version: manifest.version, place: { env, cwd }, maxDepth: 0 };
      const { principal } = context;
      await serveMcpStdio({
        ...{ parley, principal, config, features, maxDrives, log, signal },
        ...{ roots, tools, usdPerDay },
      });
    } finally {
      await parley.close();
    }
  });
