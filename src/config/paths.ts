import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { refusal } from "../kernel/index.ts";
import { quoteValue } from "../text/words.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What decides where files are looked for. */
export type FileContext = {
  readonly cwd: string;
  readonly env: Environment;
  /** As `process.platform`; by default this process's. */
  readonly platform?: NodeJS.Platform | undefined;
  /** Whether this user trusts a file with what it names; by default what is recorded says so (TRUST-1). */
  readonly trusts?: ((claim: FileClaim) => boolean) | undefined;
};

/** What a file names that takes effect only where the user trusts the file. */
export type FileClaim = {
  readonly path: string;
  /** What the file holds now. */
  readonly text: string;
  /** Files of its folder that what it names runs, as absolute paths: trust in the file is in these as they stand. */
  readonly programs?: readonly string[] | undefined;
  /** One text each, fit to be shown: `models: openai/gpt-6.1-terra`. */
  readonly names: readonly string[];
};

/** A folder's variables, and where it is below the home folder where none of them is set. */
const DATA = { xdg: "XDG_DATA_HOME", windows: "LOCALAPPDATA", win32: "AppData/Local", other: ".local/share" };
const CONFIG = { xdg: "XDG_CONFIG_HOME", windows: "APPDATA", win32: "AppData/Roaming", other: ".config" };

/**
 * The folder of what Parley writes. `PARLEY_HOME` stands for it and for the folder of the settings; else
 * `$XDG_DATA_HOME/parley` (XDG Base Directory Specification: a relative one does not count), else the
 * platform's own place: `~/.local/share`, `~/Library/Application Support`, `%LOCALAPPDATA%`.
 */
export function dataFolder(place: FileContext): string {
  return findFolder(DATA, place);
}

/** The folder of the user's own settings, personas, strategies and prompts; see `dataFolder`. `~/.config`, `%APPDATA%`. */
export function configFolder(place: FileContext): string {
  return findFolder(CONFIG, place);
}

function findFolder({ xdg, windows, win32, other }: typeof DATA, place: FileContext): string {
  const { cwd, env, platform = process.platform } = place;
  const own = env["PARLEY_HOME"] ?? "";
  if (own !== "") return toAbsolute(own, { cwd, env });
  const variables = [xdg, ...(platform === "win32" ? [windows] : [])];
  const named = variables.map((variable) => env[variable] ?? "").find((folder) => isAbsolute(folder));
  const below = platform === "darwin" ? "Library/Application Support" : platform === "win32" ? win32 : other;
  return join(named ?? join(homeFolder(env), below), "parley");
}

/** The embedded store's file where none is named. */
export function defaultStoreFile(place: FileContext): string {
  return join(dataFolder(place), "parley.db");
}

/** A path as a person wrote it, made absolute; `~/` is the home folder. @throws Fault `configuration` where that is not known */
export function toAbsolute(path: string, { cwd, env }: Pick<FileContext, "cwd" | "env">): string {
  return path.startsWith("~/") ? join(homeFolder(env), path.slice(2)) : resolve(cwd, path);
}

/** @throws Fault `configuration` where the home folder is not known */
function homeFolder(env: Environment): string {
  const home = knownHome(env);
  if (home !== undefined) return home;
  const written = env["HOME"] ?? "";
  const why = written === "" ? "HOME is empty" : `HOME must be an absolute path (got ${quoteValue(written)})`;
  throw refusal(
    `${why}, so your files have no folder`,
    "set HOME to your home folder, or PARLEY_HOME to a folder for Parley",
  );
}

/** The home folder; undefined where the environment names none, or a relative one. */
export function knownHome(env: Environment): string | undefined {
  const home = env["HOME"] || env["USERPROFILE"] || (env["HOME"] === undefined ? systemHome() : "");
  return isAbsolute(home) ? home : undefined;
}

/** Empty for a user whom the system does not know. */
function systemHome(): string {
  try {
    return homedir();
  } catch {
    return "";
  }
}

/**
 * The nearest file or folder of a name in the working directory or above it, up to the root of the git
 * repository or the home folder. Outside of both only the working directory itself counts, since whoever
 * may write to `/tmp` shall not decide for everybody who works below it.
 */
export function nearestAbove(name: string, { cwd, env }: FileContext): string | undefined {
  const known = knownHome(env);
  const home = known === undefined ? undefined : resolve(known);
  const passed: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    passed.push(folder);
    if (folder === home || existsSync(join(folder, ".git"))) break;
    if (folder === dirname(folder)) {
      passed.length = 1;
      break;
    }
  }
  return passed.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export const SETTINGS_FILE = "parley.yaml";

/** Whether settings name features of one's own; of files, without reading them as YAML: every command asks. */
export function namesFeatures(place: FileContext): boolean {
  const paths = [nearestAbove(SETTINGS_FILE, place), join(configFolder(place), SETTINGS_FILE)];
  const texts = paths.map((path) =>
    path !== undefined && existsSync(path) ? readFileSync(path, "utf8") : "",
  );
  return (
    (place.env["PARLEY_FEATURES"] ?? "") !== "" || texts.some((text) => /^["']?features["']?\s*:/m.test(text))
  );
}
