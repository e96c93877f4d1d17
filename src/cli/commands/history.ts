import { unpricedModels } from "../../reports/words.ts";
import { listRuns } from "../../app/lookup.ts";
import { loadShown } from "../../app/result.ts";
import { answerText } from "../../reports/answer.ts";
import { deliberationMarkdown } from "../../reports/deliberation.ts";
import { listText } from "../list-text.ts";
import { documentText, faceOf, print, type Face, type Io, type Values } from "../command.ts";
import { nextLine } from "../ending.ts";
import type { LIST_RUNS, SHOW } from "../options.ts";
import { veilEntries } from "../../views/veil.ts";
import { readEntries, withStore } from "../session.ts";

export const list = (io: Io, options: Values<typeof LIST_RUNS>): Promise<void> =>
  withStore(io, async ({ store }) => {
    const summaries = await listRuns(store, { ...options, search: options.words });
    await print(io, { json: options.json, value: summaries }, ({ width }) =>
      listText(summaries, { now: Date.now(), width, isFiltered: isFiltered(options) }),
    );
  });

const isFiltered = ({ protocol, status, since, words }: Values<typeof LIST_RUNS>): boolean =>
  [protocol, status, since, words].some((one) => one !== undefined);

export const show = (
  io: Io,
  { details, all, json, code }: Values<typeof SHOW>,
  id: string,
): Promise<number | void> =>
  withStore(io, async (stored) => {
    const entries = veilEntries(await readEntries(stored, id));
    const shown = await loadShown(io.protocols, entries, stored.store);
    if (code && shown) {
      const { printPart } = await import("../answer-part.ts");
      return printPart(io, shown, { json: false, quiet: false });
    }
    if ((details || all) && !json)
      await io.output.result(documentText(deliberationMarkdown(entries, shown), await faceOf(io.output)));
    else if (shown) {
      const unpriced = unpricedModels(entries);
      const words = (face: Face) => answerText(shown, { ...face, unpriced });
      await print(io, { json, value: shown.result, readable: true }, words);
      if (!json) io.output.note(nextLine(io, shown.result));
    }
    return undefined;
  });
