import type { Estimate } from "../../../contract/figures.ts";
import { listJournals, resolveId } from "../../../app/lookup.ts";
import { openAnonymityAudit } from "../app/audit.ts";
import {
  anonymityFigures,
  lostGuesses,
  MIN_GUESSES,
  sectionOf,
  type AnonymityFigures,
  type AuthorshipSection,
} from "../protocol/authorship/view.ts";
import { aligned } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { wrapped } from "../../../reports/text-width.ts";
import { isEvent } from "../../../kernel/index.ts";
import {
  MIN_OBSERVATIONS,
  reviewerLeans,
  type ReviewedRun,
  type ReviewerLeans,
} from "../../../stats/reviewer-leans.ts";
import { reviewedRun } from "../../../views/reviewed-run.ts";
import { spending } from "../../../views/spending.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import { judgeProgress } from "../../../cli/judge-progress.ts";
import { noteEarlyEnd, runLab } from "../../../cli/lab-job.ts";
import type { ANONYMITY, LEANS } from "../../../cli/options.ts";
import { withParley, withStore } from "../../../cli/session.ts";

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
    await print(
      io,
      { json },
      { value: { model, figures, audits }, words: ({ width }) => auditText({ audits, figures, width }) },
    );
    return exit;
  });

function auditText({
  audits,
  figures,
  width,
}: {
  readonly audits: readonly AuthorshipSection[];
  readonly figures: AnonymityFigures;
  readonly width: number;
}): string {
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
  ].flatMap((line) => wrapped(line, width));
  return `${[...aligned([["RUN", "AUTHOR", "GUESS", "RIGHT"], ...rows], width), "", ...words].join("\n")}\n`;
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

/** What reviewers lean on, over all recorded reviews. */
export const reviewers = (
  io: Io,
  { by = "model", protocol, since, json }: Values<typeof LEANS>,
): Promise<void> =>
  withStore(io, async ({ store }) => {
    const runs: ReviewedRun[] = [];
    const onUnreadable = (id: string) => io.output.note(`Left out: ${id}, which cannot be read`);
    for await (const entries of listJournals(store, { since, onUnreadable })) {
      const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
      if (protocol !== undefined && opened?.data.protocol.name !== protocol) continue;
      const run = reviewedRun(entries, by);
      if (run.reviews.length > 0) runs.push(run);
    }
    const leans = reviewerLeans(runs);
    await print(
      io,
      { json },
      {
        value: {
          by,
          protocol: protocol ?? null,
          since: since === undefined ? null : new Date(since).toISOString(),
          reviewers: leans,
        },
        words: ({ width }) => {
          if (leans.length > 0) return leansText({ by, leans, width });
          return protocol === undefined && since === undefined
            ? "No reviews are recorded. Members review each other in: parley council\n"
            : "No such reviews. parley votes reviewers shows all\n";
        },
      },
    );
  });

const FIGURES = [
  {
    name: "harshness",
    head: "HARSHNESS",
    above: "is harsher than the others",
    below: "is milder than the others",
  },
  {
    name: "positionLean",
    head: "POSITION",
    above: "prefers what it is shown first",
    below: "prefers what it is shown last",
  },
  {
    name: "ownFamilyLean",
    head: "OWN FAMILY",
    above: "favors its own family",
    below: "is hard on its own family",
  },
] as const;

const NARROW = 120;

function leansText({
  by,
  leans,
  width,
}: {
  readonly by: string;
  readonly leans: readonly ReviewerLeans[];
  readonly width: number;
}): string {
  const heads = FIGURES.map(({ head }) => head);
  const table =
    width >= NARROW
      ? aligned(
          [
            [by.toUpperCase(), "REVIEWS", ...heads],
            ...leans.map((one) => [
              one.key,
              String(one.reviews),
              ...FIGURES.map(({ name }) => figureText(one[name])),
            ]),
          ],
          width,
        )
      : leans.flatMap((one) => [
          oneLine(one.key, width),
          ...aligned(
            [
              ["reviews", String(one.reviews)],
              ...FIGURES.map(({ name, head }) => [head.toLowerCase(), figureText(one[name])]),
            ],
            width - 2,
          ).map((line) => `  ${line}`),
        ]);
  const claims = leans.flatMap((one) =>
    FIGURES.flatMap(({ name, above, below }) => {
      const { low, high } = one[name];
      if (low === null || high === null || (low <= 0 && high >= 0)) return [];
      return [`${oneLine(one.key, 60)} ${low > 0 ? above : below}.`];
    }),
  );
  const notes = [
    ...claims,
    `Leans with their 95 % interval and the number of observations; 0 is none. Below ${MIN_OBSERVATIONS} observations nothing is claimed; one interval in 20 excludes 0 by chance.`,
  ].flatMap((note) => wrapped(note, width));
  return `${[...table, "", ...notes].join("\n")}\n`;
}

function figureText({ value, low, high, n }: Estimate): string {
  if (value === null) return n === 0 ? "-" : `too few (${n})`;
  const interval = low === null || high === null ? "" : ` ${signed(low)} to ${signed(high)}`;
  return `${signed(value)}${interval} (${n})`;
}

function signed(value: number): string {
  const figure = Math.abs(value).toFixed(2);
  return figure === "0.00" ? figure : `${value < 0 ? "-" : "+"}${figure}`;
}
