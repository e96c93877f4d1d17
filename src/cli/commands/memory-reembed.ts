import { Fault } from "../../kernel/index.ts";
import { oneLine } from "../../reports/printable.ts";
import { pluralize, formatDuration } from "../../text/format.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { withParley } from "../session.ts";
import { scopeOf } from "./memory-place.ts";
import { memoryProgress } from "./memory-progress.ts";

/** `parley memory reembed`: what is embedded is kept, whenever it ends. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async (parley) => {
    const { embeddings, embeddingProblem, memory } = parley;
    const problem = await embeddingProblem(undefined);
    if (embeddings === null || problem !== undefined)
      throw new Fault("configuration", {
        why: problem ?? "no embedding model is set",
        next: "name one that can be reached: embedding in parley.yaml, or PARLEY_EMBEDDING",
      });
    const stop = interruption();
    const sinceMs = performance.now();
    let done = 0;
    let said = 0;
    const progress =
      flags["quiet"] === true
        ? undefined
        : memoryProgress({
            output: process.stderr,
            terminal: io.output.stderr.terminal,
            words: () =>
              `Embedding with ${embeddings.model}: ${pluralize(done, "engram")} · ${formatDuration(performance.now() - sinceMs)}`,
          });
    try {
      const { embedded, passed, why } = await (
        await memory()
      ).reembed(scopeOf(parley), stop.signal, (so) => {
        done = so.embedded;
        const worth = done >= 2 * said;
        if (worth) said = done;
        progress?.step(worth);
      });
      done = embedded;
      progress?.stop();
      const kept = `${pluralize(embedded, "engram")} embedded with ${embeddings.model}`;
      if (stop.signal.aborted) {
        io.output.note(`Interrupted; ${kept}, and kept. The same command goes on`);
        return EXIT.interrupted;
      }
      if (why !== null) {
        io.output.note(
          `parley: ${oneLine(why)}; ${kept}, and kept; next: parley doctor, then the same command`,
        );
        return EXIT.provider;
      }
      const left = passed > 0 ? `; ${pluralize(passed, "engram")} it gives no vector for` : "";
      io.output.note(
        embedded + passed === 0 ? `Everything has a vector of ${embeddings.model}` : kept + left,
      );
      return EXIT.answered;
    } finally {
      progress?.stop();
      stop.release();
    }
  });
