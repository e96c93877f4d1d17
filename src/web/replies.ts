import type { ListedBench } from "../protocols/bench/work.ts";
import type { PlottedArm } from "../reports/bench-words.ts";
import type { LeagueRow } from "../stats/league.ts";
import type { Estimate } from "../stats/proportions.ts";
import type { Sign, SignTally } from "../stats/sequential-sign-test.ts";
import type { OpenQuestion } from "../views/pending-questions.ts";
import type { InboxItem, PendingSeat } from "../views/pending-seats.ts";
import type { ReactorState } from "../views/reactor-state.ts";
import type { PersonaShares, VoteCell } from "../views/run-part.ts";
import type { PeerVote } from "../views/votes.ts";

// What the API gives, as the page reads it. test/page/replies.test.ts holds these against the schemas that the server checks by.

/** A type without what the page does not tell apart: brands, and one word from another. */
export type Unbranded<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? readonly Unbranded<One>[]
    : T extends object
      ? { readonly [Field in keyof T]: Unbranded<T[Field]> }
      : T;

export type ListedRun = {
  readonly id: string;
  readonly protocol: string;
  readonly question: string;
  /** ISO 8601 in UTC. */
  readonly openedAt: string;
  readonly status: string;
  readonly seq: number;
  readonly series: string | null;
};
export type RunPage = { readonly data: readonly ListedRun[]; readonly next: string | null };

/** The browsers in which a person is signed in. */
export type SessionReply = {
  readonly data: readonly (Readonly<Record<"id" | "name" | "createdAt", string>> & {
    readonly until: string | null;
    readonly current: boolean;
  })[];
};

export type OpenedReply = {
  readonly id: string;
  readonly status: "open" | "waiting";
  readonly url: string;
  readonly events: string;
  readonly place: number;
  readonly notes: readonly { readonly code: string }[];
};

type EstimateRange = { readonly low: number; readonly expected: number; readonly high: number };
export type EstimateReply = {
  readonly protocol: string;
  readonly total:
    | ({ readonly [what in "calls" | "tokens"]: EstimateRange } & {
        readonly usd: EstimateRange | null;
      })
    | null;
  readonly unpriced: readonly string[];
  /** What does not say what it takes. */
  readonly undeclared: readonly string[];
  /** The limits that hold whatever it would come to. */
  readonly caps: { readonly usd?: number | undefined };
  readonly oldPrices: string | null;
};

export type ForkEstimateReply = EstimateReply & { readonly reusable: number };

export type ReachableModel = {
  readonly ref: string;
  readonly family: string | null;
  readonly context: number | null;
  readonly how: string;
  readonly reachable: string;
  readonly price:
    | { readonly in: number; readonly out: number; readonly date: string; readonly source: string }
    | "free"
    | null;
};
export type ModelReply = {
  readonly models: readonly ReachableModel[];
  readonly missing: readonly { readonly provider: string; readonly next: string }[];
};

export type CatalogRow = Readonly<Record<"name" | "description" | "text" | "from", string>> & {
  readonly missing: readonly string[];
};
export type CatalogReply = { readonly data: readonly CatalogRow[] };

/** Whose entry of the library it is. */
export type LibraryFrom = "built-in" | "user" | "project";
type LibraryFile = {
  readonly name: string;
  readonly description: string;
  readonly from: LibraryFrom;
  readonly text: string | null;
  readonly digest: string | null;
  readonly problem: string | null;
  readonly shadows: readonly LibraryFrom[];
  /** What is shipped under its name. */
  readonly shipped: string | null;
};
export type StrategyReply = LibraryFile & {
  readonly strategy: {
    readonly directive: string;
    readonly sees: readonly string[];
    readonly needsGoal: boolean;
  } | null;
};
export type PackReply = LibraryFile & {
  readonly pack: {
    readonly title: string;
    readonly protocol: string;
    readonly settings: Readonly<Record<string, unknown>>;
  } | null;
};
export type PromptReply = {
  readonly name: string;
  readonly from: LibraryFrom;
  readonly text: string;
  readonly digest: string;
  readonly shipped: string;
  readonly replaced: boolean;
  readonly protocols: readonly string[];
  readonly slots: readonly { readonly name: string; readonly required: boolean }[];
  readonly problem: string | null;
};
export type PromptListReply = { readonly data: readonly PromptReply[] };

export type PersonaReply = LibraryFile & {
  readonly id: string;
  readonly status: string;
  readonly version: string | null;
  readonly instructions: string | null;
  readonly parts: Readonly<Record<string, string>> | null;
  readonly missing: readonly string[];
  readonly model: string | null;
  readonly temperature: number | null;
  readonly tools: readonly string[];
  readonly lineage: {
    readonly bred: string;
    readonly prompt: string;
    readonly seed: string;
    readonly model: string;
    readonly parents: readonly {
      readonly id: string;
      readonly version: string;
      readonly feedback: string | null;
    }[];
  } | null;
  readonly accepted: { readonly version: string; readonly at: string; readonly by: string } | null;
  readonly retired: { readonly at: string; readonly by: string } | null;
};
export type PersonaChangedReply = { readonly run: string | null; readonly persona: PersonaReply };

export type LineageMember = {
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
  readonly parents: readonly string[];
  readonly status: string;
  readonly versions: readonly {
    readonly version: string;
    readonly at: string;
    readonly how: string;
    readonly by: string;
    readonly why: string;
    readonly run: string;
  }[];
  readonly trials: readonly {
    readonly run: string;
    readonly at: string;
    readonly version: string;
    readonly against: string;
    readonly verdict: string;
    readonly tests: readonly (SignTally & {
      readonly against: string;
      readonly path: readonly Sign[];
    })[];
  }[];
  readonly live: SignTally | null;
};
export type FamilyReply = {
  readonly persona: LineageMember;
  readonly ancestors: readonly LineageMember[];
  readonly descendants: readonly LineageMember[];
};

export type MemoryStatsReply = {
  readonly user: string;
  readonly episodic: number;
  readonly pinned: number;
  readonly retired: number;
  readonly judged: number;
  readonly forgotten: number;
  readonly clusters: number;
  readonly configurations: readonly {
    readonly models: readonly string[];
    readonly temperature: number | null;
    readonly intent: string | null;
    readonly engrams: number;
    readonly wins: number;
    readonly losses: number;
    readonly ties: number;
    readonly won: Estimate;
    readonly lost: Estimate;
    readonly tied: Estimate;
    readonly grade: { readonly mean: number | null; readonly n: number };
    readonly claim: "ahead" | "behind" | "not-told-apart" | "too-few";
  }[];
};

export type ConfigReply = Readonly<Record<string, { readonly value?: unknown; readonly from: string }>>;

export type InboxReply = { readonly data: readonly (Unbranded<InboxItem> & Pick<InboxItem, "kind">)[] };

export type WaitingReply = {
  readonly questions: {
    readonly request: string;
    readonly questions: readonly OpenQuestion[];
  } | null;
  readonly seats: readonly (Unbranded<PendingSeat> & {
    readonly id: string;
    readonly messages: readonly { readonly role: string; readonly text?: string }[];
  })[];
};

export type LeagueReply = {
  readonly by: string;
  readonly leagues: readonly {
    readonly kind: string;
    readonly rows: readonly LeagueRow[];
    readonly sessions: number;
    readonly tooFew: boolean;
    readonly p: number | null;
    readonly dispersion: number;
  }[];
  readonly leftOut: readonly string[];
};

/** A vote, under the label that its draft was shown by. */
export type VoteRow = Omit<PeerVote, "draft"> & { readonly draft: string; readonly label: string };
export type VotesReply = {
  readonly data: readonly VoteRow[];
  readonly next: string | null;
  readonly leftOut: readonly string[];
};

export type MatrixReply = {
  readonly by: string;
  readonly cells: readonly VoteCell[];
  readonly leftOut: readonly string[];
};

export type ShareReply = {
  readonly split: string;
  readonly rows: readonly PersonaShares[];
  readonly leftOut: readonly string[];
};

export type ListedBenchReply = Unbranded<ListedBench>;
export type BenchListReply = { readonly data: readonly ListedBenchReply[]; readonly next: string | null };

type ScoreReply = { readonly answer: string | null; readonly right: boolean | null };
export type BenchRowReply = ScoreReply & {
  readonly arm: string;
  readonly task: string;
  readonly deliberations: readonly string[];
  readonly outcome: string;
  readonly finished: boolean;
  readonly failed: string | null;
  readonly control: ScoreReply | null;
  readonly calls: number;
  readonly usd: number | null;
};
export type BenchArmReply = PlottedArm & {
  readonly what: string;
  readonly unfinished: number;
  readonly failed: number;
  readonly perQuestion: { readonly latencyMs: number | null };
  readonly flips: {
    readonly n: number;
    readonly controlRight: number;
    readonly rightToWrong: number;
    readonly wrongToRight: number;
    readonly rightToNone: number;
    readonly noneToRight: number;
    readonly p: number;
  } | null;
};
export type BenchPairReply = {
  readonly first: string;
  readonly second: string;
  readonly n: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly difference: { readonly value: number; readonly low: number; readonly high: number } | null;
  readonly adjusted: number;
};
export type BenchJudgedReply = {
  readonly model: string;
  readonly against: string;
  readonly arms: readonly {
    readonly arm: string;
    readonly n: number;
    readonly won: number;
    readonly tied: number;
    readonly lost: number;
    readonly preferred: Estimate;
    readonly adjusted: number;
  }[];
};
export type BenchReply = {
  readonly id: string;
  readonly openedAt: string;
  readonly report: {
    readonly simulated: boolean;
    readonly complete: boolean;
    readonly tasks: { readonly file: string; readonly count: number; readonly open: number };
    readonly seed: string | null;
    readonly spent: { readonly calls: number; readonly usd: number | null };
    readonly arms: readonly BenchArmReply[];
    readonly pairs: readonly BenchPairReply[];
    readonly judged: BenchJudgedReply | null;
    readonly rows: readonly BenchRowReply[];
  };
};

export type ReactorReply = {
  readonly at: string;
  readonly deliberations: number;
  readonly reactors: readonly Unbranded<Omit<ReactorState, "cursor">>[];
  readonly leftOut: readonly string[];
};

type Measured = { readonly status: string; readonly why: string | null };
export type ContributionsReply = {
  readonly members: readonly {
    readonly id: string;
    readonly name: string;
    readonly claimed: number | null;
    readonly leaveOneOut: { readonly weight: number | null; readonly withinNoise: boolean | null } | null;
    readonly vote: number | null;
    readonly standing: number | null;
    readonly overlap: number | null;
  }[];
  readonly leaveOneOut: Measured & { readonly noise: number | null; readonly chance: number | null };
  readonly vote: Measured;
  readonly standing: Measured;
  readonly overlap: Measured & { readonly unsupported: number | null };
  readonly calls: number;
  readonly unknown: number;
  readonly cost: { readonly usd: number | null };
};
