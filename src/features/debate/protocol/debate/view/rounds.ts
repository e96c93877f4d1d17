import { callOf, isEvent, workOf, type Event, type Json } from "../../../../../kernel/index.ts";
import type { DebateRound } from "./record.ts";
import { contribution, costsOf, isSameWork, inSeatOrder, summariesIn, type Debate } from "./steps.ts";

type StandingProposal = Omit<DebateRound["proposals"][number], "carried">;

/** The rounds that have begun. What an agent said last stands as its proposal in the next one, unless it makes one anew. */
export function roundsOf(debate: Debate): DebateRound[] {
  const numbers = [...new Set(debate.events.flatMap((event) => workOf(event)?.round ?? []))].sort(
    (a, b) => a - b,
  );
  const rounds: DebateRound[] = [];
  let standing: ReadonlyMap<string, StandingProposal> = new Map();
  for (const round of numbers) {
    const { proposals, refinements, ...rest } = roundOf(debate, round, standing);
    const inTime = (kind: string) => (one: StandingProposal) =>
      (debate.eventsByRound.get(round) ?? []).every(
        (event) => !isRosterOf(event, kind, round) || event.data.in.includes(one.by),
      );
    const stand = [
      ...proposals.filter((one) => one.carried || inTime("proposal")(one)),
      ...refinements.filter(inTime("refinement")),
    ];
    standing = new Map([...standing, ...stand.map((one) => [one.by, one] as const)]);
    rounds.push({ ...rest, proposals, refinements });
  }
  return rounds;
}

/** Whether this says who was in a phase: what comes from others afterwards is shown, but nothing was made of it. */
function isRosterOf(event: Event, kind: string, round: number): event is Event<"roster-fixed"> {
  const work = workOf(event);
  return (
    work?.kind === "roster" && work.of === kind && work.round === round && isEvent(event, "roster-fixed")
  );
}

function roundOf(
  debate: Debate,
  round: number,
  standing: ReadonlyMap<string, StandingProposal>,
): DebateRound {
  const own = debate.eventsByRound.get(round) ?? [];
  const answers = (kind: "proposal" | "refinement") =>
    own.flatMap((event) =>
      isEvent(event, "answer-given") && event.data.kind === kind
        ? [{ ...contribution(debate, event), coverage: event.data.coverage ?? null }]
        : [],
    );
  const proposed = answers("proposal");
  // Of fresh proposals, who has none yet may still give one: only then does it stand on what it said before.
  const settled = debate.carries || own.some((event) => isRosterOf(event, "proposal", round));
  const carried = settled
    ? [...standing.values()].filter(({ by }) => !proposed.some((one) => one.by === by))
    : [];
  const confidence = own.findLast((event) => isEvent(event, "confidence-given"))?.data;
  return {
    round,
    closed: own.some((event) => isEvent(event, "round-closed")),
    confidence: confidence?.confidence ?? null,
    confidenceReason: confidence?.reason ?? null,
    summaries: summariesIn(debate, round),
    proposals: inSeatOrder(debate, [
      ...proposed.map((one) => ({ ...one, carried: false })),
      ...carried.map((one) => ({ ...one, tokens: 0, usd: 0, latencyMs: 0, carried: true })),
    ]),
    critiques: inSeatOrder(
      debate,
      inSeatOrder(
        debate,
        own.flatMap((event) =>
          isEvent(event, "critique-given")
            ? [{ ...contribution(debate, event), of: workOf(event)?.of ?? event.data.of }]
            : [],
        ),
        ({ of }) => of,
      ),
    ),
    refinements: inSeatOrder(debate, answers("refinement")),
    tools: inSeatOrder(
      debate,
      own
        .flatMap((event) => {
          if (!isEvent(event, "tool-called")) return [];
          const { by, tool, arguments: given, result } = event.data;
          const { kind = null, of = null, nth = 0 } = workOf(event) ?? {};
          const during = askingStep(own, event) ?? "";
          return [{ by, during, kind, of, nth, tool, arguments: jsonText(given), result: jsonText(result) }];
        })
        .sort((a, b) => (a.during === b.during ? a.nth - b.nth : a.during < b.during ? -1 : 1))
        .map(({ nth: _, ...call }) => call),
    ),
    ...costsOf(own.flatMap((event) => (event.origin.by === "adopted" ? [] : (callOf(event) ?? [])))),
  };
}

/** The step whose reply first called a tool for the work that this call was made for. */
function askingStep(own: readonly Event[], called: Event<"tool-called">): string | undefined {
  const turns = own.filter(
    (event) => !isEvent(event, "tool-called") && isSameWork(workOf(event), workOf(called)),
  );
  const asking = turns.find((event) => isEvent(event, "reply-received")) ?? turns[0];
  return asking && "step" in asking.origin ? asking.origin.step : undefined;
}

const jsonText = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
