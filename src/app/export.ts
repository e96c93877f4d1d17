import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dialecticState } from "../interop/dialectic/state.ts";
import { isEvent, type Entry, type OrganizationStore, refusal } from "../kernel/index.ts";
import { debateHtml } from "../protocols/debate/report/html.ts";
import { debateMarkdown } from "../protocols/debate/report/markdown.ts";
import { debateRecord, isDebate } from "../protocols/debate/view/debated.ts";
import type { DebateRecord } from "../protocols/debate/view/record.ts";
import type { ShownResult } from "../reports/answer.ts";
import { CSV_TABLES, type CsvTable } from "../reports/csv.ts";
import { deliberationHtml, deliberationMarkdown } from "../reports/deliberation.ts";
import { eventLine } from "../reports/event-line.ts";
import type { PageScreen } from "../reports/page.ts";
import { jsonLine, jsonText } from "../reports/printable.ts";
import { veiled } from "../views/veil.ts";
import type { AppContext } from "./context.ts";
import { exportRun, loadShown } from "./result.ts";

/** What a run can be exported as. */
export const EXPORT_FORMATS = [
  ...(["md", "html", "json", "jsonl", "csv", "adr", "debate", "dialectic", "local2"] as const),
];
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What has every event as it is recorded, also while a person takes part. */
const RAW_FORMATS: ReadonlySet<ExportFormat> = new Set(["json", "jsonl", "local2"]);

export type ExportParts = Pick<AppContext, "protocols"> & { readonly store: Pick<OrganizationStore, "text"> };

export type ExportChoice = {
  readonly format: ExportFormat;
  /** The rows of a CSV. */
  readonly table?: CsvTable;
  /** Adds to a debate's record what a file says of its agents. */
  readonly complete?: (record: DebateRecord) => DebateRecord;
};

/** A run in a format, in pieces; of a CSV without its header. @throws Fault `configuration` for a format that the run has not */
export async function* exportPieces(
  { store, protocols }: ExportParts,
  recorded: readonly Entry[],
  { format, table = "runs", complete = (record) => record }: ExportChoice,
): AsyncGenerator<string> {
  const entries = RAW_FORMATS.has(format) ? recorded : veiled(recorded);
  if (format === "jsonl") for (const entry of entries) yield `${eventLine(entry)}\n`;
  else if (format === "local2") {
    const { busJournal, envelopesOf } = await import("../interop/local2/subjects.ts");
    const journal = busJournal(entries);
    for (const entry of entries) for (const message of envelopesOf(entry, journal)) yield jsonLine(message);
  } else if (format === "dialectic") yield await dialecticText(store, entries);
  else if (format === "json") {
    const events = entries.map((entry): unknown => JSON.parse(eventLine(entry)));
    yield jsonText({ ...(await exportRun({ store, protocols }, entries)), events });
  } else {
    const shown = await loadShown(protocols, entries, store);
    if (format === "csv") {
      if (shown) yield CSV_TABLES[table].lines({ entries, result: shown.result });
    } else if (format === "adr") {
      const { decisionRecord } = await import("../reports/decision-record.ts");
      if (shown) yield decisionRecord(entries, shown);
    } else if (format === "debate" || (format === "md" && isDebate(entries)))
      yield recordText(complete(debateOf(entries)), format);
    else if (format === "html" && shown) yield deliberationHtml(entries, shown, readRunScreen());
    else yield runText(entries, shown, format);
  }
}

/** A run in a format, whole. */
export async function exportText(...given: Parameters<typeof exportPieces>): Promise<string> {
  let text = "";
  for await (const piece of exportPieces(...given)) text += piece;
  return text;
}

/** A debate's record as a document or a page, or else as JSON that is read back. */
export const recordText = (record: DebateRecord, format: string): string =>
  format === "md" ? debateMarkdown(record) : format === "html" ? debateHtml(record) : jsonText(record);

/** A run as a document, or as a page without scripts. */
export const runText = (entries: readonly Entry[], shown: ShownResult | undefined, format: string): string =>
  format === "html" && shown ? deliberationHtml(entries, shown) : deliberationMarkdown(entries, shown);

/** A debate as Dialectic writes its state, with the texts that went with the problem. @throws Fault for what is no debate */
export async function dialecticText(
  store: Pick<OrganizationStore, "text">,
  entries: readonly Entry[],
): Promise<string> {
  if (!isDebate(entries)) {
    const why = "only a debate has the form dialectic";
    throw refusal(why, "export it as json, which every run has");
  }
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const context = await Promise.all(
    (opened?.data.context ?? []).map(async ({ name, text }) => ({ name, text: await store.text(text) })),
  );
  return jsonText(dialecticState(entries, context));
}

/** @throws Fault `configuration` for what is no debate */
function debateOf(entries: readonly Entry[]): DebateRecord {
  if (isDebate(entries)) return debateRecord(entries);
  const why = "only a debate has the form debate";
  throw refusal(why, "export it as json, which every run has");
}

/** The screen that an exported page takes along, beside the program's own files; undefined where they are sources. */
export function readRunScreen(
  folder = join(import.meta.dirname, "web"),
): Omit<PageScreen, "journal"> | undefined {
  const [script, style] = [join(folder, "file.js"), join(folder, "file.css")];
  if (!existsSync(script) || !existsSync(style)) return undefined;
  return { script: readFileSync(script, "utf8"), style: readFileSync(style, "utf8") };
}
