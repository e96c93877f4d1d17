import type { Responding } from "../../compose/index.ts";
import { afterwards } from "../afterwards.ts";
import type { CommandModule, Io } from "../command.ts";
import { interruption } from "../interruption.ts";
import { refuseUnaskedSecond, respondFlags } from "../respond-flags.ts";
import { idOf, showingOf, withParley } from "../session.ts";
import { readStandardInput } from "../standard-input.ts";
import { takeTurn } from "../turn.ts";
import { EXIT } from "../exits.ts";
import type { Parley } from "../../compose/index.ts";

/** `parley respond QUESTION`: one respondent answers at once; what comes of the answer is waited for, but with --no-wait. */
export const run: CommandModule["run"] = (io, args, flags) =>
  withParley(io, respondFlags(flags), async (parley) => {
    refuseUnaskedSecond(flags, parley.settings);
    const showing = showingOf(flags, parley.settings);
    const stop = interruption();
    const own = new AbortController();
    const signal = AbortSignal.any([stop.signal, own.signal]);
    try {
      const responding = await respondingOf(io, parley, { args, flags });
      const wait = flags["wait"] !== false;
      const taken = await takeTurn(io, { parley, responding, signal, wait }, showing);
      if (!wait) own.abort();
      else if (!taken.closed)
        io.output.note(`Interrupted; everything so far is recorded. Go on with: parley resume ${taken.id}`);
      else await afterwards(io, { ...taken, signal }, showing);
      await taken.reactions;
      return stop.signal.aborted ? EXIT.interrupted : taken.exit;
    } finally {
      stop.release();
    }
  });

async function respondingOf(
  { output }: Io,
  parley: Parley,
  { args, flags }: { readonly args: readonly string[]; readonly flags: Readonly<Record<string, unknown>> },
): Promise<Responding> {
  const question = args.join(" ").trim();
  const previous = flags["continue"];
  return {
    question,
    stdin: question === "" ? undefined : await readStandardInput(output),
    files: Array.isArray(flags["context"]) ? flags["context"].map(String) : [],
    folder: typeof flags["folder"] === "string" ? flags["folder"] : undefined,
    previous:
      typeof previous === "string"
        ? await idOf(parley.store, { id: previous, settings: parley.settings })
        : undefined,
  };
}
