import {
  callOf,
  isEvent,
  mayBeCharged,
  originKey,
  requestsCovered,
  type Call,
  type Cap,
  type Cost,
  type Entry,
  type EventType,
  type FailureCode,
  timeOf,
  workOf,
} from "../kernel/index.ts";

/** What some calls took together. A figure of tokens is null when a call that may have been charged for did not report it. */
export type Spent = {
  /** Requests that were answered or refused, each that was sent again, too, and of which it is known what they took. */
  readonly calls: number;
  /** Requests that were sent, and of which nobody knows what they took: unreported, or cut off before anything was recorded. */
  readonly unknown: number;
  readonly tokens: {
    readonly in: number | null;
    readonly out: number | null;
    /** Part of `in`. */
    readonly cached: number | null;
    /** Part of `out`. */
    readonly thinking: number | null;
  };
  /**
   * `usd`: of the known calls; null where the price of one is unknown, or no call is known. `source`: where all figures came from,
   * or `mixed`, `unknown` for null, `none` without any call.
   */
  readonly cost: { readonly usd: number | null; readonly source: Cost["source"] | "mixed" | "none" };
};

export type RunSpending = {
  readonly total: Spent;
  /** In the order of their first call. */
  readonly participants: readonly { readonly id: string; readonly spent: Spent }[];
};

// BILL-1. `calls` and `unknown` of a run are together all requests that it has sent, each once: what was under way at a kill, was
//     interrupted or given up is unknown until the event of its step accounts for it. Else: the bill misses requests or counts them twice.

/** What an event puts on a run's bill: its call, or, with an opening, requests without one; `sent` below 0 takes these off again. */
export type BillItem = { readonly speaker: string; readonly model: string } & (
  { readonly call: Call } | { readonly sent: number }
);

/** Reads a run's bill from its entries, given in order; adopted calls were paid for by the parent. */
export function billing(): (entry: Entry) => readonly BillItem[] {
  const open = new Map<string, BillItem & { readonly sent: number }>();
  return (entry) => {
    const items: BillItem[] = [];
    for (const { origin, calls: sent, speaker, model } of entry.sent ?? []) {
      const item = { speaker: speaker ?? "unknown", model: model ?? "unknown", sent };
      open.set(origin, item);
      items.push(item);
    }
    const origin = open.size > 0 ? originKey(entry.origin) : "";
    const left = open.get(origin);
    if (left && open.delete(origin))
      items.push({ ...left, sent: -Math.min(left.sent, requestsCovered(entry)) });
    const call = ownCallOf(entry);
    if (call) items.push({ speaker: speakerOf(entry), model: call.model, call });
    return items;
  };
}

/** What a deliberation's own requests took. */
export function spending(entries: readonly Entry[]): RunSpending {
  const total = spentFold();
  const participants = new Map<string, SpentFold>();
  for (const item of entries.flatMap(billing())) {
    const own = participants.get(item.speaker) ?? spentFold();
    participants.set(item.speaker, own);
    own.add(item);
    total.add(item);
  }
  return {
    total: total.read(),
    participants: [...participants].map(([id, own]) => ({ id, spent: own.read() })),
  };
}

/** The call that a deliberation made itself for this entry; undefined for none, and for one that was never sent. */
function ownCallOf(entry: Entry): Call | undefined {
  const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
  return call && call.attempts > 0 ? call : undefined;
}

/** Whether a call costs nothing of its own, whatever it takes. */
const isUncharged = ({ cost: { source } }: Call): boolean => source === "free" || source === "subscription";

/** A reply with text and without tokens was not free: its provider did not say what it took. */
const isSilent = (call: Call): boolean =>
  call.ok && !isUncharged(call) && call.reply.trim() !== "" && !(call.tokens.out ?? 0);

/** Whether nobody can say what a call cost. What its provider reports wins over any doubt. */
function isCostUnknown(call: Call): boolean {
  if (isUncharged(call)) return false;
  if (call.cost.source === "provider" && call.cost.usd !== null && call.cost.usd > 0) return false;
  if (isSilent(call) || (call.unreported ?? 0) > 0) return true;
  return call.cost.usd === null && (call.ok || mayBeCharged(call.failure));
}

/** How many of a call's requests may have been charged for without anybody knowing what for. */
export function unknownIn(call: Call): number {
  if (!isCostUnknown(call)) return 0;
  const isReported = call.tokens.in !== null && call.tokens.out !== null;
  return isSilent(call) ? call.attempts : (call.unreported ?? (isReported ? 0 : call.attempts));
}

/** Whether a call's provider said what it used, and nobody knows at what price. */
export const isUnpriced = (call: Call): boolean =>
  call.cost.usd === null && (call.tokens.in !== null || call.tokens.out !== null);

/** How a call ends that was under way: unlike one that was refused, it may have been charged for. */
const BROKE_OFF: ReadonlySet<FailureCode> = new Set(["network", "timed-out", "cancelled", "over-budget"]);

/** What these calls took together; one that was never sent took nothing. */
export function spent(all: readonly Call[]): Spent {
  const fold = spentFold();
  for (const call of all) fold.take(call);
  return fold.read();
}

export type SpentFold = {
  take(call: Call): void;
  /** Takes an item of a run's bill. */
  add(item: BillItem): void;
  read(): Spent;
};

/** The same, call by call. */
export function spentFold(): SpentFold {
  const sums = { calls: 0, unknown: 0, in: 0, out: 0, cached: 0, thinking: 0, usd: 0 };
  // Providers without a cache do not speak of it, nor of thinking where there is none.
  const unknown = { in: false, out: false, cached: true, thinking: true, usd: false };
  const sources = new Set<Cost["source"]>();
  const take = (call: Call) => {
    if (call.attempts === 0) return;
    const { tokens, cost } = call;
    const lost = unknownIn(call);
    sums.calls += call.attempts - lost;
    sums.unknown += lost;
    sums.in += tokens.in ?? 0;
    sums.out += tokens.out ?? 0;
    sums.cached += tokens.cached ?? 0;
    sums.thinking += tokens.reasoning ?? 0;
    sums.usd += cost.usd ?? 0;
    if ((call.ok && lost < call.attempts) || cost.usd !== null) sources.add(cost.source);
    unknown.usd ||= lost < call.attempts && isUnpriced(call);
    if (!call.ok && !BROKE_OFF.has(call.failure.code)) return;
    unknown.in ||= tokens.in === null;
    unknown.out ||= tokens.out === null;
    unknown.cached &&= tokens.cached === null;
    unknown.thinking &&= tokens.reasoning === null;
  };
  return {
    take,
    add(item) {
      if ("call" in item) take(item.call);
      else sums.unknown += item.sent;
    },
    read() {
      const figure = (name: keyof Spent["tokens"]) => (unknown[name] ? null : sums[name]);
      const [only = "none"] = sources;
      const isUnknown = unknown.usd || (sums.calls === 0 && sums.unknown > 0);
      return {
        ...{ calls: sums.calls, unknown: sums.unknown },
        tokens: {
          ...{ in: figure("in"), out: figure("out") },
          ...{ cached: figure("cached"), thinking: figure("thinking") },
        },
        cost: isUnknown
          ? { usd: null, source: "unknown" }
          : { usd: sums.usd, source: sources.size > 1 ? "mixed" : only },
      };
    },
  };
}

/** Which caps left something undone, in the order of the journal. */
export const capsIn = (entries: readonly Entry[]): Cap[] =>
  entries.flatMap((entry) => {
    if (isEvent(entry, "roster-fixed")) return entry.data.out.flatMap(({ cap }) => cap ?? []);
    if (isEvent(entry, "deliberation-closed")) return "cap" in entry.data ? (entry.data.cap ?? []) : [];
    const call = callOf(entry);
    return call?.ok === false ? (call.failure.cap ?? []) : [];
  });

/** Who made the call that an entry was read from. */
export function speakerOf(entry: Entry): string {
  if (entry.type === "unknown") return "unknown";
  if ("by" in entry.data && typeof entry.data.by === "string") return entry.data.by;
  if (entry.type === "summary-made") return entry.data.for;
  return "participant" in entry.data
    ? (entry.data.participant ?? "unknown")
    : (SPEAKERLESS[entry.type] ?? workOf(entry)?.by ?? entry.type);
}

const SPEAKERLESS: { readonly [T in EventType]?: string } = {
  "grade-given": "critic",
  "preference-given": "critic",
};

/** What the calls of one kind of work took together. */
export type WorkSpending = {
  /** As steps name it: `draft`, `review`; null where a step does not say. */
  readonly kind: string | null;
  readonly spent: Spent;
  /** The sum of the calls' latencies, in milliseconds. */
  readonly callMs: number;
  /** From the start of the first call to the end of the last, in milliseconds: calls run beside each other. */
  readonly wallMs: number;
};

/** What each kind of work took, in the order of its first call; what a fork adopted was paid for by its parent. */
export function spendingByWork(entries: readonly Entry[]): readonly WorkSpending[] {
  const byKind = new Map<string | null, { call: Call; end: number }[]>();
  for (const entry of entries) {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    if (!call || call.attempts === 0) continue;
    const kind = workOf(entry)?.kind ?? (entry.origin.by === "reactor" ? entry.origin.reactor : null);
    const calls = byKind.get(kind) ?? [];
    byKind.set(kind, calls);
    calls.push({ call, end: timeOf(entry) });
  }
  return [...byKind].map(([kind, calls]) => {
    const start = Math.min(...calls.map(({ call, end }) => end - call.latencyMs));
    return {
      kind,
      spent: spent(calls.map(({ call }) => call)),
      callMs: calls.reduce((sum, { call }) => sum + call.latencyMs, 0),
      wallMs: Math.max(...calls.map(({ end }) => end)) - start,
    };
  });
}

/** Who took part in a phase, and who was left out and why. */
export type PhaseRoster = {
  readonly seq: number;
  readonly phase: string;
  readonly round: number | null;
  /** Whether it decided who could begin, for lack of budget, and not who was in time. */
  readonly isAdmission: boolean;
  readonly present: readonly string[];
  readonly out: readonly { readonly id: string; readonly why: string }[];
};

export const rostersIn = (entries: readonly Entry[]): readonly PhaseRoster[] =>
  entries.flatMap((entry) => {
    if (!isEvent(entry, "roster-fixed")) return [];
    const { phase, in: present, out } = entry.data;
    const work = workOf(entry);
    return [
      {
        ...{ seq: entry.seq, phase, round: work?.round ?? null, isAdmission: work?.kind === "admission" },
        ...{ present, out: out.map(({ id, why }) => ({ id, why })) },
      },
    ];
  });
