import { tmpdir } from "node:os";
import { agentPrograms, findProgram, OWN_CHOICE, type InstalledProgram } from "../models/programs.ts";
import { environmentFor, runProgram } from "../models/program-process.ts";
import type { Environment } from "../config/paths.ts";
import { oneLine } from "../reports/printable.ts";

/** A program of an agent that is installed here, and the reference that asks it for the model that it takes itself. */
export type Subscription = InstalledProgram & { readonly title: string; readonly ref: string };

/** The programs on the PATH. None of them is asked unless somebody names it: each call counts against somebody's plan. */
export const installedPrograms = (env: Environment): readonly Subscription[] =>
  [...agentPrograms.keys()].flatMap((name) => {
    const ref = `${name}/${OWN_CHOICE}`;
    const found = findProgram(ref, env);
    return found && "path" in found ? [{ ...found, title: found.program.title, ref }] : [];
  });

const CHECK_MS = 5_000;
const MAX_BYTES = 65_536;

/** Asks a program for its version, and whether somebody is logged in. It is a failure only for what is `needed`. */
export async function checkProgram({ name, program, path }: Subscription, env: Environment, needed: boolean) {
  const ask = async (args: readonly string[]) => {
    let output = "";
    const end = await runProgram({
      ...{ path, args, input: "", folder: tmpdir(), maxBytes: MAX_BYTES },
      env: environmentFor(env, program.variables),
      signal: AbortSignal.timeout(CHECK_MS),
      onOutput: (text) => ((output += text), false),
    });
    const errors = end.how === "ended" ? end.errors : "";
    return { code: end.how === "ended" ? end.code : null, text: `${output}\n${errors}` };
  };
  const [version, login] = await Promise.all([ask(["--version"]), program.status && ask(program.status)]);
  const number = /\d+\.\d+[\w.-]*/.exec(version.text)?.[0] ?? "of unknown version";
  const what = `${program.title} (${name})`;
  const found = (words: string) => oneLine(`${number}, ${words}`, 200);
  if (login === undefined) return { what, ok: true, found: found("its login is not tested") };
  if (login.code === null)
    return { what, ok: !needed, found: found("it does not say whether it is logged in") };
  if (login.code !== 0) return { what, ok: !needed, found: found("not logged in"), next: program.login };
  const words = BY_KEY.test(login.text)
    ? "logged in with a key of the API, which bills each call"
    : "logged in";
  return { what, ok: true, found: found(words) };
}

/** How the programs' status says that a key is used, and no plan. */
const BY_KEY = /using an api key|"authMethod":\s*"api_?key/i;
