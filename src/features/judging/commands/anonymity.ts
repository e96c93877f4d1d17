import { resolveId } from "../../../app/lookup.ts";
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
import { type AppContext, checkModelRef } from "../../../app/context.ts";
import { protocolSettings } from "../../../app/opening.ts";
import { shuffle } from "../../../engine/index.ts";
import { type Entry, familyOf, isEvent, ParticipantId, personOf, refusal } from "../../../kernel/index.ts";
import { authorship } from "../protocol/authorship/index.ts";
import { answersIn } from "../../../views/answer-event.ts";
import { isClosed } from "../../../views/result.ts";
import { isSimulated } from "../../../views/simulated.ts";
import { openMeasurement, resumable, type Resumed } from "../../../app/resumable.ts";

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

/** A deliberation that has ended, and the model that guesses who wrote its drafts. */
export type AnonymityAudit = {
  readonly entries: readonly Entry[];
  readonly model: string;
  /** Audits again what was audited before. */
  readonly again: boolean;
};

/**
 * Opens or finds the deliberation in which a model guesses who wrote each draft of another. Where calls failed, or the
 * budget was exhausted, a fork asks for the rest, under what the earlier runs left of the current budget.
 * @throws Fault `configuration` for a run without two drafts to tell apart; `authentication`, `budget`
 */
export async function openAnonymityAudit(
  context: AppContext,
  { entries, model: wanted, again }: AnonymityAudit,
): Promise<Resumed> {
  const { work, texts, id } = await readDrafts(context, entries);
  const model = await checkModelRef(context, wanted);
  const { callTimeoutMs, families } = context.settings;
  const family = familyOf(model, families);
  const persona = { name: "Guesser", instructions: "" };
  const participant = { id: ParticipantId.parse("guesser"), seat: "guesser", persona, model, family };
  const measurement = await openMeasurement(context, {
    protocol: authorship,
    question: `Who wrote the drafts of ${id}?`,
    texts,
    again,
    part: { settings: { ...work, callTimeoutMs }, participants: [participant] },
    identity: ({ templates }) => ({ work: protocolSettings(authorship, work), model, templates }),
  });
  return resumable(context, {
    ...measurement,
    countReplies: (own) => sectionOf(own)?.read ?? 0,
    lostCalls: lostGuesses,
  });
}

/** The drafts of a deliberation with their authors, and the texts that a guess is shown. */
async function readDrafts({ store }: Pick<AppContext, "store">, entries: readonly Entry[]) {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const id = opened?.deliberation ?? "";
  if (!opened || !isClosed(entries)) throw refusal(`${id} has not ended`, "resume it first");
  const { participants, question, seed } = opened.data;
  const drafts = [...answersIn(entries)].flatMap(([step, { type, data }]) =>
    type === "answer-given" && data.kind === "draft" ? [{ step, author: data.by, text: data.text }] : [],
  );
  const candidates = participants.filter(({ id: one }) => drafts.some(({ author }) => author === one));
  if (candidates.length < 2)
    throw refusal(`${id} has no anonymous drafts of two participants`, "name a run of ask or council");
  const ids = candidates.map((one) => one.id);
  const instructions = await Promise.all(
    candidates.map(async (one) => ({
      name: `participant/${one.id}`,
      text: await store.text(one.persona.instructions),
    })),
  );
  const named = drafts.map((draft, index) => ({ ...draft, name: `draft-${index + 1}` }));
  return {
    id,
    work: {
      run: { id, simulated: isSimulated(entries) },
      candidates: candidates.map(({ id: one, persona, model }) => ({
        id: one,
        name: persona.name,
        model: personOf(model) === undefined ? model : "a person",
      })),
      drafts: named.map(({ name, step, author }) => ({
        name,
        step,
        author,
        order: shuffle(seed, `participants/${name}`, ids),
      })),
    },
    texts: [
      { name: "question", text: question },
      ...named.map(({ name, text }) => ({ name: `draft/${name}`, text })),
      ...instructions,
    ],
  };
}
