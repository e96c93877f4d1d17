// What the API gives, as the page reads it. test/page-replies.test.ts holds these against the schemas that the server checks by.

/** A run in a list. */
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

export type OpenedRun = {
  readonly id: string;
  readonly status: "open" | "waiting";
  readonly url: string;
  readonly events: string;
  readonly place: number;
  readonly notes: readonly { readonly code: string }[];
};

type Range = { readonly low: number; readonly expected: number; readonly high: number };
export type EstimateReply = {
  readonly protocol: string;
  readonly total: { readonly calls: Range; readonly tokens: Range; readonly usd: Range | null } | null;
  readonly unpriced: readonly string[];
  readonly oldPrices: string | null;
};

export type ModelRow = {
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
  readonly models: readonly ModelRow[];
  readonly missing: readonly { readonly provider: string; readonly next: string }[];
};

export type CatalogRow = {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  readonly from: string;
  readonly missing: readonly string[];
};
export type CatalogReply = { readonly data: readonly CatalogRow[] };

export type InboxReply = {
  readonly data: readonly {
    readonly id: string;
    readonly question: string;
    readonly kind: "seat" | "questions";
    readonly asked: readonly string[];
    readonly step: string | null;
    readonly since: string;
    readonly until: string | null;
  }[];
};

export type WaitingReply = {
  readonly questions: {
    readonly request: string;
    readonly questions: readonly { readonly id: string; readonly by: string; readonly text: string }[];
  } | null;
  readonly seats: readonly {
    readonly id: string;
    readonly step: string;
    readonly person: string;
    readonly work: string;
    readonly round: number | null;
    readonly since: string;
    readonly until: string | null;
    readonly messages: readonly { readonly role: string; readonly text?: string }[];
  }[];
};
