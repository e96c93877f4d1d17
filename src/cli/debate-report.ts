import { extname } from "node:path";
import { displayPath } from "../config/text-file.ts";
import { Fault } from "../kernel/index.ts";
import type { DebateRecord } from "../protocols/debate/view/record.ts";
import { debateHtml } from "../protocols/debate/report/html.ts";
import { debateMarkdown } from "../protocols/debate/report/markdown.ts";
import type { Io } from "./command.ts";
import { checkedOutput } from "./text-output.ts";

const FORMATS: { readonly [extension: string]: ((record: DebateRecord) => string) | undefined } = {
  ".md": debateMarkdown,
  ".html": debateHtml,
};

const formatOf = (file: string) => FORMATS[extname(file).toLowerCase()];

/** A debate in the format that a file's name asks for; markdown where it asks for none that there is. */
export const reportText = (record: DebateRecord, file: string): string =>
  (formatOf(file) ?? debateMarkdown)(record);

/** The path to write a report to, checked before anything is read. @throws Fault `configuration` */
export function checkedReport(
  file: string,
  { flag, io }: { readonly flag: "--output" | "--report"; readonly io: Io },
): string {
  if (formatOf(file)) return checkedOutput(file, io);
  throw new Fault("configuration", {
    why: `${flag} ${displayPath(file)} names no format`,
    next: `let it end in ${Object.keys(FORMATS).join(" or ")}`,
  });
}
