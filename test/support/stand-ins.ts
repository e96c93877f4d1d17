import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Scratch } from "./scratch.ts";

type Variables = Readonly<Record<string, string>>;

/** How a stand-in was started. */
export type Started = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly there: readonly string[];
  readonly input: string;
};

/**
 * For tests: a program of this name, alone on the PATH with Node. It writes down how it was started, and then does what `body` says, which
 * has `input`, `say(value)` for a line of JSON and `wait(ms)`.
 */
export function standIn(place: Scratch, name: string, body: string): { env: Variables; started(): Started } {
  const bin = join(place.home, "bin");
  mkdirSync(bin, { recursive: true });
  const record = join(bin, `${name}.json`);
  const path = place.write(
    `bin/${name}`,
    `#!${process.execPath}
const fs = require("node:fs");
const { spawn } = require("node:child_process");
const say = (value) => fs.writeSync(1, (typeof value === "string" ? value : JSON.stringify(value)) + "\\n");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
let input = "";
for (;;) try { input = fs.readFileSync(0, "utf8"); break; } catch (error) { if (error.code !== "EAGAIN") break; }
const args = process.argv.slice(2);
const cwd = process.cwd();
fs.writeFileSync(${JSON.stringify(record)}, JSON.stringify({ args, cwd, input, env: process.env, there: fs.readdirSync(cwd) }));
(async () => {${body}})();
`,
  );
  chmodSync(path, 0o755);
  const known = Object.entries(place.env).map(([key, value = ""]) => [key, value]);
  const env: Variables = {
    ...Object.fromEntries(known),
    PATH: [bin, dirname(process.execPath)].join(delimiter),
  };
  return { env, started: () => JSON.parse(readFileSync(record, "utf8")) as Started };
}
