import { isEvent, pinnedTexts, type Entry, type OrganizationStore } from "../../kernel/index.ts";
import { resultOf } from "../../views/result.ts";
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
      const whole = { result: resultOf(entries), events, texts: await textsOf(stored.store, entries) };
      await io.output.result(`${JSON.stringify(whole, undefined, 2)}\n`);
    } else await io.output.result(deliberationMarkdown(entries));
    return EXIT.answered;
  });

/** What the opening pins, by digest. */
async function textsOf(
  store: OrganizationStore,
  [opened]: readonly Entry[],
): Promise<Record<string, string>> {
  if (!opened || !isEvent(opened, "deliberation-opened")) return {};
  const digests = pinnedTexts(opened.data);
  return Object.fromEntries(
    await Promise.all(digests.map(async (digest) => [digest, await store.text(digest)] as const)),
  );
}
