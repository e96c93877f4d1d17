import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  exportPieces,
  exportsOf,
  exportText,
  type ExportChoice,
  type ExportParts,
} from "../../app/export.ts";
import { listJournals } from "../../app/lookup.ts";
import { exportsIn } from "../../app/registry.ts";
import { type Entry, refusal } from "../../kernel/index.ts";
import { CSV_TABLES, csvHeader, type CsvTable } from "../../reports/csv.ts";
import { print, type Io, type Values } from "../command.ts";
import type { EXPORT, JSON_FLAG } from "../options.ts";
import { checkOutput, writeInFolders, writePieces } from "../output-file.ts";
import { readEntries, withStore } from "../session.ts";

type ExportOptions = Values<typeof EXPORT>;

/** Formats that the ending of a file names. */
const ENDINGS = ["md", "html", "json", "jsonl", "csv"];

/** Formats of which many runs make one file. */
const OF_MANY: ReadonlySet<string> = new Set(["json", "jsonl", "csv", "local2"]);

/** Prints or writes one run, the run in a file, or all runs. */
export async function exportRuns(io: Io, options: ExportOptions, given = options.debate): Promise<void> {
  const { all, since, table } = options;
  const name = given ?? (all ? "" : "last");
  if (!all && since !== undefined) throw refusal("--since is for --all", "export --all --since 2026-01-31");
  if (all && name !== "") throw refusal("--all takes no run", "leave out one of them");
  if (!all && name === "") throw refusal("no run is named", "export ID; parley list shows ids");
  const { file, format } = outputOf(io, options);
  if (table !== undefined && format !== "csv") throw refusal("--table is for --format csv", "add it");
  const naming = { config: options.config, place: io };
  const inFile = all ? undefined : await readRunFile(io, name, naming);
  if (inFile) {
    const text = inFile.textIn(format);
    if (file !== undefined) writeInFolders(file, text, io);
    if (options.json) await io.output.result(inFile.textIn(inFile.record));
    else if (file === undefined) await io.output.result(text);
    return;
  }
  return withStore(io, async (stored) => {
    const parts = partsOf(io, stored.store);
    const job: Job = { parts, choice: { format, table: table ?? "runs", ...naming } };
    if (!all) {
      const entries = await readEntries(stored, name);
      const textIn = async (one: string) =>
        headOf({ ...job.choice, format: one }) +
        (await exportText(parts, entries, { ...job.choice, format: one }));
      if (file !== undefined) writeInFolders(file, await textIn(format), io);
      if (options.json)
        await io.output.result(await textIn(exportsOf(parts.exports, entries)?.record ?? "json"));
      else if (file === undefined) await io.output.result(await textIn(format));
      return;
    }
    if (!OF_MANY.has(format))
      throw refusal(
        `--all has no --format ${format}`,
        "--format json, jsonl, csv or local2; or name one run",
      );
    const pieces = piecesOf(
      job,
      listJournals(stored.store, {
        since,
        onUnreadable: (id) => io.output.note(`Left out: ${id}, which cannot be read`),
      }),
    );
    if (file === undefined) for await (const piece of pieces) await io.output.result(piece);
    else {
      mkdirSync(dirname(file), { recursive: true });
      await writePieces(file, async (write) => {
        for await (const piece of pieces) await write(piece);
        return true;
      });
      io.output.note(`Written: ${file}`);
    }
  });
}

/** The format that was asked for, or that the file's ending names, else Markdown, and where it goes. */
function outputOf(
  io: Io,
  { output, format, json }: ExportOptions,
): { file: string | undefined; format: string } {
  const named = ENDINGS.find((one) => output !== undefined && extname(output).toLowerCase() === `.${one}`);
  const file =
    output === undefined
      ? undefined
      : checkOutput(format === undefined && named === undefined ? `${output}.md` : output, io, {
          makesFolders: true,
        });
  return { file, format: format ?? named ?? (json && output === undefined ? "json" : "md") };
}

/** Writes a run as one page into a folder of its own, shows it in a browser, and prints where it is. */
export const open = (io: Io, { json }: Values<typeof JSON_FLAG>, name: string): Promise<void> =>
  withStore(io, async (stored) => {
    const entries = await readEntries(stored, name);
    const parts = partsOf(io, stored.store);
    const id = entries[0]?.deliberation ?? name;
    const path = join(mkdtempSync(join(tmpdir(), "parley-")), `${id}.html`);
    writeFileSync(path, await exportText(parts, entries, { format: "html" }), { mode: 0o600 });
    const opened = await openInBrowser(pathToFileURL(path).href, io.env);
    if (!opened) io.output.note("No browser was started: open the page yourself, or name one in BROWSER");
    await print(io, { json, value: { id, path, opened } }, () => `${path}\n`);
  });

/** How a system opens what a URL names in the program that is meant for it. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

async function openInBrowser(url: string, env: Io["env"]): Promise<boolean> {
  const named = env["BROWSER"]?.trim();
  const [program, ...args] = named ? [named] : (OPENERS[process.platform] ?? ["xdg-open"]);
  const child = spawn(program ?? "", [...args, url], { stdio: "ignore", detached: true, env: { ...env } });
  child.unref();
  return once(child, "spawn").then(
    () => true,
    () => false, // it is not installed
  );
}

type Job = { readonly parts: ExportParts; readonly choice: ExportChoice & { readonly table: CsvTable } };

/** What stands before the first run. */
const headOf = ({ format, table }: Job["choice"]): string =>
  format === "csv" ? csvHeader(CSV_TABLES[table].columns) : "";

/** What these runs are in a format, in pieces. */
async function* piecesOf(
  { parts, choice }: Job,
  runs: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<string> {
  const isArray = choice.format === "json";
  let isFirst = true;
  yield isArray ? "[" : headOf(choice);
  for await (const entries of runs) {
    if (isArray && !isFirst) yield ",";
    isFirst = false;
    yield* exportPieces(parts, entries, choice);
  }
  if (isArray) yield "]\n";
}

const partsOf = ({ features = [], protocols }: Io, store: ExportParts["store"]): ExportParts => ({
  store,
  exports: exportsIn(features),
  protocols,
});

/** The run in a file, where a file is named; it needs no store. */
async function readRunFile(
  { features = [] }: Io,
  name: string,
  naming: { readonly config: string | undefined; readonly place: Io },
) {
  for (const { record, load } of exportsIn(features)) {
    const textIn = (await load()).inFile(name, naming);
    if (textIn) return { record, textIn };
  }
  return undefined;
}
