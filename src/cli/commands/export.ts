import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  exportPieces,
  exportText,
  recordText,
  type ExportChoice,
  type ExportParts,
} from "../../app/export.ts";
import { listJournals } from "../../app/lookup.ts";
import { readDebateFile, type AgentEntry } from "../../interop/dialectic/debate-file.ts";
import { type Entry, refusal } from "../../kernel/index.ts";
import { isDebate } from "../../protocols/debate/view/debated.ts";
import type { DebateRecord } from "../../protocols/debate/view/record.ts";
import { CSV_TABLES, csvHeader, type CsvTable } from "../../reports/csv.ts";
import { print, type Io, type Values } from "../command.ts";
import { readDebate } from "../debate-files.ts";
import type { EXPORT, JSON_FLAG } from "../options.ts";
import { checkOutput, writeInFolders, writePieces } from "../output-file.ts";
import { readEntries, withStore } from "../session.ts";

type ExportOptions = Values<typeof EXPORT>;
type Format = NonNullable<ExportOptions["format"]>;

const ENDINGS: { readonly [extension: string]: Format | undefined } = {
  ".md": "md",
  ".html": "html",
  ".json": "json",
  ".jsonl": "jsonl",
  ".csv": "csv",
};

/** Formats of which many runs make one file. */
const OF_MANY: ReadonlySet<Format> = new Set(["json", "jsonl", "csv", "local2"]);
/** Formats that a file has, which has no events. */
const OF_FILES: ReadonlySet<Format> = new Set(["md", "html", "json", "debate"]);

/** Prints or writes one run, the debate in a file, or all runs. */
export async function exportRuns(io: Io, options: ExportOptions, given = options.debate): Promise<void> {
  const { all, since, table } = options;
  const name = given ?? (all ? "" : "last");
  if (!all && since !== undefined) throw refusal("--since is for --all", "export --all --since 2026-01-31");
  if (all && name !== "") throw refusal("--all takes no run", "leave out one of them");
  if (!all && name === "") throw refusal("no run is named", "export ID; parley list shows ids");
  const { file, format } = outputOf(io, options);
  if (table !== undefined && format !== "csv") throw refusal("--table is for --format csv", "add it");
  const inFile = all ? undefined : readDebate(io, name);
  const known = agentsIn(io, options);
  if (inFile) {
    if (!OF_FILES.has(format))
      throw refusal(`a debate's file has no ${format}`, "--format md, html or debate");
    const record = completed(inFile.record, known);
    if (file !== undefined) writeInFolders(file, recordText(record, format), io);
    if (options.json) await io.output.result(recordText(record, "debate"));
    else if (file === undefined) await io.output.result(recordText(record, format));
    return;
  }
  return withStore(io, async (stored) => {
    const parts = { store: stored.store, protocols: io.protocols };
    const complete = (record: DebateRecord) => completed(record, known);
    const job: Job = { parts, choice: { format, table: table ?? "runs", complete } };
    if (!all) {
      const entries = await readEntries(stored, name);
      const textIn = (one: Format) =>
        joined(piecesOf({ ...job, choice: { ...job.choice, format: one } }, [entries], { isMany: false }));
      if (file !== undefined) writeInFolders(file, await textIn(format), io);
      if (options.json) await io.output.result(await textIn(isDebate(entries) ? "debate" : "json"));
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
      { isMany: true },
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
): { file: string | undefined; format: Format } {
  const named = output === undefined ? undefined : ENDINGS[extname(output).toLowerCase()];
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
    const parts = { store: stored.store, protocols: io.protocols };
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

/** Whether a browser was started. */
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

/** What these runs are in a format, in pieces. */
async function* piecesOf(
  { parts, choice }: Job,
  runs: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  { isMany }: { readonly isMany: boolean },
): AsyncGenerator<string> {
  const { format, table } = choice;
  const isArray = isMany && format === "json";
  let isFirst = true;
  if (format === "csv") yield csvHeader(CSV_TABLES[table].columns);
  if (isArray) yield "[";
  for await (const entries of runs) {
    if (isArray && !isFirst) yield ",";
    isFirst = false;
    yield* exportPieces(parts, entries, choice);
  }
  if (isArray) yield "]\n";
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

function agentsIn(io: Io, { config }: ExportOptions): readonly AgentEntry[] {
  const { agents = [], judge } = config === undefined ? {} : readDebateFile(config, io);
  return judge ? [...agents, judge] : agents;
}

/** With what a configuration says of agents, where the record itself says nothing. */
function completed(record: DebateRecord, known: readonly AgentEntry[]): DebateRecord {
  const complete = (agent: DebateRecord["agents"][number]) => {
    const own = known.find(({ id }) => id === agent.id);
    return own
      ? {
          ...agent,
          name: agent.name === agent.id ? own.name : agent.name,
          role: agent.role ?? own.role,
          model: agent.model ?? own.model,
          temperature: agent.temperature ?? own.temperature,
        }
      : agent;
  };
  return {
    ...record,
    agents: record.agents.map(complete),
    judge: record.judge === null ? null : complete(record.judge),
  };
}
