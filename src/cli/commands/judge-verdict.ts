import type { JudgeTask } from "../../lab/judge/judge.ts";
import type { AppContext } from "../../app/context.ts";
import { judgementOf } from "../../protocols/judge/view-items.ts";
import { sectionParts } from "../../protocols/judge/report.ts";
import { answerText } from "../../reports/answer.ts";
import { resultOf } from "../../views/result.ts";
import { unpricedModels } from "../../reports/unpriced.ts";
import type { Io } from "../command.ts";
import { EXIT, exitOfFailures } from "../exits.ts";
import { endedEarly, judgeCallOf, lostIn, runJudge } from "./judge-run.ts";

type NewDeliberation = {
  readonly parley: AppContext;
  readonly task: JudgeTask;
  /** The answers', as the command line names them. */
  readonly names: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
};

/** Has answers judged and prints the verdicts; exit 7 where one could not be read, 3 or 4 where its call failed. */
export async function giveVerdict(io: Io, { parley, task, names, flags }: NewDeliberation): Promise<number> {
  const call = judgeCallOf(flags);
  const { entries, exit } = await runJudge(io, parley, { task, call, quiet: flags["quiet"] === true });
  const judgement = judgementOf(entries);
  const result = resultOf(entries);
  if (!judgement || !result || exit === EXIT.interrupted) return exit;
  const { color, columns } = io.output.stdout;
  await io.output.result(
    flags["json"] === true
      ? `${JSON.stringify(judgement, undefined, 2)}\n`
      : answerText(
          { result, parts: sectionParts(judgement, result, names), isVerdict: true },
          { color, width: columns, unpriced: unpricedModels(entries) },
        ),
  );
  const early = endedEarly(entries);
  if (early !== undefined) io.output.note(early);
  const read =
    judgement.kind === "grade"
      ? judgement.grades.every(({ score }) => score !== null)
      : judgement.winner !== null;
  if (exit !== EXIT.answered || read) return exit;
  const lost = lostIn(entries);
  return lost.length > 0 ? exitOfFailures(lost.map(({ code }) => code)) : EXIT.inconclusive;
}
