import { existsSync, readdirSync, type Dirent } from "node:fs";
import { toAbsolute, type FileContext } from "./paths.ts";
import { displayPath, refuse, toReadFault } from "./text-file.ts";

/** Entries that one pattern looks at, at most. */
const MAX_ENTRIES = 20_000;

/** Whether a name that was written is a pattern of file names, and not the name of a file that has such characters. */
export const isPattern = (written: string, place: Pick<FileContext, "cwd" | "env">): boolean =>
  /[*?[{]/.test(written) && !existsSync(toAbsolute(written, place));

/**
 * The regular files that a pattern matches, as it writes them, by name: `*` and `?` within a name, `**` any folders, `[a-z]`
 * and `{a,b}`. As in a shell, `*` matches no name that begins with a dot; links are left out, and `**` enters neither hidden
 * folders nor `node_modules`.
 * @throws Fault `configuration` for a folder that cannot be read, and for more than 20,000 entries
 */
export function filesMatching(pattern: string, place: Pick<FileContext, "cwd" | "env">): readonly string[] {
  const segments = pattern.split("/");
  const fixed = segments.findIndex((segment) => /[*?[{]/.test(segment));
  const folder = segments.slice(0, fixed).join("/");
  const start = fixed === 0 ? "" : `${folder}/`;
  let left = MAX_ENTRIES;
  const read = (path: string): readonly Dirent[] => {
    try {
      const entries = readdirSync(toAbsolute(path === "" ? "." : path, place), { withFileTypes: true });
      left -= entries.length;
      if (left < 0) throw refuse(`${displayPath(pattern)} has too many files to look at`, "narrow it down");
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code)))
        return [];
      throw toReadFault(error, `the folder ${displayPath(path)}`);
    }
  };
  const found = new Set<string>();
  const walk = (path: string, [segment = "", ...rest]: readonly string[]): void => {
    if (segment === "**") {
      walk(path, rest.length === 0 ? ["*"] : rest);
      for (const entry of read(path))
        if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
          walk(`${path}${entry.name}/`, ["**", ...rest]);
      return;
    }
    const matches = namePattern(segment);
    for (const entry of read(path)) {
      if (!matches(entry.name)) continue;
      if (rest.length === 0 && entry.isFile()) found.add(`${path}${entry.name}`);
      else if (rest.length > 0 && entry.isDirectory()) walk(`${path}${entry.name}/`, rest);
    }
  };
  walk(start, segments.slice(fixed));
  return [...found];
}

/** Tells whether a name matches one segment of a pattern. */
function namePattern(segment: string): (name: string) => boolean {
  const parts = segment.match(/\{[^{}]*,[^{}]*\}|\[[^\]]+\]|\*+|[^]/gu) ?? [];
  const source = parts.map((part) => {
    if (part.startsWith("*")) return ".*";
    if (part === "?") return ".";
    if (part.length === 1) return literal(part);
    if (part.startsWith("{")) return `(?:${part.slice(1, -1).split(",").map(literal).join("|")})`;
    return part.replace(/^\[!/, "[^");
  });
  const isHidden = segment.startsWith(".");
  try {
    const matches = new RegExp(`^${source.join("")}$`, "su");
    return (name) => (isHidden || !name.startsWith(".")) && matches.test(name);
  } catch {
    return () => false; // [z-a]
  }
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
