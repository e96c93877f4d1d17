import { config } from "zod";
import { features } from "../features.ts";

// A command parses a few dozen values: compiling a function for each schema would take longer than it saves. Schemas ask for this when they are made.
config({ jitless: true });

export const runProgram = async (args: readonly string[]): Promise<number> =>
  (await import("./program.ts")).runProgram(args, { features });
