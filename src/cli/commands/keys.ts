import { knownKeys, keyVariableOf } from "../../app/keys.ts";
import { keyFilePath, removeKey, storeKey } from "../../config/keys.ts";
import { displayPath } from "../../config/text-file.ts";
import { refusal } from "../../kernel/index.ts";
import { align } from "../../reports/labelled-rows.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import { askHidden, readStandardInput } from "../input.ts";
import type { JSON_FLAG } from "../options.ts";

const ORDER = "A variable in the environment counts before a stored key.";

/** Stores a key that is typed without an echo, or piped in. */
export async function setKey(io: Io, args: readonly string[]): Promise<number> {
  const [provider = "", ...more] = args;
  const place = { env: io.env, cwd: io.cwd };
  if (more.length > 0)
    throw refusal(
      "a key is no argument, since others can see those",
      `parley keys set ${providerWord(provider)}, and type it there; or pipe it in`,
    );
  const variable = keyVariableOf(provider, place);
  const value = process.stdin.isTTY
    ? await askHidden(`Key for ${provider} (not shown): `)
    : await readStandardInput(io.output);
  if (value === undefined || value.trim() === "") {
    io.output.note("No key was given; nothing is changed");
    return EXIT.usage;
  }
  const where = storeKey(place, variable, value.trim());
  const words =
    where === "keychain" ? "the keychain" : `${displayPath(keyFilePath(place))}, which only you can read`;
  io.output.note(`Stored as ${variable} in ${words}. Try: parley doctor --probe`);
  if (knownKeys(place).some((one) => one.variable === variable && one.where === "environment"))
    io.output.note(`${variable} is also set in the environment, which counts before it`);
  return EXIT.answered;
}

/** A provider as a word of a command: one that may be a key is not repeated. */
const providerWord = (provider: string): string =>
  /^[a-z0-9/-]{1,30}$/.test(provider) ? provider : "PROVIDER";

/** Lists whose keys are known, and where they are; never a key. */
export async function list(io: Io, options: Values<typeof JSON_FLAG>): Promise<void> {
  const keys = knownKeys({ env: io.env, cwd: io.cwd });
  const rows = keys.map(({ provider, variable, where, used }) => [
    provider,
    variable,
    where,
    used ? "" : "not used",
  ]);
  await print(io, { json: options.json, value: keys }, ({ width }) =>
    keys.length === 0
      ? "No keys are known. Try: parley keys set openai\n"
      : `${[...align([["PROVIDER", "VARIABLE", "WHERE", ""], ...rows], width), "", ORDER].join("\n")}\n`,
  );
}

export function remove(io: Io, provider: string): number {
  const place = { env: io.env, cwd: io.cwd };
  const variable = keyVariableOf(provider, place);
  const isRemoved = removeKey(place, variable);
  io.output.note(isRemoved ? `Removed ${variable}` : `No key is stored for ${provider}`);
  return isRemoved ? EXIT.answered : EXIT.refusedByCheck;
}
