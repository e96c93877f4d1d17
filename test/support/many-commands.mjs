// node many-commands.mjs CLI, with a channel to its parent: runs each command that it is sent, `{ args, env, cwd }`, in this process,
// and answers `{ code, stdout, stderr }`. A command's modules are loaded once, so a hundred take seconds.
import { pathToFileURL } from "node:url";

const [, , cli = ""] = process.argv;
process.stdin.setMaxListeners(0); // each command may look at it
const own = { ...process.env };
const written = { stdout: "", stderr: "" };
for (const name of /** @type {const} */ (["stdout", "stderr"])) {
  process[name].setMaxListeners(0);
  /** @type {any} */ (process[name]).write = (
    /** @type {string} */ piece,
    /** @type {() => void} */ done,
  ) => {
    written[name] += piece;
    done?.();
    return true;
  };
}

let count = 0;
/** @param {{ args: string[], env: Record<string, string>, cwd: string }} command */
async function run({ args, env, cwd }) {
  Object.assign(written, { stdout: "", stderr: "" });
  process.chdir(cwd);
  process.env = { ...own, ...env };
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = undefined;
  // Another address of the entry file makes it run again, on the same modules.
  await import(`${pathToFileURL(cli).href}?run=${(count += 1)}`);
  process.send?.({ code: process.exitCode ?? 0, ...written });
  process.exitCode = 0;
}
process.on("message", (command) => void run(/** @type {any} */ (command)));
