import { listRuns } from "../../app/lookup.ts";
import { withProtocols } from "../../app/registry.ts";
import { exportRun as exportWhole, loadShown } from "../../app/result.ts";
import { answerText } from "../../reports/answer.ts";
import { deliberationMarkdown } from "../../reports/deliberation.ts";
import { eventLine } from "../../reports/event-line.ts";
import { listText } from "../list-text.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import {
  documentText,
  faceOf,
  jsonLine,
  jsonText,
  print,
  type Face,
  type Io,
  type Values,
} from "../command.ts";
import { nextLine } from "../ending.ts";
import type { EXPORT, LIST_RUNS, SHOW } from "../options.ts";
import { readEntries, withStore } from "../session.ts";

export const list = (io: Io, options: Values<typeof LIST_RUNS>): Promise<void> =>
  withStore(io, async ({ store }) => {
    const summaries = await listRuns(store, { limit: options.limit });
    await print(io, options, {
      value: summaries,
      words: ({ width }) => listText(summaries, { now: Date.now(), width }),
    });
  });

export const show = (io: Io, { details, all, json }: Values<typeof SHOW>, id: string): Promise<void> =>
  withStore(io, async (stored) => {
    const entries = await readEntries(stored, id);
    const shown = await loadShown(withProtocols(io.protocols ?? []), entries);
    if ((details || all) && !json)
      await io.output.result(documentText(deliberationMarkdown(entries, shown), await faceOf(io.output)));
    else if (shown) {
      const unpriced = unpricedModels(entries);
      const words = (face: Face) => answerText(shown, { ...face, unpriced });
      await print(io, { json }, { value: shown.result, words, readable: true });
      if (!json) io.output.note(nextLine(shown.result));
    }
  });

export const exportRun = (io: Io, { format }: Values<typeof EXPORT>, id: string): Promise<void> =>
  withStore(io, async (stored) => {
    const entries = await readEntries(stored, id);
    const { output } = io;
    const protocols = withProtocols(io.protocols ?? []);
    if (format === "jsonl") for (const entry of entries) await output.result(`${eventLine(entry)}\n`);
    else if (format === "local2") {
      const { envelopesOf } = await import("../../interop/local2/subjects.ts");
      for (const message of envelopesOf(entries)) await output.result(jsonLine(message));
    } else if (format === "dialectic") {
      const { dialecticText } = await import("../debate-files.ts");
      await output.result(await dialecticText(stored.store, entries));
    } else if (format === "json") {
      const events = entries.map((entry): unknown => JSON.parse(eventLine(entry)));
      await output.result(
        jsonText({ ...(await exportWhole({ store: stored.store, protocols }, entries)), events }),
      );
    } else await output.result(deliberationMarkdown(entries, await loadShown(protocols, entries)));
  });
