import * as z from "zod";
import { isEvent, type Json } from "../kernel/index.ts";
import type { DebateRound } from "./debate-record.ts";
import {
  contribution,
  costsOf,
  roundIn,
  seated,
  summariesIn,
  type Debate,
  type Recorded,
} from "./debate-steps.ts";

type Standing = Omit<DebateRound["proposals"][number], "carried">;

/** The rounds that have begun. What an agent said last stands as its proposal in the next one, unless it makes one anew. */
export function roundsOf(debate: Debate): DebateRound[] {
  const numbers = [...new Set(debate.events.flatMap(({ step }) => roundIn(step) ?? []))].sort(
    (a, b) => a - b,
  );
  const rounds: DebateRound[] = [];
  let standing: ReadonlyMap<string, Standing> = new Map();
  for (const round of numbers) {
    const { proposals, refinements, ...rest } = roundOf(debate, { round, standing });
    const inTime = (kind: string) => (one: Standing) => !isLate(debate, `round-${round}/${kind}`, one.by);
    const stand = [
      ...proposals.filter((one) => one.carried || inTime("proposal")(one)),
      ...refinements.filter(inTime("refinement")),
    ];
    standing = new Map([...standing, ...stand.map((one) => [one.by, one] as const)]);
    rounds.push({ ...rest, proposals, refinements });
  }
  return rounds;
}

/** Whether a phase went on without somebody: what came afterwards is shown, but nothing was made of it. */
const isLate = ({ events }: Debate, phase: string, id: string): boolean =>
  events.some(
    ({ event }) =>
      isEvent(event, "roster-fixed") && event.data.phase === phase && !event.data.in.includes(id),
  );

function roundOf(
  debate: Debate,
  { round, standing }: { readonly round: number; readonly standing: ReadonlyMap<string, Standing> },
): DebateRound {
  const prefix = `round-${round}/`;
  const own = debate.events.filter(({ step }) => step.startsWith(prefix));
  const answers = (kind: "proposal" | "refinement") =>
    own.flatMap((one) =>
      isEvent(one.event, "answer-given") && one.event.data.kind === kind
        ? [{ ...contribution(debate, one, one.event.data), coverage: one.event.data.coverage ?? null }]
        : [],
    );
  const proposed = answers("proposal");
  // Of fresh proposals, who has none yet may still give one: only then does it stand on what it said before.
  const settled =
    debate.carries ||
    own.some(({ event }) => isEvent(event, "roster-fixed") && event.data.phase === `${prefix}proposal`);
  const carried = settled
    ? [...standing.values()].filter(({ by }) => !proposed.some((one) => one.by === by))
    : [];
  const confidence = confidenceIn(own);
  return {
    round,
    closed: own.some(({ event }) => isEvent(event, "round-closed")),
    confidence: confidence?.confidence ?? null,
    confidenceReason: confidence?.reason ?? null,
    summaries: summariesIn(debate, prefix),
    proposals: seated(debate, [
      ...proposed.map((one) => ({ ...one, carried: false })),
      ...carried.map((one) => ({ ...one, tokens: 0, usd: 0, latencyMs: 0, carried: true })),
    ]),
    critiques: seated(
      debate,
      seated(
        debate,
        own.flatMap((one) =>
          isEvent(one.event, "critique-given")
            ? [{ ...contribution(debate, one, one.event.data), of: authorOf(debate, one.event.data.of) }]
            : [],
        ),
        ({ of }) => of,
      ),
    ),
    refinements: seated(debate, answers("refinement")),
    tools: seated(
      debate,
      own
        .flatMap(({ step, event }) => {
          if (!isEvent(event, "tool-called")) return [];
          const { by, tool, arguments: given, result } = event.data;
          const [, during = "", nth = "0"] = /^(.*)\/tool-(\d+)$/.exec(step) ?? [];
          return [{ by, during, nth, tool, arguments: jsonText(given), result: jsonText(result) }];
        })
        .sort((a, b) =>
          a.during === b.during ? Number(a.nth) - Number(b.nth) : a.during < b.during ? -1 : 1,
        )
        .map(({ nth: _, ...call }) => call),
    ),
    ...costsOf(debate.calls.filter(({ step }) => step.startsWith(prefix)).map(({ call }) => call)),
  };
}

/** Who gave the answer that a step holds; of a step that is not there, the agent that its key names. */
function authorOf({ events, agents }: Debate, of: string): string {
  const answer = events.find(({ step, event }) => step === of && isEvent(event, "answer-given"));
  if (answer && isEvent(answer.event, "answer-given")) return answer.event.data.by;
  return agents.find(({ id }) => of.split("/").includes(id))?.id ?? of;
}

const Confidence = z.object({ confidence: z.number().min(0).max(100), reason: z.string() });

function confidenceIn(own: readonly Recorded[]): z.infer<typeof Confidence> | undefined {
  const note = own.findLast(
    ({ event }) => isEvent(event, "note-taken") && event.data.topic === "confidence",
  )?.event;
  return Confidence.safeParse(note && isEvent(note, "note-taken") ? note.data.body : undefined).data;
}

const jsonText = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
