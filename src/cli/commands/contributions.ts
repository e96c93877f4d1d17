import { measureContributions } from "../../lab/contributions/leave-one-out.ts";
import { Fault } from "../../kernel/index.ts";
import type { Contributions } from "../../lab/contributions/contributions.ts";
import { contributionsText } from "../../lab/contributions/text.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { resolveId } from "../../app/lookup.ts";
import { withParley } from "../session.ts";

/** Askings of the chair with nothing left out. */
const MOST_REPEATS = 10;

/** `parley contributions ID`: what each member gave to an answer, measured; a second time it calls nothing. */
export const run: CommandModule["run"] = (io, [prefix = ""], flags) =>
  withParley(io, flags, async (context) => {
    const { output } = io;
    const repeats = repeatsIn(flags["repeats"]);
    const id = await resolveId(context, prefix);
    const stop = interruption();
    try {
      const contributions = await measureContributions(context, {
        id,
        calls: flags["calls"] !== false,
        repeats,
        signal: stop.signal,
        note: flags["quiet"] === true ? () => undefined : (line) => output.note(line),
      });
      if (!contributions) {
        output.note(`Interrupted; what the chair wrote is kept. Go on with: parley contributions ${id}`);
        return EXIT.interrupted;
      }
      const { color, columns } = output.stdout;
      await output.result(
        flags["json"] === true
          ? `${JSON.stringify(contributions, undefined, 2)}\n`
          : contributionsText(contributions, { color, width: columns }),
      );
      return EXITS[contributions.leaveOneOut.status];
    } finally {
      stop.release();
    }
  });

const EXITS: { readonly [status in Contributions["leaveOneOut"]["status"]]: number } = {
  measured: EXIT.answered,
  "not-applicable": EXIT.answered,
  "not-asked": EXIT.answered,
  "over-budget": EXIT.budget,
  failed: EXIT.provider,
};

function repeatsIn(flag: unknown): number {
  const repeats = Number(flag);
  if (Number.isInteger(repeats) && repeats >= 0 && repeats <= MOST_REPEATS) return repeats;
  const why = `--repeats ${String(flag)} is no number of askings`;
  throw new Fault("configuration", { why, next: `give 0 to ${MOST_REPEATS}` });
}
