import { callOf, isEvent, timeOf, workOf, type Call, type Entry } from "../kernel/index.ts";
import { spent, type Spent } from "../views/spending.ts";

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
