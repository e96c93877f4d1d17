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
  const calls: { readonly by: string; readonly call: Call }[] = [];
  for (const entry of entries) {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    if (call && call.attempts > 0) calls.push({ by: speakerOf(entry), call });
  }
  const ids = [...new Set(calls.map(({ by }) => by))];
  return {
    total: spent(calls.map(({ call }) => call)),
    participants: ids.map((id) => ({
      id,
      spent: spent(calls.filter(({ by }) => by === id).map(({ call }) => call)),
    })),
  };
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
  const calls = all.filter(({ attempts }) => attempts > 0);
  const charged = calls.filter((call) => call.ok || BROKE_OFF.has(call.failure.code));
  const add = (figure: (call: Call) => number | null): number | null =>
    charged.some((call) => figure(call) === null)
      ? null
      : calls.reduce((total, call) => total + (figure(call) ?? 0), 0);
  const usd = add((call) => (isCostUnknown(call) ? null : call.cost.usd));
  const sources = new Set(
    calls.filter(({ ok, cost }) => ok || cost.usd !== null).map(({ cost }) => cost.source),
  );
  const [only = "none"] = sources;
  return {
    calls: calls.length,
    tokens: {
      in: add(({ tokens }) => tokens.in),
      out: add(({ tokens }) => tokens.out),
      // Providers without a cache do not speak of it.
      cached: charged.every(({ tokens }) => tokens.cached === null)
        ? null
        : calls.reduce((total, { tokens }) => total + (tokens.cached ?? 0), 0),
    },
    cost: { usd, source: usd === null ? "unknown" : sources.size > 1 ? "mixed" : only },
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
