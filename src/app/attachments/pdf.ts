import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { refusal } from "../../kernel/index.ts";
import { formatSize } from "../../config/text-file.ts";
import type { PdfPages, PdfTask } from "./pdf-worker.ts";

// A PDF is a program for a large reader: it is read in a thread of its own, which ends with its time or its memory.

const MAX_PAGES = 1_000;
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 512;

/** The text of each page, empty for one without. @throws Fault `configuration` for one that cannot be read */
export async function readPdf(name: string, bytes: Uint8Array): Promise<readonly string[]> {
  const read = await inThread({ bytes, maxPages: MAX_PAGES });
  if (read.ok) return read.pages;
  switch (read.why) {
    case "encrypted":
      throw refusal(`${name} is locked with a password`, "save a copy without one");
    case "long":
      throw refusal(
        `${name} has ${read.pages} pages; at most ${MAX_PAGES} are read`,
        "give the part that matters",
      );
    case "slow":
      throw refusal(
        `${name} (${formatSize(bytes.length)}) takes more than ${TIMEOUT_MS / 1_000} s or ${MEMORY_MB} MB to read`,
        "give the part that matters, or its text",
      );
    case "broken":
      throw refusal(`${name} is no PDF that can be read`, "save it anew, or give its text");
  }
}

type Read = PdfPages | { readonly ok: false; readonly why: "slow" };

/** From sources, where there is no built file, it is read in this thread. */
async function inThread(task: PdfTask): Promise<Read> {
  if (import.meta.url.endsWith(".ts")) {
    // By a name that no bundler follows.
    const { readPages } = (await import(new URL("./pdf-worker.ts", import.meta.url).href)) as {
      readPages: (task: PdfTask) => Promise<PdfPages>;
    };
    return readPages(task);
  }
  const worker = new Worker(fileURLToPath(new URL("./pdf-worker.mjs", import.meta.url)), {
    ...{ workerData: task, env: {}, stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Read>((resolve, reject) => {
      timer = setTimeout(() => resolve({ ok: false, why: "slow" }), TIMEOUT_MS);
      worker.once("message", (pages: PdfPages) => resolve(pages)); // the worker's own words
      worker.once("error", (error) =>
        "code" in error && error.code === "MODULE_NOT_FOUND"
          ? reject(
              refusal(
                "PDFs are read by a file of Parley that this program was bundled without",
                "install Parley, or give its text",
              ),
            )
          : resolve({ ok: false, why: "slow" }),
      );
      worker.once("exit", () => resolve({ ok: false, why: "slow" }));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
