import { pendingQuestions, type PendingQuestions } from "../../app/clarification.ts";
import { readAnswersFile } from "../../config/input-files.ts";
import { isClosed } from "../../views/result.ts";
import { printable } from "../../reports/printable.ts";
import { answerOnTerminal, conductAsking, recordAnswers } from "../clarification.ts";
import { finish } from "../ending.ts";
import type { CommandModule } from "../command.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { EXIT } from "../exits.ts";
import { resolveId } from "../../app/lookup.ts";
import { showingOf, withParley } from "../session.ts";

/** `parley answer ID [FILE]`: answers what a debate waits for, from a file or one question after the other, and goes on with it. */
export const run: CommandModule["run"] = (io, [prefix = "", file], flags) =>
  withParley(io, flags, async (context, configured) => {
    const { store, settings } = context;
    const id = await resolveId(context, prefix);
    const showing = showingOf(flags, settings);
    const files = debateFiles(flags, io);
    const entries = await store.read(id);
    const pending = pendingQuestions(entries);
    if (flags["list"] === true) {
      await io.output.result(
        showing.json ? `${JSON.stringify(pending?.questions ?? [], undefined, 2)}\n` : listText(pending),
      );
      return EXIT.answered;
    }
    if (isClosed(entries)) return finish(io, entries, showing);
    if (pending) {
      const answering = { store, id, pending };
      if (file !== undefined) await recordAnswers(io, answering, readAnswersFile(file, io));
      else if (!(await answerOnTerminal(io, answering))) return EXIT.interrupted;
    } else io.output.note("Nothing is waiting for an answer; going on");
    const { parley, principal } = configured;
    const begin = (signal: AbortSignal) => parley.resume(id, { principal, signal });
    const { exit } = await conductAsking(io, configured, { begin, showing });
    await writeDebate(io, { store, id }, files);
    return exit;
  });

const listText = (pending: PendingQuestions | undefined): string =>
  pending
    ? pending.questions.map(({ id, by, text }) => `${id}  ${printable(by)}: ${printable(text)}\n`).join("")
    : "Nothing is waiting for an answer.\n";
