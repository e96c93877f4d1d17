import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageScreen } from "../reports/page.ts";

/** The screen that an exported page takes along, beside the program's own files; undefined where they are sources. */
export function readRunScreen(
  folder = join(import.meta.dirname, "web"),
): Omit<PageScreen, "journal"> | undefined {
  const [script, style] = [join(folder, "file.js"), join(folder, "file.css")];
  if (!existsSync(script) || !existsSync(style)) return undefined;
  return { script: readFileSync(script, "utf8"), style: readFileSync(style, "utf8") };
}
