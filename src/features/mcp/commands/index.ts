import * as z from "zod";
import { defineCommand, list, repeatable, setting } from "../../../cli/command.ts";
import { SERVE } from "../../../cli/server-commands.ts";

export const MCP = {
  root: repeatable(
    "--root <dir>",
    "folder whose files calls may name, read-only (default: the Git work tree)",
  ),
  tools: list("--tools <names>", "tools: core, all, or names (default: core)"),
  maxCostUsd: setting("--max-cost-usd <usd>", "cost limit in USD, of one run: no call lifts it"),
  maxCostUsdDay: {
    ...{ flags: "--max-cost-usd-day <usd>", description: "cost limit in USD of all runs of a day (UTC)" },
    schema: z.coerce.number().positive().meta({ expects: "a number over 0", example: "5" }).optional(),
  },
  maxDrives: SERVE.maxDrives,
  simulated: SERVE.simulated,
};

export const mcp = defineCommand("mcp", "Serve one MCP client over standard input and output", {
  details:
    "An MCP client starts it, as the command of a server. What still runs when the client goes away stays open: the next client's " +
    "first call, parley serve and parley resume go on with it.",
  options: MCP,
  examples: ["mcp", "mcp --root ~/project --tools all --max-cost-usd 1 --max-cost-usd-day 5"],
  run: async (io, given) => (await import("./mcp.ts")).mcp(io, given),
});
