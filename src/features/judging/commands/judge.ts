import { unpricedModels } from "../../../reports/words.ts";
import type { AppContext } from "../../../app/context.ts";
import { DEFAULT_RUBRIC } from "../../../config/rubrics.ts";
import { openJudge, type JudgeTask } from "../../../app/judge.ts";
import { gradingTask, labeledTask, preferenceTask } from "../app/tasks.ts";
import { loadShown } from "../../../app/result.ts";
import { sectionParts } from "../protocol/judge/report.ts";
import { judgementOf, summarizeValidation } from "../protocol/judge/view.ts";
import { answerText } from "../../../reports/answer.ts";
import { resultOf } from "../../../views/result.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT, exitOfFailures } from "../../../cli/exits.ts";
import { judgeProgress, lostPrompts } from "../../../cli/judge-progress.ts";
import { noteEarlyEnd, runLab, type LabRun } from "../../../cli/lab-job.ts";
import type { COMPARE, GRADE, JUDGING, VALIDATE } from "./index.ts";
import { withParley } from "../../../cli/session.ts";

type JudgeOptions = Values<typeof JUDGING> & { readonly repeat?: number };

/** Opens or finds the judge's run, and drives it to its end. */
async function runJudge(
  io: Io,
  context: AppContext,
  { task, options }: { readonly task: JudgeTask; readonly options: JudgeOptions },
): Promise<LabRun> {
  const { model, rubric = DEFAULT_RUBRIC, form, repeat = 1, again, quiet } = options;
  const opened = await openJudge(context, task, { model, rubric, form, repeat, again });
  const prompts = task.items.length * repeat * (task.kind === "preference" ? 2 : 1);
  const { terminal } = io.output.stderr;
  return runLab(io, context, {
    ...opened,
    quiet,
    done: "Already judged",
    progress: () => judgeProgress({ output: process.stderr, terminal, prompts }),
    lost: lostPrompts,
  });
}

/** Measures a judge against labels; exit 7 where too little was measured. */
export const validate = (io: Io, options: Values<typeof VALIDATE>, file: string): Promise<number> =>
  withParley(io, settingsOf(options), async (context) => {
    const task = labeledTask({ ...io, settings: context.settings }, file);
    const run = await runJudge(io, context, { task, options });
    const { entries, exit } = run;
    const validation = summarizeValidation(entries);
    if (!validation || exit === EXIT.interrupted) return exit;
    const unpriced = unpricedModels(entries);
    const shown = await loadShown(context.protocols, entries);
    await print(io, { json: options.json, value: validation, readable: true }, (face) =>
      shown ? answerText(shown, { ...face, unpriced }) : "",
    );
    noteEarlyEnd(io, run);
    return exit === EXIT.answered && !validation.measured ? EXIT.inconclusive : exit;
  });

export const grade = (io: Io, options: Values<typeof GRADE>, files: readonly string[]): Promise<number> =>
  withParley(io, settingsOf(options), async (context) => {
    const { question, reference } = options;
    const task = await gradingTask({ ...io, settings: context.settings }, { question, files, reference });
    return judgeAnswers(io, context, { task, names: files, options });
  });

export const compare = (
  io: Io,
  options: Values<typeof COMPARE>,
  [a = "", b = ""]: readonly string[],
): Promise<number> =>
  withParley(io, settingsOf(options), async (context) => {
    const here = { ...io, settings: context.settings };
    const task = await preferenceTask(here, { question: options.question, a, b });
    return judgeAnswers(io, context, { task, names: [a, b], options });
  });

/** The judge's model is none of the panel's. */
const settingsOf = ({ model: _, ...settings }: JudgeOptions): Readonly<Record<string, unknown>> => settings;

type Judging = {
  readonly task: JudgeTask;
  /** The answers', as the command line names them. */
  readonly names: readonly string[];
  readonly options: JudgeOptions;
};

/** Has answers judged and prints the verdicts; exit 7 where one could not be read, 3 or 4 where its call failed. */
async function judgeAnswers(io: Io, context: AppContext, { task, names, options }: Judging): Promise<number> {
  const run = await runJudge(io, context, { task, options });
  const { entries, exit, lost } = run;
  const judgement = judgementOf(entries);
  const result = resultOf(entries);
  if (!judgement || !result || exit === EXIT.interrupted) return exit;
  const unpriced = unpricedModels(entries);
  const shown = { result, parts: sectionParts(judgement, result, names), isVerdict: true };
  await print(io, { json: options.json, value: judgement, readable: true }, (face) =>
    answerText(shown, { ...face, unpriced }),
  );
  noteEarlyEnd(io, run);
  const isRead =
    judgement.kind === "grade"
      ? judgement.grades.every(({ score }) => score !== null)
      : judgement.winner !== null;
  if (exit !== EXIT.answered || isRead) return exit;
  return lost.length > 0 ? exitOfFailures(lost) : EXIT.inconclusive;
}
