import { Fault } from "../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { resolveId } from "../../app/lookup.ts";
import { wordFeedback } from "../notes.ts";
import { withParley } from "../session.ts";

/** `parley feedback ID up|down ["words"]`: what a person thinks of an answer. */
export const run: CommandModule["run"] = (io, [given = "", thumb, ...words], flags) =>
  withParley(io, flags, async (context, { parley, principal }) => {
    const outcome = flags["outcome"];
    const isThumb = thumb === "up" || thumb === "down";
    const isOutcome = outcome === "good" || outcome === "bad";
    if (thumb !== undefined && !isThumb) {
      const next = `parley feedback ${given} up, or down, and words in quotation marks after it`;
      throw new Fault("configuration", { why: `"${thumb.slice(0, 40)}" is neither up nor down`, next });
    }
    if (!isThumb && !isOutcome) {
      const next = `parley feedback ${given} up, or --outcome good`;
      throw new Fault("configuration", { why: "nothing is said of the answer", next });
    }
    const id = await resolveId(context, given);
    const recorded = await parley.feedback(
      id,
      {
        ...(isThumb ? { thumb } : {}),
        ...(isOutcome ? { outcome } : {}),
        text: words.join(" "),
        second: flags["second"] === true,
      },
      { principal },
    );
    const line = wordFeedback(recorded);
    if (flags["json"] === true) await io.output.result(`${JSON.stringify({ id, noted: line })}\n`);
    else io.output.note(line);
    return EXIT.answered;
  });
