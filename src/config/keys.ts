// KEYS-1. A stored key is in no argument of a program, no error and nothing that is listed. Else: logs and processes show API keys.
// KEYS-3. A file of keys that other users may read is refused. Else: other users of the machine read API keys.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { configFolder, knownHome, type Environment, type FileContext } from "./paths.ts";
import { displayPath, refuse, replaceFile } from "./text-file.ts";

/** By environment variable: the key itself, or that the platform's keychain holds it. */
const KeyFile = z.record(
  z.string().regex(/^[A-Z_][A-Z0-9_]*$/),
  z.union([z.strictObject({ value: z.string() }), z.strictObject({ keychain: z.literal(true) })]),
);
type KeyFile = z.infer<typeof KeyFile>;

/** A key that is stored, by the variable that it stands for. */
export type StoredKey = { readonly variable: string; readonly where: "keychain" | "file" };

export const keyFilePath = (place: FileContext): string => join(configFolder(place), "keys.json");

/** @throws Fault `configuration` for a file that other users may read, or that is not of this form (KEYS-3) */
function readKeyFile(place: FileContext): KeyFile {
  const path = keyFilePath(place);
  if (!existsSync(path)) return {};
  if ((place.platform ?? process.platform) !== "win32" && (statSync(path).mode & 0o077) !== 0)
    throw refuse(`${displayPath(path)} holds keys, and other users may read it`, `chmod 600 ${path}`);
  try {
    return KeyFile.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // What is wrong there is not shown: it may be a key. (KEYS-1)
    throw refuse(`${displayPath(path)} is not a file of keys`, "delete it, and store your keys again");
  }
}

function writeKeyFile(place: FileContext, keys: KeyFile): void {
  const path = keyFilePath(place);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, `${JSON.stringify(keys, undefined, 2)}\n`, 0o600);
}

/** @throws Fault `configuration` as `readKeyFile` */
export const listKeys = (place: FileContext): readonly StoredKey[] =>
  Object.entries(readKeyFile(place)).map(([variable, stored]) => ({
    variable,
    where: "value" in stored ? "file" : "keychain",
  }));

/** Stores a key in the platform's keychain where that works, else in a file of the user's alone. @throws Fault `configuration` */
export function storeKey(place: FileContext, variable: string, value: string): StoredKey["where"] {
  if (!/^[\x21-\x7e]{8,4096}$/.test(value))
    throw refuse("a key has 8 to 4096 characters, and neither spaces nor line ends", "copy the key again");
  const keys = readKeyFile(place);
  const keychain = keychainOf(place);
  keychain?.store(variable, value);
  // It works only if it gives back what it was given.
  const isKept = keychain?.find(variable) === value;
  writeKeyFile(place, { ...keys, [variable]: isKept ? { keychain: true } : { value } });
  return isKept ? "keychain" : "file";
}

/** False where no key was stored. @throws Fault `configuration` */
export function removeKey(place: FileContext, variable: string): boolean {
  const { [variable]: stored, ...rest } = readKeyFile(place);
  if (stored === undefined) return false;
  if ("keychain" in stored) keychainOf(place)?.remove(variable);
  writeKeyFile(place, rest);
  return true;
}

/** The environment with the stored keys of variables that are not set; a keychain is asked when its key is first read. */
export function withStoredKeys(place: FileContext): Environment {
  const { env } = place;
  if ((env["PARLEY_HOME"] ?? "") === "" && knownHome(env) === undefined) return env;
  const missing = Object.entries(readKeyFile(place)).filter(
    ([variable]) => (env[variable] ?? "").trim() === "",
  );
  if (missing.length === 0) return env;
  const all = { ...env };
  for (const [variable, stored] of missing) {
    let known: string | undefined | null = null;
    const get = () => {
      if (known === null) known = "value" in stored ? stored.value : keychainOf(place)?.find(variable);
      return known;
    };
    Object.defineProperty(all, variable, { get, enumerable: true, configurable: true });
  }
  return all;
}

export const isStoredKey = (env: Environment, variable: string): boolean =>
  Object.getOwnPropertyDescriptor(env, variable)?.get !== undefined;

/** The platform's keychain, by the program that comes with it; each call says nothing where it does not work. */
type Keychain = {
  store(variable: string, value: string): void;
  find(variable: string): string | undefined;
  remove(variable: string): void;
};

function keychainOf({ env, platform = process.platform }: FileContext): Keychain | undefined {
  const run = (command: string, args: readonly string[], input = ""): string | undefined => {
    const options = { input, env: { ...env }, encoding: "utf8", timeout: 20_000, windowsHide: true } as const;
    const { status, stdout } = spawnSync(command, args, options);
    return status === 0 ? stdout.replace(/\r?\n$/, "") : undefined;
  };
  if (platform === "linux") {
    const names = (variable: string) => ["service", "parley", "account", variable];
    return {
      store: (variable, value) =>
        void run("secret-tool", ["store", "-l", `Parley: ${variable}`, ...names(variable)], value),
      find: (variable) => run("secret-tool", ["lookup", ...names(variable)]),
      remove: (variable) => void run("secret-tool", ["clear", ...names(variable)]),
    };
  }
  if (platform !== "darwin") return undefined;
  const names = (variable: string) => ["-s", "parley", "-a", variable];
  return {
    // Commands on its standard input are in no list of processes. (KEYS-1)
    store: (variable, value) => {
      const hex = Buffer.from(value).toString("hex");
      run("security", ["-i"], `${["add-generic-password", "-U", ...names(variable), "-X", hex].join(" ")}\n`);
    },
    find: (variable) => run("security", ["find-generic-password", ...names(variable), "-w"]),
    remove: (variable) => void run("security", ["delete-generic-password", ...names(variable)]),
  };
}
