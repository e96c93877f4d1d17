import {
  callOf,
  isEvent,
  workOf,
  type Call,
  type Entry,
  type Event,
  type Participant,
  type Work,
} from "../../../../../kernel/index.ts";
import type { DebateRecord, DebateRound } from "./record.ts";
import { groupBy } from "../../../../../stats/numbers.ts";
import { spent } from "../../../../../views/spending.ts";

export type Debate = {
  readonly agents: readonly Participant[];
  /** Whether what an agent said before stands as its proposal without being asked for. */
  readonly carries: boolean;
  /** In the order of the journal. */
  readonly events: readonly Event[];
  /** The calls that this debate made itself; adopted ones were paid for by the parent. */
  readonly calls: readonly WorkCall[];
  /** The same by the piece of work that they were made for. */
  readonly callsByWork: ReadonlyMap<string, readonly WorkCall[]>;
  /** The events by their round; by undefined what belongs to none. */
  readonly eventsByRound: ReadonlyMap<number | undefined, readonly Event[]>;
};

type WorkCall = { readonly work: Work | undefined; readonly call: Call };

export function debateIn(entries: readonly Entry[], { data }: Event<"deliberation-opened">): Debate {
  const events = entries.flatMap((entry) => (entry.type === "unknown" ? [] : [entry]));
  const calls = events.flatMap((event) => {
    const call = event.origin.by === "adopted" ? undefined : callOf(event);
    return call ? [{ work: workOf(event), call }] : [];
  });
  return {
    agents: data.participants.filter(({ seat }) => seat === "agent"),
    carries: data.settings["proposals"] !== "fresh",
    events,
    calls,
    callsByWork: groupBy(
      calls.filter(({ work }) => work !== undefined),
      ({ work }) => workKey(work),
    ),
    eventsByRound: groupBy(events, (event) => workOf(event)?.round),
  };
}

/** Steps of one key do one piece of work: a text, the turns after its tools' results, and its repair. */
const workKey = ({ kind, round, by, of }: Partial<Work> = {}): string =>
  JSON.stringify([kind, round, by, of]);

/** Whether two steps do one piece of work. */
export const isSameWork = (one: Work | undefined, other: Work | undefined): boolean =>
  one !== undefined && other !== undefined && workKey(one) === workKey(other);

/** In the order of seats, as they were recorded within one: never in the order of a race. */
export function inSeatOrder<T extends { readonly by: string } | { readonly for: string }>(
  { agents }: Debate,
  all: readonly T[],
  idOf: (one: T) => string = (one) => ("by" in one ? one.by : one.for),
): T[] {
  const seat = (one: T) => {
    const index = agents.findIndex(({ id }) => id === idOf(one));
    return index < 0 ? agents.length : index;
  };
  return [...all].sort((a, b) => seat(a) - seat(b));
}

/** What was made for the agents of a round, or of no round for the judge; a summary's own parts are not told. */
export const summariesIn = (debate: Debate, round: number | undefined): DebateRound["summaries"] =>
  inSeatOrder(
    debate,
    (debate.eventsByRound.get(round) ?? []).flatMap((event) => {
      if (!isEvent(event, "summary-made") || event.data.part) return [];
      const { method, text, charactersBefore, charactersAfter, temperature, call } = event.data;
      return [
        {
          for: event.data.for,
          method,
          text,
          charactersBefore,
          charactersAfter,
          model: call?.model ?? null,
          temperature: temperature ?? null,
          ...takenBy(debate, event),
        },
      ];
    }),
  );

export const contribution = (
  debate: Debate,
  event: Event<"answer-given" | "critique-given" | "synthesis-given">,
): StepUsage & { readonly by: string; readonly text: string; readonly model: string | null } => ({
  by: event.data.by,
  text: event.data.text,
  model: event.data.call?.model ?? null,
  ...takenBy(debate, event),
});

type StepUsage = Pick<DebateRound["refinements"][number], "tokens" | "usd" | "latencyMs">;

/** What a piece of work took, by the calls' own figures. */
function takenBy({ callsByWork }: Debate, event: Event): StepUsage {
  const own = (callsByWork.get(workKey(workOf(event))) ?? []).map(({ call }) => call);
  const { tokens, usd } = costsOf(own);
  return { tokens, usd, latencyMs: own.reduce((sum, { latencyMs }) => sum + latencyMs, 0) };
}

export function costsOf(all: readonly Call[]): DebateRecord["outside"] {
  const { calls, tokens, cost } = spent(all);
  return { calls, tokens: sumOf(tokens), usd: cost.usd };
}

export const sumOf = (tokens: { readonly in: number | null; readonly out: number | null }): number | null =>
  tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out;
