import * as z from "zod";
import { DeliberationId, EventId, StepKey } from "../kernel/index.ts";

const text = z.string();
const figure = z.number().nullable();
/** Runs that cannot be read, and count nowhere. */
const leftOut = z.array(text);

const LeagueRow = z.strictObject({
  ...{ player: text, sessions: z.int(), votes: z.int(), wins: z.int(), ties: z.int() },
  /** Wins and half the ties, of the sessions: 0 to 1. Null without a session. */
  winRate: figure,
  /** From 1; null without a vote. */
  averageRank: figure,
  /** Of the others ranked beside it, the share that stood below it: 0 to 1. */
  averageShare: figure,
  /** On a log scale with a mean of 0, with its 95 % interval; null where the comparisons do not tell. */
  ...{ strength: figure, low: figure, high: figure },
  /** Whether there are too few votes for any claim. */
  tooFew: z.boolean(),
});
export type LeagueRow = z.infer<typeof LeagueRow>;

/** A league of one kind of question, or of all. */
const KindLeague = z.strictObject({
  kind: text,
  /** Strongest first, then by average share, then by name. */
  rows: z.array(LeagueRow),
  sessions: z.int(),
  /** Whether there are too few sessions for any claim. */
  tooFew: z.boolean(),
  /**
   * The probability of differences like these, or larger ones, among equals; null for fewer than two players or 20 sessions.
   * Sessions are independent; the votes within one need not be.
   */
  p: figure,
  /** How many times more the comparisons of a session agree than independent ones would: what intervals are widened by, squared. */
  dispersion: z.number(),
});
export type KindLeague = z.infer<typeof KindLeague>;

/** Over all questions, then by kind. */
export const Leagues = z.strictObject({ by: text, leagues: z.array(KindLeague), leftOut });
export type Leagues = z.infer<typeof Leagues>;

/** Who votes, or is voted on: a persona by its id, and the model that spoke for it, `a person` for a person. */
const PeerVoter = z.strictObject({ persona: text, model: text, family: text.nullable() });
export type PeerVoter = z.infer<typeof PeerVoter>;

/** One reviewer's vote on one draft. */
const LabeledVote = z.strictObject({
  deliberation: text,
  /** The id of the conversation, or of the deliberation where it follows none. */
  conversation: text,
  /** Which of the conversation's questions it was, from 1. */
  turn: z.int(),
  ...{ at: text, protocol: text },
  /** What kind of question it was: `comparison`, `procedure`, `explanation`, `fact` or `other`. */
  kind: text,
  ...{ voter: PeerVoter, candidate: PeerVoter },
  /** The draft's step, the label that it was shown by, and its place among those shown, from 1. */
  ...{ draft: StepKey, label: text, position: z.int(), of: z.int() },
  /** From 1; null where no ranking could be read. */
  rank: figure,
  ...{ strengths: z.array(text), weaknesses: z.array(text) },
  /** The id of the review's event. */
  event: text,
});
export type LabeledVote = z.infer<typeof LabeledVote>;
export type PeerVote = Omit<LabeledVote, "label">;

export const VoteList = z.strictObject({
  data: z.array(LabeledVote),
  /** What `after` takes for the next page; null after the last. */
  next: text.nullable(),
  leftOut,
});
export type VoteList = z.infer<typeof VoteList>;

/** Who ranked whom: how often, and how high on the mean, from 0 (last) to 1 (first). */
const VoteCell = z.strictObject({ voter: text, candidate: text, votes: z.int(), share: z.number() });
export type VoteCell = z.infer<typeof VoteCell>;
export const VoteMatrix = z.strictObject({ by: text, cells: z.array(VoteCell), leftOut });
export type VoteMatrix = z.infer<typeof VoteMatrix>;

/** What a persona had of the answers that chairs wrote. */
const PersonaShares = z.strictObject({
  persona: text,
  /** Null: under all strategies. */
  strategy: text.nullable(),
  runs: z.int(),
  /** As the chairs reported it, 0 to 1: the mean over `n` runs, and the sum. */
  claimed: z.strictObject({ n: z.int(), mean: figure, sum: z.number() }),
  /** As it was measured, by method: the mean over `n` runs. */
  measured: z.record(text, z.strictObject({ n: z.int(), mean: z.number() })),
  /** Votes, apart: sessions with a standing, and the share of them that were won, a tie as half. */
  ...{ sessions: z.int(), winRate: figure },
});
export type PersonaShares = z.infer<typeof PersonaShares>;
export const ShareList = z.strictObject({ split: text, rows: z.array(PersonaShares), leftOut });
export type ShareList = z.infer<typeof ShareList>;

const At = z.strictObject({ deliberation: DeliberationId, event: EventId, type: text });
/** What each reactor does, as `parley watch` has it, without places in the store, which are for no client. */
export const Reactors = z.strictObject({
  /** ISO 8601 in UTC. */
  at: text,
  /** How many deliberations were looked at. */
  deliberations: z.int(),
  reactors: z.array(
    z.strictObject({
      reactor: text,
      /**
       * `idle`: it has nothing to answer. `receiving`: it has, and nobody works on it. `error`: it has nothing to answer, and the
       * last thing that it recorded was a failure. Any other word is its own for what it is doing.
       */
      state: text,
      /** The oldest event that it is at, or that waits for it. */
      at: At.nullable(),
      /** How many events it owes an answer to. */
      behind: z.int().nonnegative(),
      /** How many of these the worker of the whole store has gone by. */
      passed: z.int().nonnegative(),
      /** How old the oldest of them is, milliseconds. */
      oldestMs: z.int().nonnegative().nullable(),
      servedBy: z.strictObject({
        /** Who runs it for the whole store. */
        worker: text.nullable(),
        /** How many deliberations' own processes are at it. */
        drains: z.int().nonnegative(),
      }),
      /** How many events it has recorded, as far as they were seen. */
      said: z.int().nonnegative(),
      lastSaid: At.extend({ at: text, failed: z.boolean() }).nullable(),
      lastError: z.strictObject({ deliberation: DeliberationId, at: text, why: text }).nullable(),
    }),
  ),
  leftOut,
});
export type ReactorsReply = z.infer<typeof Reactors>;
