import { parentPort, workerData } from "node:worker_threads";
import { extractText, getDocumentProxy } from "unpdf";

export type PdfTask = { readonly bytes: Uint8Array; readonly maxPages: number };
export type PdfPages =
  | { readonly ok: true; readonly pages: readonly string[] }
  | { readonly ok: false; readonly why: "encrypted" | "broken" | "long"; readonly pages: number };

/** The text of each page of a PDF; a page without text has an empty one. */
export async function readPages({ bytes, maxPages }: PdfTask): Promise<PdfPages> {
  try {
    // It takes the bytes for its own.
    const document = await getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false, verbosity: 0 });
    try {
      if (document.numPages > maxPages) return { ok: false, why: "long", pages: document.numPages };
      const { text } = await extractText(document, { mergePages: false });
      return { ok: true, pages: text.map((page) => page.trim()) };
    } finally {
      await document.destroy();
    }
  } catch (error) {
    const isLocked = error instanceof Error && error.name === "PasswordException";
    return { ok: false, why: isLocked ? "encrypted" : "broken", pages: 0 };
  }
}

// Only the thread of `pdf.ts` is started with a task.
const isTask = (data: unknown): data is PdfTask =>
  typeof data === "object" && data !== null && "maxPages" in data && "bytes" in data;
const task: unknown = workerData;
if (parentPort && isTask(task)) parentPort.postMessage(await readPages(task));
