import {
  callOf,
  isEvent,
  mayBeCharged,
  type Call,
  type Cap,
  type Cost,
  type Entry,
  type EventType,
  type FailureCode,
} from "../kernel/index.ts";

/** What some calls took together. A figure is null when a call that may have been charged for did not report it. */
export type Spent = {
  readonly calls: number;
  readonly tokens: {
    readonly in: number | null;
    readonly out: number | null;
    readonly cached: number | null;
  };
  /** `source`: where all figures came from, or `mixed`, `unknown` when one is missing, `none` without any call. */
  readonly cost: { readonly usd: number | null; readonly source: Cost["source"] | "mixed" | "none" };
};

export type RunSpending = {
  readonly total: Spent;
  /** In the order of their first call. */
  readonly participants: readonly { readonly id: string; readonly spent: Spent }[];
};

/** What a deliberation's own calls took; adopted ones were paid for by the parent. */
export function spending(entries: readonly Entry[]): RunSpending {
  const total = spentFold();
  const participants = new Map<string, SpentFold>();
  for (const entry of entries) {
    const call = ownCallOf(entry);
    if (!call) continue;
    const id = speakerOf(entry);
    const own = participants.get(id) ?? spentFold();
    participants.set(id, own);
    own.take(call);
    total.take(call);
  }
  return {
    total: total.read(),
    participants: [...participants].map(([id, own]) => ({ id, spent: own.read() })),
  };
}

/** The call that a deliberation made itself for this entry; undefined for none, and for one that was never sent. */
export function ownCallOf(entry: Entry): Call | undefined {
  const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
  return call && call.attempts > 0 ? call : undefined;
}

/** A reply with text and without tokens was not free: its provider did not say what it took. */
const isSilent = (call: Call): boolean =>
  call.ok && call.cost.source !== "free" && call.reply.trim() !== "" && !(call.tokens.out ?? 0);

/** Whether nobody can say what a call cost. What its provider reports wins over any doubt. */
export function isCostUnknown(call: Call): boolean {
  if (call.cost.source === "free") return false;
  if (call.cost.source === "provider" && call.cost.usd !== null && call.cost.usd > 0) return false;
  if (isSilent(call) || (call.unreported ?? 0) > 0) return true;
  return call.cost.usd === null && (call.ok || mayBeCharged(call.failure));
}

/** How a call ends that was under way: unlike one that was refused, it may have been charged for. */
const BROKE_OFF: ReadonlySet<FailureCode> = new Set(["network", "timed-out", "cancelled", "over-budget"]);

/** What these calls took together; one that was never sent took nothing. */
export function spent(all: readonly Call[]): Spent {
  const fold = spentFold();
  for (const call of all) fold.take(call);
  return fold.read();
}

export type SpentFold = { take(call: Call): void; read(): Spent };

/** The same, call by call. */
export function spentFold(): SpentFold {
  const sums = { calls: 0, in: 0, out: 0, cached: 0, usd: 0 };
  // Providers without a cache do not speak of it.
  const unknown = { in: false, out: false, cached: true, usd: false };
  const sources = new Set<Cost["source"]>();
  return {
    take(call) {
      if (call.attempts === 0) return;
      const { tokens, cost } = call;
      const usd = isCostUnknown(call) ? null : cost.usd;
      sums.calls += 1;
      sums.in += tokens.in ?? 0;
      sums.out += tokens.out ?? 0;
      sums.cached += tokens.cached ?? 0;
      sums.usd += usd ?? 0;
      if (call.ok || cost.usd !== null) sources.add(cost.source);
      if (!call.ok && !BROKE_OFF.has(call.failure.code)) return;
      unknown.in ||= tokens.in === null;
      unknown.out ||= tokens.out === null;
      unknown.cached &&= tokens.cached === null;
      unknown.usd ||= usd === null;
    },
    read() {
      const figure = (name: keyof typeof unknown) => (unknown[name] ? null : sums[name]);
      const [only = "none"] = sources;
      return {
        calls: sums.calls,
        tokens: { in: figure("in"), out: figure("out"), cached: figure("cached") },
        cost: {
          usd: figure("usd"),
          source: unknown.usd ? "unknown" : sources.size > 1 ? "mixed" : only,
        },
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
    : (SPEAKERLESS[entry.type] ?? entry.type);
}

const SPEAKERLESS: { readonly [T in EventType]?: string } = {
  "grade-given": "critic",
  "preference-given": "critic",
};
