import { existsSync } from "node:fs";
import { estimateNote, printEstimate } from "../../../cli/estimate-text.ts";
import { join, resolve } from "node:path";
import { readProblemFile } from "../../../config/input-files.ts";
import { toAbsolute } from "../../../config/paths.ts";
import { displayPath, statOf } from "../../../config/text-file.ts";
import { DEBATE_CONFIG, debateConfig, readDebateFile, withRoles } from "../app/dialectic/debate-file.ts";
import { refusal } from "../../../kernel/index.ts";
import type { WrittenDebate } from "../protocol/debate/seats.ts";
import { runWithQuestions } from "../../../cli/clarification.ts";
import type { Declared, Io, Values } from "../../../cli/command.ts";
import { refuseWithoutModels } from "../../../cli/connect.ts";
import { readFollowUp } from "../../../cli/question-words.ts";
import { runFiles, writeRunFiles } from "../../../cli/run-files.ts";
import { readAttachments, readStandardInput } from "../../../cli/input.ts";
import { createScreenLog } from "../../../cli/screen.ts";
import type { CONTINUE, DRY_RUN, SEATS, SHOWING } from "../../../cli/options.ts";
import type { DEBATE_FILES, DEBATE_INPUT } from "./index.ts";
import { readSeats } from "../../../cli/seats.ts";
import { showingIn, withParley } from "../../../cli/session.ts";

type DebateOptions = Values<
  typeof CONTINUE & typeof DEBATE_INPUT & typeof DEBATE_FILES & typeof DRY_RUN & typeof SEATS & typeof SHOWING
>;

/** Debates a problem, and writes what was asked for beside what is printed. */
export const debate = (
  io: Io,
  options: DebateOptions,
  { settings: flags, own, args }: Declared,
): Promise<number> =>
  withParley(io, flags, async (app, me) => {
    const { settings, store } = app;
    const files = runFiles(options, io);
    const problem = await readProblem(io, args, options.problemDescription);
    const question = problem.text.trim();
    if (question === "") {
      const next = 'parley debate "Design a task queue", or -p FILE';
      throw refusal("the problem is empty", next);
    }
    const turn = { ...readFollowUp(question, options.continue), ...readSeats(options.seat) };
    const showing = await showingIn(io, options, { settings, me });
    const isUsual = options.config === undefined && existsSync(join(io.cwd, DEBATE_CONFIG));
    // Dialectic goes on with its built-in agents where the file that is named is not there.
    const isMissing = options.config !== undefined && !existsSync(toAbsolute(options.config, io));
    const named = isMissing ? undefined : options.config;
    const config = readConfig(io, named ?? (isUsual ? DEBATE_CONFIG : undefined), {
      agents: own["agents"],
      isFound: isUsual,
    });
    if (isMissing && !showing.quiet) {
      const file = displayPath(options.config ?? "");
      io.output.note(`Warning: the debate configuration ${file} does not exist; the built-in agents debate`);
    }
    if (isUsual && !showing.quiet) io.output.note(`Using the debate configuration in ${DEBATE_CONFIG}`);
    const { folder, files: attached } = splitContext(io, options);
    const stdin = problem.from === "stdin" ? undefined : await readStandardInput(io.output);
    const context = await readAttachments(
      io,
      { context: attached, stdin },
      { settings, quiet: showing.quiet },
    );
    const request =
      turn.member === undefined
        ? { ...own, config, protocol: "debate", ...turn, context }
        : { protocol: "respond", ...turn, context };
    if (options.dryRun) return printEstimate(io, options, await me.estimate(request, { folder }));
    const isFirst = options.continue === undefined && turn.member === undefined;
    if (isFirst && config === undefined && own["agents"] === undefined)
      await refuseWithoutModels(app, question);
    const onMost = estimateNote(io, showing);
    const { exit, id } = await runWithQuestions(
      io,
      { context: app, me },
      {
        begin: (signal) => me.start(request, { signal, folder, onMost }),
        showing,
        progress: own["verbose"] === true ? verboseLog(io) : undefined,
      },
    );
    if (id !== undefined) await writeRunFiles(io, { store, id }, files);
    return exit;
  });

/** Every change of state as a line, on a terminal as well: what is verbose is read afterwards. */
const verboseLog =
  ({ output }: Io) =>
  () =>
    createScreenLog(
      (line) => output.note(line),
      () => performance.now(),
      { verbose: true },
    );

/** What a configuration file says about the debate; the roles that were named are chosen from it. */
function readConfig(
  io: Io,
  file: string | undefined,
  { agents, isFound }: { readonly agents: unknown; readonly isFound: boolean },
): WrittenDebate | undefined {
  if (file === undefined) return undefined;
  const read = readDebateFile(file, io, { isFound });
  const isChosen = Array.isArray(agents) && read.agents.length > 0;
  return debateConfig(isChosen ? withRoles(read, agents.map(String)) : read, io);
}

/** The folder that file tools may read, also where `--context` names it as before, and the files whose texts go with the problem. @throws Fault for a second folder */
function splitContext(io: Io, { context: paths, folder: named }: Pick<DebateOptions, "context" | "folder">) {
  const isFolder = (path: string) => statOf(resolve(io.cwd, path))?.isDirectory() === true;
  const before = paths.filter(isFolder);
  const [folder, another] = named === undefined ? before : [named, ...before];
  if (before.length > 0) io.output.note("--context FOLDER is now --folder FOLDER in a debate");
  if (another !== undefined) {
    const why = `there are two folders: ${displayPath(folder ?? "")} and ${displayPath(another)}`;
    throw refusal(why, "name one folder; files may be several");
  }
  return {
    folder: folder === undefined ? undefined : resolve(io.cwd, folder),
    files: paths.filter((path) => !isFolder(path)),
  };
}

/** The problem as an argument, in a file, or else piped in. */
async function readProblem(
  io: Io,
  args: readonly string[],
  file: string | undefined,
): Promise<{ readonly text: string; readonly from: "argument" | "file" | "stdin" }> {
  const words = args
    .filter((word) => word !== "-")
    .join(" ")
    .trim();
  if (words !== "" && file !== undefined) {
    const why = "there are two problems: an argument, and a file";
    throw refusal(why, "leave one of them out");
  }
  if (file !== undefined) return { text: readProblemFile(file, io), from: "file" };
  if (words !== "") return { text: words, from: "argument" };
  return {
    text: (await readStandardInput(io.output, { isWanted: args.includes("-") })) ?? "",
    from: "stdin",
  };
}
