import { resolve } from "node:path";
import { showReactions } from "../ending.ts";
import type { CommandModule } from "../command.ts";
import { interruption } from "../interruption.ts";
import { refuseUnaskedSecond, respondFlags } from "../respond-flags.ts";
import { showingOf, withParley } from "../session.ts";
import { attachments } from "../attachments.ts";
import { askTurn } from "../turn.ts";
import { EXIT } from "../exits.ts";

/** `parley respond QUESTION`: one respondent answers at once; grading and memory are waited for unless `--no-wait` is given. */
export const run: CommandModule["run"] = (io, args, flags) =>
  withParley(io, respondFlags(flags), async (context, configured) => {
    refuseUnaskedSecond(flags, context.settings);
    const showing = showingOf(flags, context.settings);
    const stop = interruption();
    const own = new AbortController();
    const signal = AbortSignal.any([stop.signal, own.signal]);
    try {
      const { question, texts } = await attachments(io, args, { flags, settings: context.settings });
      const wait = flags["wait"] !== false;
      const previous = flags["continue"];
      const folder = flags["folder"];
      const turn = await askTurn(
        io,
        {
          configured,
          question,
          context: texts,
          previous:
            typeof previous === "string"
              ? await configured.parley.resolveId(previous, configured)
              : undefined,
          folder: typeof folder === "string" ? resolve(io.cwd, folder) : undefined,
          signal,
          wait,
        },
        showing,
      );
      if (!wait) own.abort();
      else if (!turn.closed)
        io.output.note(`Interrupted; everything so far is recorded. Go on with: parley resume ${turn.id}`);
      else await showReactions(io, { ...turn, signal }, showing);
      await turn.done;
      return stop.signal.aborted ? EXIT.interrupted : turn.exit;
    } finally {
      stop.release();
    }
  });
