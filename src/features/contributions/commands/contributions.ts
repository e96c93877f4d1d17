import { readShares } from "../../../app/projection.ts";
import { extname } from "node:path";
import type { Contributions } from "../contract.ts";
import { measureContributions } from "../app/leave-one-out.ts";
import { contributionsText, sharesCsv, sharesSvg, sharesText } from "../app/text.ts";
import { resolveId } from "../../../app/lookup.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import type { CONTRIBUTIONS } from "./index.ts";
import { refuse } from "../../../config/text-file.ts";
import { checkOutput, writeText } from "../../../cli/output-file.ts";
import { projecting, interruptible, withParley, withStore } from "../../../cli/session.ts";

/** What personas had of all answers: claimed, measured, and votes apart. */
export const allContributions = (
  io: Io,
  { by, since, output, json, quiet }: Values<typeof CONTRIBUTIONS>,
  id: string | undefined,
): Promise<void> =>
  withStore(io, async (known) => {
    if (id !== undefined)
      throw refuse("--all is about every run, and takes no id", "leave out one of the two");
    const file = output === undefined ? undefined : checkOutput(output, io);
    const rows = await readShares(known, { since, byStrategy: by === "strategy" }, projecting(io, quiet));
    if (file === undefined) return print(io, { json, value: rows }, ({ width }) => sharesText(rows, width));
    const ending = extname(file).toLowerCase();
    const text = ending === ".csv" ? sharesCsv(rows) : ending === ".svg" ? sharesSvg(rows) : null;
    writeText(file, text ?? sharesText(rows, 120), io);
  });

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
      await print(io, { json: options.json, value }, (face) => contributionsText(value, face));
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
