import * as z from "zod";
import { REQUEST_SETTINGS } from "../../app/start.ts";
import type { RunEstimate } from "../../app/estimate.ts";
import type { ForkEstimate as EstimatedFork } from "../../app/fork.ts";
import type { InboxItem } from "../../app/seats.ts";
import type { ModelRow } from "../../app/model-table.ts";
import type { KindLeague, LabeledVote } from "../../app/votes.ts";
import { DebateFlags } from "../../protocols/debate/settings.ts";
import { DeliberationId, Json, Labels } from "../../kernel/index.ts";
import type { ListedBench } from "../../lab/bench/recorded.ts";
import { BenchReport } from "../../lab/bench/report.ts";
import type { LeagueRow } from "../../stats/league.ts";
import { ReactorState } from "../../views/reactor-state.ts";
import { Result } from "../../views/result.ts";
import type { PersonaShares, VoteCell } from "../../views/run-part.ts";
import { settingField } from "./setting-field.ts";

// SCHEMA-1. What the API takes and gives is said here once: routes check by it, and the OpenAPI document is made from it.

const text = z.string();
const nullable = { text: text.nullable(), number: z.number().nullable() };
/** ISO 8601 in UTC. */
const Time = text;

const settings = Object.fromEntries(REQUEST_SETTINGS.map((key) => [key, settingField(key)]));

const Attachment = z.strictObject({ name: text.max(1_000), text });

/** A question. Fields that only one protocol knows are refused by the others, with the nearest name. */
export const NewRequest = z.looseObject({
  ...settings,
  question: text.min(1),
  protocol: text.max(60).optional(),
  pack: text.max(60).optional(),
  /** Texts that models see fenced, as untrusted data. */
  context: z.array(Attachment).max(1_000).optional(),
  /** The deliberation that this one follows in a conversation. */
  previous: DeliberationId.optional(),
  again: z.boolean().optional(),
  /** Earlier turns that were held elsewhere, oldest first. */
  history: z
    .array(z.strictObject({ question: text, answer: text }))
    .max(1_000)
    .optional(),
  seats: z
    .array(z.strictObject({ name: text.min(1).max(100), seat: text.min(1).max(60) }))
    .max(26)
    .optional(),
  reactions: z.boolean().optional(),
  labels: Labels.optional(),
  protocolSettings: z.record(text, Json).optional(),
  ...DebateFlags.shape,
});

/** What a fork changes. */
export const ForkBody = z.strictObject({
  ...settings,
  without: z.array(text.max(100)).max(26).optional(),
  /** Reuses only what was recorded up to and including this event. */
  upToSeq: z.int().positive().optional(),
  /** Refuses one that lost no call by network, rate, overload or credentials; every fork asks anew what was lost so. */
  retry: z.boolean().optional(),
  labels: Labels.optional(),
});

/** A deliberation that was opened, and is not at its end. */
export const Opened = z.strictObject({
  id: text,
  status: z.enum(["open", "waiting"]),
  /** The result, now and later. */
  url: text,
  events: text,
  /** The place in line, from 1; 0 where it is driven. */
  place: z.int(),
  notes: z.array(z.looseObject({ code: text })),
});

/** What a reply with 200 holds that began before it was known which of them it would be. */
export const ResultOrOpened = z.union([Result, Opened]);

export const Listed = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ id: text, protocol: text, question: text, openedAt: Time, status: text, seq: z.int() },
      series: nullable.text,
    }),
  ),
  /** What `after` takes for the next page; null after the last. */
  next: nullable.text,
});

/** A recorded event. Its data are its type's own; see the vocabulary in the reference. */
export const RecordedEvent = z.looseObject({
  ...{ id: text, deliberation: text, seq: z.int(), at: Time, type: text },
  data: Json.optional(),
  origin: z.looseObject({ by: text }),
});
export const EventPage = z.strictObject({ data: z.array(RecordedEvent), next: z.int().nullable() });

export const Cancelled = z.strictObject({
  ...{ id: text, status: text },
  /** False where it had ended before. */
  cancelled: z.boolean(),
  why: nullable.text,
});

export const Replayed = z.strictObject({
  ...{ id: text, closed: z.boolean(), steps: z.int(), calls: z.int(), reread: z.int().optional() },
});

export const ContributionsBody = z.strictObject({
  /** Whether models may be called to measure what is not recorded yet. */
  calls: z.boolean().optional(),
  repeats: z.int().min(1).max(20).optional(),
});

const Question = z.strictObject({ id: text, by: text, text });
const WaitingSeat = z.strictObject({
  ...{ id: text, step: text, person: text, work: text, round: nullable.number },
  ...{ since: Time, until: Time.nullable() },
  messages: z.array(z.looseObject({ role: text })),
});
export const Waiting = z.strictObject({
  questions: z.strictObject({ request: text, questions: z.array(Question) }).nullable(),
  /** Those of the caller, each with its prompt. */
  seats: z.array(WaitingSeat),
});

const step = text.max(300).optional();
/** The answers to questions by id, or the text for a seat's step, or that the person abstains from it. */
export const AnswersBody = z.union([
  z.strictObject({ answers: z.record(text.max(200), text.max(100_000)) }),
  z.strictObject({ text: text.max(1_000_000), step }),
  z.strictObject({ abstain: z.literal(true), step }),
]);
export const Answered = z.strictObject({ status: z.literal("recorded"), step: nullable.text });

export const FeedbackBody = z.strictObject({
  thumb: z.enum(["up", "down"]).optional(),
  text: text.max(4_000).optional(),
  outcome: z.enum(["good", "bad"]).optional(),
  /** Rates the second respondent's answer. */
  second: z.boolean().optional(),
});
export const FeedbackReply = z.strictObject({ status: text, reason: text.optional() });

export const Inbox = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ id: text, question: text, kind: z.enum(["seat", "questions"]), asked: z.array(text) },
      ...{ step: nullable.text, since: Time, until: Time.nullable() },
    }),
  ),
}) satisfies z.ZodType<{ data: readonly Loose<InboxItem>[] }>;

const Range = z.strictObject({ low: z.number(), expected: z.number(), high: z.number() });
const estimated = { calls: Range, tokens: Range, usd: Range.nullable() };
export const Estimate = z.strictObject({
  protocol: text,
  phases: z.array(z.strictObject({ ...estimated, name: text, course: nullable.text })),
  total: z.strictObject(estimated).nullable(),
  ...{ undeclared: z.array(text), unpriced: z.array(text), oldPrices: nullable.text },
  caps: z.strictObject({
    ...{ calls: z.int().optional(), tokens: z.int().optional(), usd: z.number().optional() },
  }),
}) satisfies z.ZodType<Loose<RunEstimate>>;
export const ForkEstimate = Estimate.extend({
  /** The parent's recorded calls that are reused at most. */
  reusable: z.int(),
}) satisfies z.ZodType<Loose<EstimatedFork>>;

export const ModelList = z.strictObject({
  models: z.array(
    z.strictObject({
      ...{ ref: text, family: nullable.text, context: nullable.number, how: text, reachable: text },
      price: z.union([
        z.strictObject({ in: z.number(), out: z.number(), date: text, source: text }),
        z.literal("free"),
        z.null(),
      ]),
    }),
  ),
  missing: z.array(z.strictObject({ provider: text, next: text })),
}) satisfies z.ZodType<{ models: readonly (Omit<ModelRow, "reachable"> & { reachable: string })[] }>;

/** Personas, strategies or packs: those in use, by name. */
export const Catalog = z.strictObject({
  data: z.array(
    z.strictObject({ ...{ name: text, description: text, text, from: text }, missing: z.array(text) }),
  ),
});

/** Each setting by its name in files: its value, and where that comes from. */
export const ConfigReply = z.record(text, z.looseObject({ value: Json.optional(), from: text }));

export const Usage = z.strictObject({
  ...{ by: text, since: Time.nullable(), timeZone: text },
  rows: z.array(usageRow()),
  total: usageRow(),
  /** What keys are called, where rows are by key. */
  names: z.record(text, text),
});
function usageRow() {
  return z.strictObject({
    ...{ key: text, calls: z.int(), unknown: z.int(), unpriced: z.int(), usd: z.number() },
    tokens: z.strictObject({ in: z.number(), out: z.number() }),
  });
}

/** Runs that cannot be read, and count nowhere. */
const leftOut = z.array(text);

const LeaguePlayer = z.strictObject({
  ...{ player: text, sessions: z.int(), votes: z.int(), wins: z.int(), ties: z.int() },
  ...{ winRate: nullable.number, averageRank: nullable.number, averageShare: nullable.number },
  /** On a log scale with a mean of 0, with its 95 % interval; null where the comparisons do not tell. */
  ...{ strength: nullable.number, low: nullable.number, high: nullable.number },
  /** Whether there are too few votes for any claim. */
  tooFew: z.boolean(),
}) satisfies z.ZodType<LeagueRow>;

/** Over all questions, then by kind. */
export const Leagues = z.strictObject({
  by: text,
  leagues: z.array(
    z.strictObject({
      kind: text,
      rows: z.array(LeaguePlayer),
      sessions: z.int(),
      /** Whether there are too few sessions for any claim. */
      tooFew: z.boolean(),
      /** The probability of differences like these among equals; null where there are too few. */
      p: nullable.number,
      dispersion: z.number(),
    }) satisfies z.ZodType<KindLeague>,
  ),
  leftOut,
});

const Voter = z.strictObject({ persona: text, model: text, family: nullable.text });
export const VoteList = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ deliberation: text, conversation: text, turn: z.int(), at: Time, protocol: text, kind: text },
      ...{ voter: Voter, candidate: Voter, draft: text, label: text, position: z.int(), of: z.int() },
      /** From 1; null where no ranking could be read. */
      rank: nullable.number,
      ...{ strengths: z.array(text), weaknesses: z.array(text), event: text },
    }) satisfies z.ZodType<Loose<LabeledVote>>,
  ),
  /** What `after` takes for the next page; null after the last. */
  next: nullable.text,
  leftOut,
});

export const VoteMatrix = z.strictObject({
  by: text,
  cells: z.array(
    z.strictObject({
      ...{ voter: text, candidate: text, votes: z.int() },
      /** How high on the mean, from 0 (last) to 1 (first). */
      share: z.number(),
    }) satisfies z.ZodType<VoteCell>,
  ),
  leftOut,
});

export const ShareList = z.strictObject({
  split: text,
  rows: z.array(
    z.strictObject({
      persona: text,
      /** Null: under all strategies. */
      strategy: nullable.text,
      runs: z.int(),
      /** As the chairs reported it, 0 to 1. */
      claimed: z.strictObject({ n: z.int(), mean: nullable.number, sum: z.number() }),
      /** As it was measured, by method. */
      measured: z.record(text, z.strictObject({ n: z.int(), mean: z.number() })),
      /** Votes, apart: sessions with a standing, and the share of them that were won. */
      ...{ sessions: z.int(), winRate: nullable.number },
    }) satisfies z.ZodType<PersonaShares>,
  ),
  leftOut,
});

/** Benches on record, newest first. */
export const BenchList = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ id: text, file: text, openedAt: Time, arms: z.array(text), tasks: z.int() },
      /** Of every arm and task (`total`), those that have come to their end. */
      ...{ finished: z.int(), total: z.int() },
      simulated: z.boolean(),
    }) satisfies z.ZodType<Loose<ListedBench>>,
  ),
  /** What `after` takes for the next page; null after the last. */
  next: nullable.text,
});

/** A bench as its deliberations stand now. */
export const Bench = z.strictObject({ id: text, openedAt: Time, report: BenchReport });

/** As `parley watch` has it, without places in the store, which are for no client. */
export const Reactors = z.strictObject({
  ...{ at: Time, deliberations: z.int() },
  reactors: z.array(ReactorState.omit({ cursor: true })),
  leftOut,
});

export const PinBody = z.strictObject({ fact: text.min(1).max(10_000) });
export const Pinned = z.strictObject({ id: text, fresh: z.boolean() });

export const MemoryStats = z.looseObject({ user: text });

/** A type without its brands. */
type Loose<T> = T extends string
  ? string
  : T extends readonly (infer E)[]
    ? readonly Loose<E>[]
    : T extends object
      ? { [K in keyof T]: Loose<T[K]> }
      : T;

export { Result };

/** The browsers in which a person is signed in. */
export const SessionList = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string(),
      /** What the browser calls itself. */
      name: z.string(),
      createdAt: z.string(),
      until: z.string().nullable(),
      /** Whether the request came by it. */
      current: z.boolean(),
    }),
  ),
});
