import { resolveId } from "../../../app/lookup.ts";
import { openAnonymityAudit } from "../app/audit.ts";
import {
  anonymityFigures,
  lostGuesses,
  MIN_GUESSES,
  sectionOf,
  type AnonymityFigures,
  type AuthorshipSection,
} from "../protocol/authorship/view.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { wrap } from "../../../reports/text-width.ts";
import { spending } from "../../../views/spending.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import { judgeProgress } from "../../../cli/judge-progress.ts";
import { noteEarlyEnd, runLab } from "../../../cli/lab-job.ts";
import type { ANONYMITY } from "./index.ts";
import { withParley } from "../../../cli/session.ts";

/** Has a model guess who wrote the drafts of runs, and compares with chance. */
export const anonymity = (
  io: Io,
  { model, again, quiet, json, ...settings }: Values<typeof ANONYMITY>,
  prefixes: readonly string[],
): Promise<number> =>
  withParley(io, settings, async (context) => {
    const ids = new Set<string>();
    for (const prefix of prefixes) ids.add(await resolveId(context, prefix));
    const audits: (AuthorshipSection & { readonly id: string; readonly usd: number | null })[] = [];
    let exit: number = EXIT.answered;
    for (const run of ids) {
      const entries = await context.store.read(await resolveId(context, run));
      const opened = await openAnonymityAudit(context, { entries, model, again });
      const prompts = sectionOf(await context.store.read(opened.id))?.guesses.length ?? 0;
      const { terminal } = io.output.stderr;
      const audited = await runLab(io, context, {
        ...opened,
        quiet: quiet || opened.state === "closed",
        done: "Already audited",
        progress: () => judgeProgress({ output: process.stderr, terminal, prompts }),
        lost: lostGuesses,
      });
      const section = sectionOf(audited.entries);
      if (section) audits.push({ ...section, id: opened.id, usd: spending(audited.entries).total.cost.usd });
      if (audited.exit === EXIT.interrupted) return audited.exit;
      noteEarlyEnd(io, audited, "another model");
      if (exit === EXIT.answered) exit = audited.exit;
    }
    const figures = anonymityFigures(audits);
    await print(io, { json, value: { model, figures, audits } }, ({ width }) =>
      auditText(audits, figures, width),
    );
    return exit;
  });

function auditText(audits: readonly AuthorshipSection[], figures: AnonymityFigures, width: number): string {
  const rows = audits.flatMap(({ run, guesses }) =>
    guesses.map(({ author, guess, why }) => [
      run,
      author,
      guess ?? `none: ${oneLine(why ?? "", 60)}`,
      guess === author ? "yes" : "no",
    ]),
  );
  const words = [
    ...describeFigures(figures),
    ...(audits.some(({ simulated }) => simulated) ? ["simulated models"] : []),
  ].flatMap((line) => wrap(line, width));
  return `${[...align([["RUN", "AUTHOR", "GUESS", "RIGHT"], ...rows], width), "", ...words].join("\n")}\n`;
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

function describeFigures({ correct, share, chance, p, told }: AnonymityFigures): string[] {
  const { n, value, low, high } = share;
  if (value === null || low === null || high === null || chance === null || p === null)
    return ["No guess could be read."];
  const interval = `95 % interval ${percent(low)} to ${percent(high)}`;
  return [
    `${correct} of ${n === 1 ? "1 guess" : `${n} guesses`} right: ${percent(value)}, ${interval}; chance ${percent(chance)}, p = ${p.toFixed(3)}.`,
    told === null
      ? `Too few guesses for a claim: ${MIN_GUESSES} are needed. Name more runs.`
      : told
        ? "The model tells authors better than chance: the drafts are not anonymous to it."
        : "The model does not tell authors better than chance.",
  ];
}
