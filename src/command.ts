import { runProgram as run, type ProgramParts } from "./cli/program.ts";
import { features } from "./features.ts";

/** The command line with protocols and features of your own: `process.exitCode = await runProgram(process.argv.slice(2), { protocols })`. */
export const runProgram = (
  argv: readonly string[],
  { features: own = [], ...parts }: ProgramParts = {},
): Promise<number> => run(argv, { ...parts, features: [...features, ...own] });
