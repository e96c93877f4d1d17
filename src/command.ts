/** The command line with protocols of your own: `process.exitCode = await runProgram(process.argv.slice(2), { protocols })`. */
export { runProgram } from "./cli/program.ts";
