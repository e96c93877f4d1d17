import { callOf, isEvent, type Call, type Entry, type Event, type Participant } from "../kernel/index.ts";
import type { DebateRecord, DebateRound } from "./debate-record.ts";
import { spent } from "./spending.ts";

export type Recorded = { readonly step: string; readonly event: Event };

export type Debate = {
  readonly agents: readonly Participant[];
  /** Whether what an agent said before stands as its proposal without being asked for. */
  readonly carries: boolean;
  /** The steps' events, in the order of the journal. */
  readonly events: readonly Recorded[];
  /** The calls that this debate made itself; adopted ones were paid for by the parent. */
  readonly calls: readonly { readonly step: string; readonly call: Call }[];
};

export function debateIn(entries: readonly Entry[], { data }: Event<"deliberation-opened">): Debate {
  const events = entries.flatMap((entry): Recorded[] => {
    const { origin } = entry;
    if (entry.type === "unknown") return [];
    if (origin.by === "client") return [{ step: origin.request, event: entry }];
    return "step" in origin ? [{ step: origin.step, event: entry }] : [];
  });
  return {
    agents: data.participants.filter(({ seat }) => seat === "agent"),
    carries: data.settings["proposals"] !== "fresh",
    events,
    calls: events.flatMap(({ step, event }) => {
      const call = event.origin.by === "adopted" ? undefined : callOf(event);
      return call ? [{ step, call }] : [];
    }),
  };
}

/** The round that a step belongs to. */
export function roundIn(step: string): number | undefined {
  const [, digits] = /^round-([1-9]\d{0,5})\//.exec(step) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** What a text's last word was said in: a turn after a tool's result belongs to the step that began it. */
const baseOf = (step: string): string => step.replace(/\/turn-\d+$/, "");

const isUnder = (step: string, base: string): boolean => step === base || step.startsWith(`${base}/`);

/** In the order of seats, as they were recorded within one: never in the order of a race. */
export function seated<T extends { readonly by: string }>(
  { agents }: Debate,
  all: readonly T[],
  idOf: (one: T) => string = ({ by }) => by,
): T[] {
  const seat = (one: T) => {
    const index = agents.findIndex(({ id }) => id === idOf(one));
    return index < 0 ? agents.length : index;
  };
  return [...all].sort((a, b) => seat(a) - seat(b));
}

/** What was made for the agents of a round, or for the judge; the parts that a summary was made from are not told. */
export const summariesIn = (debate: Debate, prefix: string): DebateRound["summaries"] =>
  seated(
    debate,
    debate.events.flatMap(({ step, event }) => {
      if (!isEvent(event, "summary-made") || !step.startsWith(prefix) || event.data.part) return [];
      const { method, text, charactersBefore, charactersAfter, temperature, call } = event.data;
      return [
        {
          by: event.data.for,
          made: {
            for: event.data.for,
            method,
            text,
            charactersBefore,
            charactersAfter,
            model: call?.model ?? null,
            temperature: temperature ?? null,
            ...takenBy(debate, step),
          },
        },
      ];
    }),
  ).map(({ made }) => made);

export const contribution = (
  debate: Debate,
  { step }: Recorded,
  { by, text, call }: { readonly by: string; readonly text: string; readonly call?: Call | undefined },
): Taken & { readonly by: string; readonly text: string; readonly model: string | null } => ({
  by,
  text,
  model: call?.model ?? null,
  ...takenBy(debate, step),
});

type Taken = Pick<DebateRound["refinements"][number], "tokens" | "usd" | "latencyMs">;

/** What a step took with all that stands below it, by the calls' own figures. */
function takenBy({ calls }: Debate, step: string): Taken {
  const own = calls.filter((one) => isUnder(one.step, baseOf(step))).map(({ call }) => call);
  const { tokens, usd } = costsOf(own);
  return { tokens, usd, latencyMs: own.reduce((sum, { latencyMs }) => sum + latencyMs, 0) };
}

export function costsOf(all: readonly Call[]): DebateRecord["outside"] {
  const { calls, tokens, cost } = spent(all);
  return { calls, tokens: sumOf(tokens), usd: cost.usd };
}

export const sumOf = (tokens: { readonly in: number | null; readonly out: number | null }): number | null =>
  tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out;
