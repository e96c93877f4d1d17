// node many-commands.mjs CLI: runs the commands of a JSON array on stdin, each `{ args, env, cwd }`, one after the other in this
// process, and prints one JSON array of `{ code, stdout, stderr }`. A command's modules are loaded once, so a hundred take seconds.
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const [, , cli = ""] = process.argv;
/** @type {{ args: string[], env: Record<string, string>, cwd?: string }[]} */
const commands = JSON.parse(await text(process.stdin));
process.stdin.setMaxListeners(0); // each command may look at it
const own = { ...process.env };
const home = process.cwd();
const streams = /** @type {const} */ (["stdout", "stderr"]);
const write = process.stdout.write.bind(process.stdout);

const ended = [];
for (const [index, { args, env, cwd = home }] of commands.entries()) {
  process.chdir(cwd);
  const written = { stdout: "", stderr: "" };
  for (const name of streams) {
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
  process.env = { ...own, ...env };
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = undefined;
  // Another address of the entry file makes it run again, on the same modules.
  await import(`${pathToFileURL(cli).href}?run=${index}`);
  ended.push({ code: process.exitCode ?? 0, ...written });
}
process.exitCode = 0;
write(JSON.stringify(ended));
