import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { ExportedRun, RunExports } from "../../../app/context.ts";
import { toAbsolute, type FileContext } from "../../../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile } from "../../../config/text-file.ts";
import { Fault, isEvent, parseJson, refusal, type Entry } from "../../../kernel/index.ts";
import { jsonText, inline, printable } from "../../../reports/printable.ts";
import { debateRecord, isDebate } from "../protocol/debate/view/debated.ts";
import { DebateRecord } from "../protocol/debate/view/record.ts";
import { readDebateFile } from "./dialectic/debate-file.ts";
import { dialecticRecord } from "./dialectic/record.ts";
import { dialecticState } from "./dialectic/state.ts";
import { blockMarkdown, fencedBlock, partMarkdown, section } from "../../../reports/markdown.ts";
import {
  debateDocument,
  assessedParts,
  clarificationsPart,
  courseOf,
} from "../protocol/debate/report/document.ts";
import { namesOf } from "../../../reports/names.ts";
import { pageHtml } from "../../../reports/page.ts";
import { part, table } from "../../../reports/part.ts";
import { agentRows, AGENT_HEADS, peopleIn, statusRows, titleOf } from "../protocol/debate/report/words.ts";

const MAX_BYTES = 32 * MEGABYTE;
/** Formats that a file has, which has no events. */
const OF_FILES: ReadonlySet<string> = new Set(["md", "html", "json", "debate"]);

/** A debate as its record, as its own document, and as Dialectic writes its state. */
export const debateExports: RunExports = {
  text: async (run, format) =>
    format === "dialectic"
      ? dialecticText(run)
      : recordText(withNames(debateOf(run.entries, format), run), format),
  inFile(name, naming) {
    const found = readDebate(name, naming.place);
    if (!found) return undefined;
    return (format) => {
      if (!OF_FILES.has(format)) throw refusal(`a debate's file has no ${format}`, "take md, html or debate");
      return recordText(withNames(found.record, naming), format);
    };
  },
};

/** A debate's record as a document or a page, or else as JSON that is read back. */
const recordText = (record: DebateRecord, format: string): string =>
  format === "md" ? debateMarkdown(record) : format === "html" ? debateHtml(record) : jsonText(record);

/** A debate as Dialectic writes its state, with the texts that went with the problem. */
async function dialecticText({ store, entries }: ExportedRun): Promise<string> {
  debateOf(entries, "dialectic");
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const context = await Promise.all(
    (opened?.data.context ?? []).map(async ({ name, text }) => ({ name, text: await store.text(text) })),
  );
  return jsonText(dialecticState(entries, context));
}

/** @throws Fault `configuration` for what is no debate */
function debateOf(entries: readonly Entry[], format: string): DebateRecord {
  if (isDebate(entries)) return debateRecord(entries);
  throw refusal(`only a debate has the form ${format}`, "export it as json, which every run has");
}

/** With what a configuration says of agents, where the record itself says nothing. */
function withNames(
  record: DebateRecord,
  { config, place }: Pick<ExportedRun, "config" | "place">,
): DebateRecord {
  if (config === undefined || place === undefined) return record;
  const { agents, judge } = readDebateFile(config, place);
  const known = judge ? [...agents, judge] : agents;
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

/** A debate, and what tables call it: its id, or its file's name without `.json`. */
export type NamedDebate = { readonly record: DebateRecord; readonly name: string };

/**
 * The debate in a file, where a file is named: what exists, or is written as paths are, and holds a result of Dialectic's or what
 * `parley export --format debate` printed. It needs no store.
 * @throws Fault `configuration` for what is no debate
 */
export const readDebate = (name: string, place: FileContext): NamedDebate | undefined =>
  name !== "" && (/[/\\]|\.json$/i.test(name) || existsSync(toAbsolute(name, place)))
    ? { record: recordInFile(name, place), name: basename(name, ".json") }
    : undefined;

function recordInFile(file: string, place: FileContext): DebateRecord {
  const name = displayPath(file);
  const text = readTextFile({ path: toAbsolute(file, place), kind: "debate", maxBytes: MAX_BYTES });
  const refusal = (why: string) =>
    new Fault("configuration", {
      why,
      next: "name a result file of Dialectic's, or the id of a debate (parley list)",
    });
  const json = parseJson(text);
  if (json === undefined) throw refusal(`${name} is not JSON`);
  const printed = DebateRecord.safeParse(json);
  if (printed.success) return printed.data;
  const read = dialecticRecord(json);
  if (read.ok) return read.record;
  throw refusal(`${name} is not a debate: ${read.reason}`);
}

/**
 * A debate as a markdown document, whole, wherever it stands. Foreign texts stand in fences that nothing in them can
 * close, so no text of a model, a user or a file can change the document's structure. Ends in a newline.
 */
export function debateMarkdown(record: DebateRecord): string {
  const { title, blocks, parts } = debateDocument(record);
  const sections = [
    section(`# ${inline(title, 200)}`, ...blocks.map((block) => blockMarkdown(block, fenceText))),
    ...parts.map((part) => partMarkdown(part, { level: 2, quote: fenceText })),
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

function fenceText(text: string): string {
  const clean = printable(text).replace(/^\n+/, "").trimEnd();
  return clean === "" ? "*(empty)*" : fencedBlock(clean);
}

/** A debate of which only a record is there, as a file of Dialectic's, as a page. Ends in a newline. */
export function debateHtml(record: DebateRecord): string {
  const { synthesis, degraded, problem, simulated, agents, judge } = record;
  const nameOf = namesOf(peopleIn(record));
  const status = statusRows(record).map(([label, text]) => `${label}: ${text}`);
  return pageHtml({
    ...{ title: titleOf(record), simulated, question: problem, answer: synthesis?.text ?? null, final: "" },
    summary: status.join(" · "),
    warnings: [
      ...(synthesis ? [] : ["There is no final synthesis."]),
      ...degraded.map(({ what, why }) => `Degraded: ${what}: ${why}`),
      ...(simulated ? ["simulated models"] : []),
    ],
    parts: [
      ...(synthesis ? assessedParts(synthesis, nameOf) : []),
      part("Agents", table(AGENT_HEADS, agentRows([...agents, ...(judge ? [judge] : [])]))),
      clarificationsPart(record, nameOf),
      ...courseOf(record),
    ],
  });
}
