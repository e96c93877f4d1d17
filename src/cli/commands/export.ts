import { mkdirSync } from "node:fs";
import { dirname, extname } from "node:path";
import { listJournals } from "../../app/lookup.ts";
import { withProtocols } from "../../app/registry.ts";
import { exportRun, loadShown } from "../../app/result.ts";
import { readDebateFile, type AgentEntry } from "../../interop/dialectic/debate-file.ts";
import { Fault, type Entry } from "../../kernel/index.ts";
import { debateRecord, isDebate } from "../../protocols/debate/view/debated.ts";
import type { DebateRecord } from "../../protocols/debate/view/record.ts";
import { CSV_TABLES, csvHeader, type CsvTable } from "../../reports/csv.ts";
import { eventLine } from "../../reports/event-line.ts";
import { jsonLine, jsonText, type Io, type Values } from "../command.ts";
import { dialecticText, readDebate, recordText, runText } from "../debate-files.ts";
import type { EXPORT } from "../options.ts";
import { checkOutput, writeInFolders, writePieces } from "../output-file.ts";
import { veiled } from "../../views/veil.ts";
import { readEntries, withStore, type Stored } from "../session.ts";

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
  const refuse = (why: string, next: string) => new Fault("configuration", { why, next });
  if (!all && since !== undefined) throw refuse("--since is for --all", "export --all --since 2026-01-31");
  if (all && name !== "") throw refuse("--all takes no run", "leave out one of them");
  if (!all && name === "") throw refuse("no run is named", "export ID; parley list shows ids");
  const { file, format } = outputOf(io, options);
  if (table !== undefined && format !== "csv") throw refuse("--table is for --format csv", "add it");
  const inFile = all ? undefined : readDebate(io, name);
  const known = agentsIn(io, options);
  if (inFile) {
    if (!OF_FILES.has(format))
      throw refuse(`a debate's file has no ${format}`, "--format md, html or debate");
    const record = completed(inFile.record, known);
    if (file !== undefined) writeInFolders(file, recordText(record, format), io);
    if (options.json) await io.output.result(recordText(record, "debate"));
    else if (file === undefined) await io.output.result(recordText(record, format));
    return;
  }
  return withStore(io, async (stored) => {
    const job: Job = { io, stored, format, table: table ?? "runs", known };
    if (!all) {
      const entries = await readEntries(stored, name);
      const textIn = (one: Format) => joined(piecesOf({ ...job, format: one }, [entries], { isMany: false }));
      if (file !== undefined) writeInFolders(file, await textIn(format), io);
      if (options.json) await io.output.result(await textIn(isDebate(entries) ? "debate" : "json"));
      else if (file === undefined) await io.output.result(await textIn(format));
      return;
    }
    if (!OF_MANY.has(format))
      throw refuse(`--all has no --format ${format}`, "--format json, jsonl, csv or local2; or name one run");
    const pieces = piecesOf(
      job,
      listJournals(job.stored.store, {
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

type Job = {
  readonly io: Io;
  readonly stored: Stored;
  readonly format: Format;
  readonly table: CsvTable;
  readonly known: readonly AgentEntry[];
};

/** What these runs are in a format, in pieces. */
async function* piecesOf(
  job: Job,
  runs: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  { isMany }: { readonly isMany: boolean },
): AsyncGenerator<string> {
  const { format, table } = job;
  const isArray = isMany && format === "json";
  let isFirst = true;
  if (format === "csv") yield csvHeader(CSV_TABLES[table].columns);
  if (isArray) yield "[";
  for await (const entries of runs) {
    if (isArray && !isFirst) yield ",";
    isFirst = false;
    yield* runPieces(job, entries);
  }
  if (isArray) yield "]\n";
}

/** What has every event as it is recorded, also while a person takes part. */
const RAW_FORMATS: ReadonlySet<string> = new Set(["json", "jsonl", "local2"]);

async function* runPieces({ io, stored, format, table, known }: Job, recorded: readonly Entry[]) {
  const entries = RAW_FORMATS.has(format) ? recorded : veiled(recorded);
  const protocols = withProtocols(io.protocols ?? []);
  if (format === "jsonl") for (const entry of entries) yield `${eventLine(entry)}\n`;
  else if (format === "local2") {
    const { envelopesOf } = await import("../../interop/local2/subjects.ts");
    for (const message of envelopesOf(entries)) yield jsonLine(message);
  } else if (format === "dialectic") yield await dialecticText(stored.store, entries);
  else if (format === "json") {
    const events = entries.map((entry): unknown => JSON.parse(eventLine(entry)));
    yield jsonText({ ...(await exportRun({ store: stored.store, protocols }, entries)), events });
  } else {
    const shown = await loadShown(protocols, entries, stored.store);
    if (format === "csv") {
      if (shown) yield CSV_TABLES[table].lines({ entries, result: shown.result });
    } else if (format === "adr") {
      const { decisionRecord } = await import("../../reports/decision-record.ts");
      if (shown) yield decisionRecord(entries, shown);
    } else if (format === "debate" || (format === "md" && isDebate(entries)))
      yield recordText(completed(debateOf(entries), known), format);
    else yield runText(entries, shown, format);
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** @throws Fault `configuration` for what is no debate */
function debateOf(entries: readonly Entry[]): DebateRecord {
  if (isDebate(entries)) return debateRecord(entries);
  const why = "only a debate has the form debate";
  throw new Fault("configuration", { why, next: "--format json, which every run has" });
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
