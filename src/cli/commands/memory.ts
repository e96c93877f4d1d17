import {
  findEngram,
  forgetEngram,
  listFacts,
  pinFact,
  searchMemory,
  showEngram,
  memoryReport,
} from "../../app/memory.ts";
import { memoryStatsText } from "../memory-stats-text.ts";
import { memoryEngramText, memoryFactsText, memorySearchText } from "../memory-text.ts";
import { oneLine } from "../../reports/printable.ts";
import { print, type Io, type Values } from "../command.ts";
import { isConfirmed, NO_TERMINAL, readStandardInput } from "../input.ts";
import type { OF_USER, SEARCH, USER, YES } from "../options.ts";
import { withParley } from "../session.ts";

export const search = (io: Io, options: Values<typeof SEARCH>, words: readonly string[]): Promise<void> =>
  withParley(io, options, async (context) => {
    const { answeredBy: respondent, limit, retired } = options;
    const value = await searchMemory(context, { words: words.join(" "), limit, respondent, retired });
    const narrowed = respondent !== undefined || retired;
    await print(io, { json: options.json, value }, (face) => memorySearchText(value, { ...face, narrowed }));
  });

export const show = (io: Io, options: Values<typeof OF_USER>, id: string): Promise<void> =>
  withParley(io, options, async (context) => {
    const value = await showEngram(context, id);
    await print(io, { json: options.json, value }, (face) => memoryEngramText(value, face));
  });

export const facts = (io: Io, options: Values<typeof OF_USER>): Promise<void> =>
  withParley(io, options, async (context) => {
    const value = await listFacts(context);
    await print(io, { json: options.json, value }, (face) => memoryFactsText(value, face));
  });

export const pin = (io: Io, options: Values<typeof USER>, words: readonly string[]): Promise<void> =>
  withParley(io, options, async (context) => {
    const text = words.join(" ");
    const fact = text.trim() === "" ? ((await readStandardInput(io.output)) ?? "") : text;
    const { id, fresh } = await pinFact(context, fact);
    io.output.note(
      fresh
        ? `Pinned for ${context.settings.user}; respond and chat always see it. To undo: parley memory forget ${id}`
        : "Already pinned",
    );
    await io.output.result(`${id}\n`);
  });

export const forget = (
  io: Io,
  options: Values<{ yes: typeof YES } & typeof USER>,
  given: string,
): Promise<void> =>
  withParley(io, options, async (context) => {
    const { engram: shown } = await findEngram(context, given);
    const { id, deliberation, question, summary } = shown.engram;
    const note = (line: string) => io.output.note(line);
    if (shown.forgotten) return note("Already deleted");
    const asked = `Delete “${oneLine(question || summary, 200)}”? This cannot be undone.`;
    if (!options.yes && !(await isConfirmed(asked, NO_TERMINAL))) return note("Nothing is deleted");
    if (!(await forgetEngram(context, id))) return note("Already deleted");
    const kept = deliberation === null ? "" : `; run history is kept: parley show ${deliberation}`;
    return note(`Deleted${kept}`);
  });

export const stats = (io: Io, options: Values<typeof OF_USER>): Promise<void> =>
  withParley(io, options, async (context) => {
    const value = await memoryReport(context);
    await print(io, { json: options.json, value }, (face) => memoryStatsText(value, face));
  });
