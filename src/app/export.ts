import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isEvent, type Entry } from "../kernel/index.ts";
import type { ShownResult } from "../reports/answer.ts";
import { CSV_TABLES, type CsvTable } from "../reports/csv.ts";
import { deliberationHtml, deliberationMarkdown } from "../reports/deliberation.ts";
import { eventLine } from "../reports/event-line.ts";
import type { PageScreen } from "../reports/page.ts";
import { jsonLine, jsonText } from "../reports/printable.ts";
import { veilEntries } from "../views/veil.ts";
import type { AppContext, ExportedRun, FeatureExports } from "./context.ts";
import { exportRun, loadShown } from "./result.ts";

/** What has every event as it is recorded, also while a person takes part. */
const RAW_FORMATS: ReadonlySet<string> = new Set(["json", "jsonl", "local2"]);

export type ExportParts = Pick<AppContext, "protocols" | "exports"> & Pick<ExportedRun, "store">;

export type ExportChoice = Pick<ExportedRun, "config" | "place"> & {
  /** As `exportForms` names it. */
  readonly format: string;
  readonly table?: CsvTable;
};

/** A run in a format, in pieces; of a CSV without its header. @throws Fault `configuration` for a format that the run has not */
export async function* exportPieces(
  { store, protocols, exports }: ExportParts,
  recorded: readonly Entry[],
  { format, table = "runs", ...naming }: ExportChoice,
): AsyncGenerator<string> {
  const entries = RAW_FORMATS.has(format) ? recorded : veilEntries(recorded);
  if (format === "jsonl") for (const entry of entries) yield `${eventLine(entry)}\n`;
  else if (format === "local2") {
    const { busJournal, envelopesOf } = await import("../interop/local2/subjects.ts");
    const journal = busJournal(entries);
    for (const entry of entries) for (const message of envelopesOf(entry, journal)) yield jsonLine(message);
  } else if (format === "json") {
    const events = entries.map((entry): unknown => JSON.parse(eventLine(entry)));
    yield jsonText({ ...(await exportRun({ store, protocols }, entries)), events });
  } else {
    const own =
      format === "md"
        ? exportsOf(exports, entries)
        : exports.find(({ formats }) => Object.hasOwn(formats, format));
    if (own) return yield (await own.load()).text({ store, entries, ...naming }, format);
    const shown = await loadShown(protocols, entries, store);
    if (format === "csv") {
      if (shown) yield CSV_TABLES[table].lines({ entries, result: shown.result });
    } else if (format === "adr") {
      const { decisionRecord } = await import("../reports/decision-record.ts");
      if (shown) yield decisionRecord(entries, shown);
    } else if (format === "html" && shown) yield deliberationHtml(entries, shown, readRunScreen());
    else yield runText(entries, shown, format);
  }
}

/** How the feature whose run it is exports it; undefined where it is exported as every run is. */
export function exportsOf(
  exports: ExportParts["exports"],
  entries: readonly Entry[],
): FeatureExports | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  return exports.find(({ protocol }) => protocol === opened?.data.protocol.name);
}

/** A run in a format, whole. */
export async function exportText(...given: Parameters<typeof exportPieces>): Promise<string> {
  let text = "";
  for await (const piece of exportPieces(...given)) text += piece;
  return text;
}

/** A run as a document, or as a page without scripts. */
export const runText = (entries: readonly Entry[], shown: ShownResult | undefined, format: string): string =>
  format === "html" && shown ? deliberationHtml(entries, shown) : deliberationMarkdown(entries, shown, true);

/** The screen that an exported page takes along, beside the program's own files; undefined where they are sources. */
export function readRunScreen(
  folder = join(import.meta.dirname, "web"),
): Omit<PageScreen, "journal"> | undefined {
  const [script, style] = [join(folder, "file.js"), join(folder, "file.css")];
  if (!existsSync(script) || !existsSync(style)) return undefined;
  return { script: readFileSync(script, "utf8"), style: readFileSync(style, "utf8") };
}
