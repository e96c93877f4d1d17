import { randomUUID } from "node:crypto";
import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toAbsolute } from "../config/paths.ts";
import { Fault } from "../kernel/index.ts";
import type { Io } from "./command.ts";

/**
 * The whole path of a file that is to be written later. Whoever names a place that cannot be written to shall know
 * before anything is asked for.
 * @throws Fault `configuration`
 */
export function checkedOutput(file: string, io: Io): string {
  const path = toAbsolute(file, io);
  let folder = false;
  try {
    accessSync(dirname(path), constants.W_OK);
    folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw unwritable(path, codeOf(error));
  }
  if (folder) throw unwritable(path, "EISDIR");
  return path;
}

/**
 * Writes a file whole or not at all: into a new one beside it, which then takes its place, whatever stood there before.
 * @throws Fault `configuration` where that cannot be done; nothing is left behind
 */
export function writeText(file: string, text: string, io: Io): void {
  const path = toAbsolute(file, io);
  const beside = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID()}`);
  try {
    writeFileSync(beside, text, { flag: "wx" });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw unwritable(path, codeOf(error));
  }
  io.output.note(`Written: ${path}`);
}

const unwritable = (path: string, code: string): Fault<"configuration"> =>
  new Fault("configuration", {
    why: `${path} cannot be written (${code})`,
    next: "name a file in a folder that is there and that you may write to",
  });

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown";
