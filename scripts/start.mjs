// npm start: installs and builds what is missing, then is Parley's own command line.
//
// S1. stdout is the program's alone; whatever this script has to say goes to stderr.
// S2. Every interrupt reaches the program. A terminal sends SIGINT to the program itself; without a terminal it may
//     have come through npm alone and is passed on. So the program may get one interrupt twice, as it does from npx
//     too, and has to take two in quick succession for one. package.json says `exec`, because a shell between npm
//     and this script would keep the signal to itself, and dash would end before the program; cmd.exe, which has no
//     exec, finds exec.cmd in the root.
// S3. This process ends after the program and with its exit code.
import "./node-version.mjs";
import { join } from "node:path";
import { run } from "./child.mjs";
import { root } from "./root.mjs";
import { runScript, setUp } from "./setup.mjs";

await runScript(async () => {
  await setUp(root, { build: true });
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  // Behind `--`, or Node.js takes an option of its own name, `--env-file`, for itself.
  return run([process.execPath, "--", join(root, "dist", "cli.mjs"), ...process.argv.slice(2)], {
    // Where the person stands, so that their relative paths mean what they typed: npm itself changes to the root.
    cwd: process.env["INIT_CWD"] ?? process.cwd(),
    stdio: "inherit",
    interrupts: (child) => {
      if (!hasTerminal) child.kill("SIGINT");
    },
  });
});
