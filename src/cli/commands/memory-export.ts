import { randomUUID } from "node:crypto";
import { rmSync, renameSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { EngramLine } from "../../memory/transfer.ts";
import { Fault } from "../../kernel/index.ts";
import { pluralize } from "../../text/format.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { withParley } from "../session.ts";
import { checkedOutput } from "../text-output.ts";
import { scopeOf } from "./memory-place.ts";

/** So many characters are written at once. */
const CHUNK = 64 * 1024;

/** `parley memory export [FILE]`: everything but vectors and what is forgotten, oldest first. */
export const run: CommandModule["run"] = (io, [file], flags) =>
  withParley(io, flags, async (parley) => {
    const path = file === undefined ? undefined : checkedOutput(file, io);
    const stop = interruption();
    try {
      const lines = (await parley.memory()).exported(scopeOf(parley));
      const count =
        path === undefined
          ? await write(lines, (text) => io.output.result(text), stop.signal)
          : await toFile(path, lines, stop.signal);
      if (count === null) {
        io.output.note(path === undefined ? "Interrupted" : "Interrupted; nothing is written");
        return EXIT.interrupted;
      }
      io.output.note(`${pluralize(count, "engram")} exported${path === undefined ? "" : ` to ${path}`}`);
      return EXIT.answered;
    } finally {
      stop.release();
    }
  });

type Write = (text: string) => Promise<unknown>;

/** How many lines were written; null where it was interrupted. */
async function write(
  lines: AsyncIterable<EngramLine>,
  put: Write,
  signal: AbortSignal,
): Promise<number | null> {
  let count = 0;
  let text = "";
  for await (const line of lines) {
    if (signal.aborted) return null;
    text += `${JSON.stringify(line)}\n`;
    count += 1;
    if (text.length < CHUNK) continue;
    await put(text);
    text = "";
  }
  if (text !== "") await put(text);
  return count;
}

/** Into a new file beside it, which then takes its place: whole or not at all. @throws Fault `configuration` */
async function toFile(
  path: string,
  lines: AsyncIterable<EngramLine>,
  signal: AbortSignal,
): Promise<number | null> {
  const beside = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID()}`);
  try {
    const file = await attempt(path, () => open(beside, "wx"));
    let count: number | null;
    try {
      count = await write(lines, (text) => attempt(path, () => file.writeFile(text)), signal);
    } finally {
      await file.close();
    }
    if (count !== null) await attempt(path, () => renameSync(beside, path));
    return count;
  } finally {
    rmSync(beside, { force: true });
  }
}

async function attempt<T>(path: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Fault("configuration", {
      why: `${path} cannot be written (${code})`,
      next: "name a file in a folder that is there and that you may write to",
    });
  }
}
