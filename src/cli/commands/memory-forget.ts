import { createInterface } from "node:readline/promises";
import { Fault } from "../../kernel/index.ts";
import { oneLine } from "../../reports/printable.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { engramNamed, scopeOf } from "./memory-place.ts";

/** `parley memory forget ID`: asks on a terminal, unless `--yes` says so. */
export const run: CommandModule["run"] = (io, [given = ""], flags) =>
  withParley(io, flags, async (parley) => {
    const { memory, settings, world } = parley;
    const { engram: shown } = await engramNamed(parley, given);
    const { id, deliberation, question, summary } = shown.engram;
    if (shown.forgotten) {
      io.output.note("It was forgotten before");
      return EXIT.answered;
    }
    if (flags["yes"] !== true && !(await agreed(`Forget “${oneLine(question || summary, 200)}”`))) {
      io.output.note("Nothing is forgotten");
      return EXIT.answered;
    }
    const at = new Date(world.now()).toISOString();
    const done = await (await memory()).forget(scopeOf(parley), { id, by: settings.user, at });
    const kept =
      deliberation === null
        ? ""
        : `; the journal keeps the deliberation it comes from: parley show ${deliberation}`;
    io.output.note(done ? `Forgotten${kept}` : "It was forgotten before");
    return EXIT.answered;
  });

/** Whether a person on the terminal says yes. @throws Fault `configuration` where there is none to ask */
async function agreed(what: string): Promise<boolean> {
  if (process.stdin.isTTY !== true)
    throw new Fault("configuration", {
      why: "there is no terminal to ask on, and what is forgotten does not come back",
      next: "add --yes",
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const over = new AbortController();
  terminal.once("close", () => over.abort());
  terminal.once("SIGINT", () => terminal.close());
  try {
    const said = await terminal.question(`${what}? It does not come back. [y/N] `, { signal: over.signal });
    return /^y(es)?$/i.test(said.trim());
  } catch (error) {
    if (!over.signal.aborted) throw error;
    process.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}
