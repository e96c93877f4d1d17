import { resultOf } from "../../projections/index.ts";
import { deliberationMarkdown, eventLine } from "../../reports/index.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { entriesOf, withStore } from "../session.ts";

/** `parley export ID`: `jsonl` one event a line, `json` the result and its events, `md` a document. */
export const run: CommandModule["run"] = (io, [id = ""], flags) =>
  withStore(io, async ({ store, settings }) => {
    const entries = await entriesOf(store, { id, settings });
    if (flags["format"] === "jsonl")
      for (const entry of entries) await io.output.result(`${eventLine(entry)}\n`);
    else if (flags["format"] === "json") {
      const events = entries.map((entry): unknown => JSON.parse(eventLine(entry)));
      await io.output.result(`${JSON.stringify({ result: resultOf(entries), events }, undefined, 2)}\n`);
    } else await io.output.result(deliberationMarkdown(entries));
    return EXIT.answered;
  });
