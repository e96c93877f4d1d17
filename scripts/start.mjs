// npm start: installs and builds what is missing, then is Parley's own command line.
//
// S1. stdout is the program's alone; whatever this script has to say goes to stderr.
// S2. The program gets each Ctrl-C once. A terminal sends SIGINT to the whole group, the program included, and npm
//     then sends it to this process once more; so two in a row mean that the program has had its own, and a single
//     one without a terminal came through npm or a supervisor alone and is passed on. For this package.json says
//     `exec`: a shell in between would keep what npm sends to itself.
// S3. This process ends after the program and with its exit code.
import "./node-version.mjs";
import { join } from "node:path";
import { run } from "./child.mjs";
import { root } from "./root.mjs";
import { runScript, setUp } from "./setup.mjs";

const echoWithinMs = 500;

await runScript(async () => {
  await setUp(root, { build: true });
  let interrupts = 0;
  return run([process.execPath, join(root, "dist", "cli.mjs"), ...process.argv.slice(2)], {
    // Where the person stands, so that their relative paths mean what they typed: npm itself changes to the root.
    cwd: process.env["INIT_CWD"] ?? process.cwd(),
    stdio: "inherit",
    interrupts: (child) => {
      interrupts += 1;
      if (interrupts > 1 || process.stdin.isTTY || process.stderr.isTTY) return;
      setTimeout(() => {
        if (interrupts === 1) child.kill("SIGINT");
        interrupts = 0;
      }, echoWithinMs);
    },
  });
});
