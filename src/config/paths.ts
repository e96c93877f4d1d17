import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What decides where files are looked for. */
export type FileContext = {
  readonly cwd: string;
  readonly env: Environment;
  /** As `process.platform`; by default this process's. */
  readonly platform?: NodeJS.Platform | undefined;
};

/**
 * The folder of what Parley writes. `PARLEY_HOME` stands for it and for the folder of the settings; else
 * `$XDG_DATA_HOME/parley` (XDG Base Directory Specification: a relative one does not count), else the
 * platform's own place: `~/.local/share`, `~/Library/Application Support`, `%LOCALAPPDATA%`.
 */
export function dataFolder(place: FileContext): string {
  const platform = place.platform ?? process.platform;
  const home = homeFolder(place.env);
  return (
    parleyFolder(place) ??
    xdgFolder(place.env, "XDG_DATA_HOME") ??
    (platform === "win32" ? xdgFolder(place.env, "LOCALAPPDATA") : undefined) ??
    join(home, ...(DATA[platform] ?? [".local", "share"]), "parley")
  );
}

/** The folder of the user's own settings, personas, strategies and prompts; see `dataHome`. `~/.config`, `%APPDATA%`. */
export function configFolder(place: FileContext): string {
  const platform = place.platform ?? process.platform;
  const home = homeFolder(place.env);
  return (
    parleyFolder(place) ??
    xdgFolder(place.env, "XDG_CONFIG_HOME") ??
    (platform === "win32" ? xdgFolder(place.env, "APPDATA") : undefined) ??
    join(home, ...(CONFIG[platform] ?? [".config"]), "parley")
  );
}

/** The embedded store's file where nobody names another. */
export function defaultStoreFile(place: FileContext): string {
  return join(dataFolder(place), "parley.db");
}

/** A path as a person wrote it, made absolute; `~/` is the home folder. */
export function toAbsolute(path: string, { cwd, env }: Pick<FileContext, "cwd" | "env">): string {
  return path.startsWith("~/") ? join(homeFolder(env), path.slice(2)) : resolve(cwd, path);
}

export function homeFolder(env: Environment): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

const DATA: { readonly [platform: string]: readonly string[] } = {
  darwin: ["Library", "Application Support"],
  win32: ["AppData", "Local"],
};
const CONFIG: { readonly [platform: string]: readonly string[] } = {
  darwin: ["Library", "Application Support"],
  win32: ["AppData", "Roaming"],
};

function parleyFolder({ cwd, env }: FileContext): string | undefined {
  const home = env["PARLEY_HOME"] ?? "";
  return home === "" ? undefined : toAbsolute(home, { cwd, env });
}

function xdgFolder(env: Environment, variable: string): string | undefined {
  const folder = env[variable] ?? "";
  return isAbsolute(folder) ? join(folder, "parley") : undefined;
}
