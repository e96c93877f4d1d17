import { pendingQuestions, type Pending } from "../../compose/index.ts";
import { readAnswersFile } from "../../config/index.ts";
import { isClosed } from "../../projections/index.ts";
import { printable } from "../../reports/index.ts";
import { answerOnTerminal, conductAsking, recordAnswers } from "../clarification.ts";
import { finish } from "../conduct.ts";
import type { CommandModule } from "../command.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { EXIT } from "../exits.ts";
import { idOf, showingOf, withParley } from "../session.ts";

/** `parley answer ID [FILE]`: answers what a debate waits for, from a file or one question after the other, and goes on with it. */
export const run: CommandModule["run"] = (io, [prefix = "", file], flags) =>
  withParley(io, flags, async (parley) => {
    const { store, settings } = parley;
    const id = await idOf(store, { id: prefix, settings });
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
    const exit = await conductAsking(io, { parley, id }, showing);
    await writeDebate(io, { store, id }, files);
    return exit;
  });

const listText = (pending: Pending | undefined): string =>
  pending
    ? pending.questions.map(({ id, by, text }) => `${id}  ${printable(by)}: ${printable(text)}\n`).join("")
    : "Nothing is waiting for an answer.\n";
