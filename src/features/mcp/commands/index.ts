import { defineCommand } from "../../../cli/command.ts";
import { SERVE } from "../../../cli/server-commands.ts";

export const MCP = { maxDrives: SERVE.maxDrives, simulated: SERVE.simulated };

export const mcp = defineCommand("mcp", "Serve one MCP client over standard input and output", {
  details:
    "An MCP client starts it, as the command of a server. What still runs when the client goes away stays open: the next client's " +
    "first call, parley serve and parley resume go on with it.",
  options: MCP,
  examples: ["mcp", "mcp --max-drives 4"],
  run: async (io, given) => (await import("./mcp.ts")).mcp(io, given),
});
