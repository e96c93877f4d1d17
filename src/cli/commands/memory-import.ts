import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { toAbsolute } from "../../config/paths.ts";
import { Fault } from "../../kernel/index.ts";
import type { Imported } from "../../memory/transfer.ts";
import type { MemoryImport } from "../../views/memory-view.ts";
import { oneLine } from "../../reports/printable.ts";
import { pluralize, formatNumber } from "../../text/format.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { boundedLines } from "./memory-lines.ts";
import { scopeOf } from "./memory-place.ts";

/** `parley memory import FILE`: takes in an export; exit 1 where lines of it are none. */
export const run: CommandModule["run"] = (io, [file = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const name = file === "-" ? "stdin" : basename(file);
    const came = await (await parley.memory()).imported(scopeOf(parley), linesOf(io, file));
    const imported: MemoryImport = {
      user: parley.settings.user,
      file: name,
      ...came,
      refusals: [...came.refusals],
    };
    const { refusals, refused, written } = imported;
    for (const { line, why } of refusals) io.output.note(`${name}:${line}: ${oneLine(why)}`);
    if (refused > refusals.length)
      io.output.note(`and ${pluralize(refused - refusals.length, "more line")} that cannot be taken`);
    await io.output.result(
      flags["json"] === true ? `${JSON.stringify(imported, undefined, 2)}\n` : `${countsText(imported)}\n`,
    );
    if (written > 0 && parley.embeddings !== null)
      io.output.note("An export has no vectors; next: parley memory reembed");
    return refused > 0 ? EXIT.refusedByCheck : EXIT.answered;
  });

const countsText = ({ written, known, forgotten, annotations, refused }: Imported): string =>
  [
    `${pluralize(written, "engram")} taken in`,
    `${pluralize(annotations, "annotation")} added`,
    ...(known > 0 ? [`${formatNumber(known)} there before`] : []),
    ...(forgotten > 0 ? [`${formatNumber(forgotten)} forgotten here, and left so`] : []),
    ...(refused > 0 ? [`${pluralize(refused, "line")} refused`] : []),
  ].join(", ");

/** @throws Fault `configuration` for a file that cannot be read */
async function* linesOf(io: Io, file: string): AsyncGenerator<string> {
  const stream = file === "-" ? process.stdin : createReadStream(toAbsolute(file, io));
  stream.setEncoding("utf8");
  try {
    // Its pieces are text, as its encoding says.
    yield* boundedLines(stream as AsyncIterable<string>);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined || (error instanceof Error && error.name === "Fault")) throw error;
    throw new Fault("configuration", {
      why: `${basename(file)} cannot be read (${code})`,
      next: "name a file that parley memory export has written",
    });
  }
}
