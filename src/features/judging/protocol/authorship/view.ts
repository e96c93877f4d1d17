import * as z from "zod";
import { Estimate } from "../../../../contract/figures.ts";
import { isEvent, type Entry, type Failure, type ReportPart } from "../../../../kernel/index.ts";
import { estimateShare, successesAtLeast } from "../../../../stats/proportions.ts";
import { lostCalls, measuredEnds, whyUnread } from "../../../../views/measured.ts";
import { isSimulated } from "../../../../views/simulated.ts";
import { guessedBy, type AuthorshipSettings } from "./work.ts";
import { part, table, words } from "../../../../reports/part.ts";

/** Who a model took to be the authors of a deliberation's drafts. */
export const sectionSchema = z.strictObject({
  /** The id of the deliberation whose drafts these are. */
  run: z.string(),
  model: z.string(),
  /** Whether a simulated model wrote or guessed. */
  simulated: z.boolean(),
  /** By draft; `guess` is null where none could be read, `why` then says why. */
  guesses: z.array(
    z.strictObject({
      step: z.string(),
      author: z.string(),
      guess: z.string().nullable(),
      why: z.string().nullable(),
    }),
  ),
  correct: z.int(),
  read: z.int(),
  /** The share of right guesses that guessing blindly comes to: one over the number of participants. */
  chance: z.number(),
});
export type AuthorshipSection = z.infer<typeof sectionSchema>;

/** Folds the guesses so far; undefined for any other deliberation. */
export function sectionOf(entries: readonly Entry[]): AuthorshipSection | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "authorship") return undefined;
  // As the protocol's schema read them.
  const { run, candidates, drafts } = opened.data.settings as AuthorshipSettings;
  const ends = endsIn(entries);
  const guesses = drafts.map((draft) => {
    const end = ends.get(draft.name);
    const guess = end && isEvent(end, "answer-given") ? (guessedBy(draft, end.data.final) ?? null) : null;
    return { step: draft.step, author: draft.author, guess, why: guess === null ? whyUnread(end) : null };
  });
  return {
    run: run.id,
    model: opened.data.participants[0]?.model ?? "unknown",
    simulated: run.simulated || isSimulated(entries),
    guesses,
    correct: guesses.filter(({ author, guess }) => author === guess).length,
    read: guesses.filter(({ guess }) => guess !== null).length,
    chance: 1 / candidates.length,
  };
}

/** How the calls of drafts failed that have no guess; asking again may bring one. */
export const lostGuesses = (entries: readonly Entry[]): readonly Failure[] =>
  lostCalls(endsIn(entries).values());

/** What each draft's guess ended in, by name. */
const endsIn = (entries: readonly Entry[]): ReadonlyMap<string, Entry> =>
  measuredEnds(entries, ({ kind, of }) => (kind === "guess" ? of : undefined));

/** With fewer guesses nothing is claimed. */
export const MIN_GUESSES = 20;

/** How often authors were guessed, over all drafts of some audits. */
export const AnonymityFigures = z.strictObject({
  correct: z.int(),
  /** With Wilson's 95 % interval; `n` counts the guesses that were read. */
  share: Estimate,
  /** The share that guessing blindly comes to; null without guesses. */
  chance: z.number().nullable(),
  /** How probable so many right guesses are where nobody can tell: one-sided, exact. */
  p: z.number().nullable(),
  /** Null where there are fewer than 20 guesses; else whether authors can be told better than by chance (p < 0.05). */
  told: z.boolean().nullable(),
});
export type AnonymityFigures = z.infer<typeof AnonymityFigures>;

/** Adds the guesses of audits up, as independent trials of which each has its own chance. */
export function anonymityFigures(
  audits: readonly Pick<AuthorshipSection, "correct" | "read" | "chance">[],
): AnonymityFigures {
  const chances = audits.flatMap(({ read, chance }) => Array.from({ length: read }, () => chance));
  const n = chances.length;
  const correct = audits.reduce((sum, one) => sum + one.correct, 0);
  const p = n === 0 ? null : successesAtLeast(correct, chances);
  return {
    correct,
    share: estimateShare(correct, n),
    chance: n === 0 ? null : chances.reduce((sum, one) => sum + one, 0) / n,
    p,
    told: p === null || n < MIN_GUESSES ? null : p < 0.05,
  };
}

export const isVerdict = true;

/** Each draft's author beside the guess, and how many were right. */
export const sectionParts = ({
  guesses,
  correct,
  read,
  chance,
  model,
  run,
}: AuthorshipSection): ReportPart[] => [
  part(
    "Guesses",
    table(
      ["Author", "Guess", "Right"],
      guesses.map(({ author, guess, why }) => [
        author,
        guess ?? `none: ${why ?? ""}`,
        author === guess ? "yes" : "no",
      ]),
    ),
  ),
  part("Right", words(`${correct} of ${read}; blind guessing comes to ${(chance * read).toFixed(1)}`)),
  part("Guessed by", words(`${model}, of the run ${run}`)),
];
