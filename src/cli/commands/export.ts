import { exportRun } from "../../app/export.ts";
import { protocols } from "../../app/registry.ts";
import { loadShown } from "../../app/result.ts";
import { deliberationMarkdown } from "../../reports/deliberation.ts";
import { eventLine } from "../../reports/event-line.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { entriesOf, withStore } from "../session.ts";

/** `parley export ID`: `jsonl` one event a line, `json` the result, its events and the texts they pin, `md` a document. */
export const run: CommandModule["run"] = (io, [id = ""], flags) =>
  withStore(io, async (stored) => {
    const entries = await entriesOf(stored, id);
    if (flags["format"] === "jsonl")
      for (const entry of entries) await io.output.result(`${eventLine(entry)}\n`);
    else if (flags["format"] === "json") {
      const events = entries.map((entry): unknown => JSON.parse(eventLine(entry)));
      const whole = { ...(await exportRun({ store: stored.store, protocols }, entries)), events };
      await io.output.result(`${JSON.stringify(whole, undefined, 2)}\n`);
    } else await io.output.result(deliberationMarkdown(entries, await loadShown(protocols, entries)));
    return EXIT.answered;
  });
