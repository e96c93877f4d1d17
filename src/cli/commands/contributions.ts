import type { Contributions } from "../../lab/contributions/contributions.ts";
import { measureContributions } from "../../lab/contributions/leave-one-out.ts";
import { contributionsText } from "../../lab/contributions/text.ts";
import { resolveId } from "../../app/lookup.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import type { CONTRIBUTIONS } from "../options.ts";
import { interruptible, withParley } from "../session.ts";

/** Measures what each member gave to an answer; a second time it calls nothing. */
export const contributions = (
  io: Io,
  options: Values<typeof CONTRIBUTIONS>,
  prefix: string,
): Promise<number> =>
  withParley(io, options, (context) =>
    interruptible(async (signal) => {
      const { calls, repeats, quiet } = options;
      const id = await resolveId(context, prefix);
      const note = quiet ? () => undefined : (line: string) => io.output.note(line);
      const value = await measureContributions(context, { id, calls, repeats, signal, note });
      if (!value) {
        io.output.note(`Interrupted; everything so far is recorded. Try: parley contributions ${id}`);
        return EXIT.interrupted;
      }
      await print(io, options, { value, words: (face) => contributionsText(value, face) });
      return EXITS[value.leaveOneOut.status];
    }),
  );

const EXITS: { readonly [status in Contributions["leaveOneOut"]["status"]]: number } = {
  measured: EXIT.answered,
  "not-applicable": EXIT.answered,
  "not-asked": EXIT.answered,
  "over-budget": EXIT.budget,
  failed: EXIT.provider,
};
