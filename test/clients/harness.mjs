import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { capture } from "../../scripts/child.mjs";
import { root } from "../../scripts/root.mjs";

/** @typedef {{ url: string, key: string }} Server without a slash at its end */
/**
 * What the checks of a client are given. `load` imports a package of the client's folder, `serve` starts a server whose members
 * have these parameters, `check` runs one check, and `bin` starts a program of the folder, to what it printed.
 *
 * @typedef {{ folder: string, load: (name: string) => Promise<any>, serve: (parameters?: string, settings?: object) => Promise<Server>,
 *   check: (name: string, body: () => Promise<unknown>) => Promise<void>, report: (check: { name: string, ok: boolean, reason: string }) => void,
 *   bin: (path: string, args: readonly string[], more?: { cwd?: string, env?: Record<string, string> }) => Promise<string> }} Bench
 */

export const QUESTION = "What is 17 * 23?";
/** Members that call a tool, where they are given it. @param {string} name the end of its name @param {object} input */
export const calling = (name, input) => `calls=${encodeURIComponent(`${name}:${JSON.stringify(input)}`)}`;
export const WEATHER = calling("get_weather", { city: "Oslo" });

const CHECK_MS = 90_000;
const PROGRAM = join(root, "dist", "cli.mjs");
const NODE = process.env["SERVER_NODE"] ?? process.execPath;

/** A new folder below the temporary folder of this client. */
export const newFolder = () => mkdtempSync(join(tmpdir(), "place-"));

/**
 * Starts `parley serve` over a store of its own; it ends with this process.
 *
 * @param {string} [parameters] of each member, as `sim/NAME?…` has them @param {object} [settings] beside them
 * @returns {Promise<Server>}
 */
async function serve(parameters = "", settings = {}) {
  const home = newFolder();
  const models = ["ada", "bo", "cy"].map((name) => `sim/${name}${parameters && "?"}${parameters}`);
  writeFileSync(join(home, "parley.yaml"), JSON.stringify({ models, ...settings }));
  const options = { cwd: home, env: { ...process.env, PARLEY_HOME: home }, shell: false };
  const made = spawn(NODE, [PROGRAM, "serve", "keys", "new", "clients"], options);
  let key = "";
  for await (const text of made.stdout) key += String(text);
  const server = spawn(NODE, [PROGRAM, "serve", "--port", "0", "--simulated"], options);
  process.once("exit", () => server.kill("SIGKILL"));
  let said = "";
  server.stderr.on("data", (/** @type {Buffer} */ bytes) => (said += bytes.toString()));
  for await (const line of createInterface({ input: server.stdout }))
    return { url: line.replace(/\/$/, ""), key: key.trim() };
  throw new Error(`parley serve: ${said}`);
}

/** @param {(bench: Bench) => Promise<void>} check @param {string} folder */
export async function run(check, folder) {
  // Only a file of that folder finds what is installed there.
  const loader = join(folder, "load.mjs");
  writeFileSync(loader, "export const load = (name) => import(name);\n");
  const { load } = await import(pathToFileURL(loader).href);
  const report = (/** @type {object} */ one) => void process.stdout.write(`check ${JSON.stringify(one)}\n`);
  await check({
    ...{ folder, load, serve, report },
    async check(name, body) {
      /** @type {NodeJS.Timeout | undefined} */
      let limit;
      const late = new Promise((_, reject) => {
        limit = setTimeout(() => reject(new Error(`nothing came in ${CHECK_MS / 1_000} s`)), CHECK_MS);
      });
      try {
        await Promise.race([body(), late]);
        report({ name, ok: true, reason: "" });
      } catch (error) {
        process.stdout.write(
          `${name}: ${String(error instanceof Error ? error.stack : error).slice(0, 1_500)}\n`,
        );
        const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
        report({ name, ok: false, reason: reason.slice(0, 300) });
      } finally {
        clearTimeout(limit);
      }
    },
    async bin(path, args, { cwd = newFolder(), env = {} } = {}) {
      mkdirSync(cwd, { recursive: true });
      const file = join(folder, "node_modules", path);
      const command = /\.[cm]?js$/.test(path) ? [process.execPath, file] : [file];
      const { code, output } = await capture(/** @type {[string, ...string[]]} */ ([...command, ...args]), {
        ...{ cwd, env: { ...process.env, ...env }, limitMs: CHECK_MS - 5_000 },
      });
      if (code !== 0) throw new Error(`it ended with ${code}: ${output.trim().slice(-1_500)}`);
      return output;
    },
  });
}
