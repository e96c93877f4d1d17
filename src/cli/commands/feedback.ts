import { resolveId } from "../../app/lookup.ts";
import { refusal } from "../../kernel/index.ts";
import { type Io, type Values } from "../command.ts";
import { jsonLine } from "../../reports/printable.ts";
import { wordFeedback } from "../notes.ts";
import type { FEEDBACK } from "../options.ts";
import { withParley } from "../session.ts";

export const feedback = (
  io: Io,
  { outcome, second, json }: Values<typeof FEEDBACK>,
  args: readonly string[],
): Promise<void> =>
  withParley(io, {}, async (context, me) => {
    // Without an id, of the newest run.
    const [prefix = "", rating, ...words] = ["up", "down", undefined].includes(args[0])
      ? ["last", ...args]
      : args;
    const thumb: "up" | "down" | undefined = rating === "up" || rating === "down" ? rating : undefined;
    const next = `parley feedback ${prefix} up, or parley feedback ${prefix} --outcome good`;
    if (rating !== undefined && thumb === undefined)
      throw refusal(`rating must be up or down (got "${rating.slice(0, 40)}")`, next);
    if (thumb === undefined && outcome === undefined)
      throw refusal("a rating or an --outcome is missing", next);
    const id = await resolveId(context, prefix);
    const given = { ...(thumb ? { thumb } : {}), ...(outcome ? { outcome } : {}) };
    const noted = wordFeedback(await me.feedback(id, { ...given, text: words.join(" "), second }));
    if (json) await io.output.result(jsonLine({ id, noted }));
    else io.output.note(noted);
  });
