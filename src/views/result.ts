import * as z from "zod";
import {
  Assessment,
  defineProjection,
  fold,
  isEvent,
  isVoice,
  timeOf,
  workOf,
  type Answer,
  type Control,
  type Entry,
  type Event,
  type Opening,
  type Participant,
  type Stance,
  type StepKey,
} from "../kernel/index.ts";
import { traceSentences } from "../text/trace.ts";
import { vote } from "../stats/vote.ts";
import { withheldIn } from "./contribution-grounds.ts";
import { criticalPathMs } from "./critical-path.ts";
import { GivenGrade, gradeOf } from "./given-answer.ts";
import { ladder } from "./ladder.ts";
import { isSimulated } from "./simulated.ts";
import { spending } from "./spending.ts";

const stance = z.strictObject({ claim: z.string(), members: z.array(z.string()) });

const nullable = { text: z.string().nullable(), number: z.number().nullable() };

/** What `--json` prints: one deliberation's outcome, whole. Published as `schemas/result.schema.json`. */
export const Result = z.strictObject({
  id: z.string(),
  protocol: z.string(),
  /** A closing's outcome (`answered`, `answered-degraded`, `failed`, `cancelled`, `stopped-by-budget`, `inconclusive`) or `open`. */
  status: z.string(),
  /** Whether any part of it was said by a simulated model. */
  simulated: z.boolean(),
  question: z.string(),
  answer: nullable.text,
  /** The short definite answer, where one could be extracted. */
  finalAnswer: nullable.text,
  mode: nullable.text,
  strategy: nullable.text,
  /** Everything that is missing or was cut, and why; the reader sees it above the answer. */
  degraded: z.array(z.strictObject({ what: z.string(), why: z.string() })),
  members: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      model: z.string(),
      family: nullable.text,
      answer: nullable.text,
      finalAnswer: nullable.text,
    }),
  ),
  /** Best first; `score` 0 to 1, higher is better; `low` and `high` its 95 % interval, null below 4 rankings or where all place it alike. */
  standing: z.array(
    z.strictObject({
      id: z.string(),
      place: z.int(),
      score: nullable.number,
      low: nullable.number,
      high: nullable.number,
      tiedWith: z.array(z.string()),
    }),
  ),
  /** Agreement among the rankings, Kendall's W, 0 to 1: agreement, not probability. */
  agreement: nullable.number,
  effectiveVotes: nullable.number,
  /** What not deliberating would have answered; `agrees` null where the two cannot be compared. */
  control: z
    .strictObject({
      kind: z.enum(["draft-majority", "best-draft"]),
      /** Whose draft says it, by id. */
      by: nullable.text,
      /** The short final answer, or the whole draft where it has none. */
      answer: nullable.text,
      agrees: z.boolean().nullable(),
      /** The share, 0 to 1, of the answer's content that stands in the control's draft (`traceSentences`): 1 where it is that draft. */
      overlap: nullable.number,
    })
    .nullable(),
  /** How members voted by their final answers, at first and at last, by id; most votes first, empty where none could be compared. */
  votes: z.array(
    z.strictObject({ answer: z.string(), first: z.array(z.string()), last: z.array(z.string()) }),
  ),
  /** The rungs that were climbed, each with what it came to and what it took; empty for a protocol that climbs none. */
  ladder: z.array(
    z.strictObject({
      rung: z.string(),
      reason: nullable.text,
      calls: z.int(),
      tokens: z.strictObject({ in: nullable.number, out: nullable.number }),
      usd: nullable.number,
    }),
  ),
  /** What the drafts agree on, contradict each other in, and say alone, by members' ids; null where nobody compared them. */
  comparison: z
    .strictObject({
      agreements: z.array(stance),
      contradictions: z.array(z.strictObject({ topic: z.string(), stances: z.array(stance) })),
      unique: z.array(stance),
    })
    .nullable(),
  /** Of a debate; else null. */
  debate: z
    .strictObject({
      /** That were closed. */
      rounds: z.int(),
      /** Proposals and refinements that do not say how they cover the requirements. */
      withoutCoverage: z.int(),
      /** The judge's own word on its solution; null where there is none. */
      assessment: Assessment.nullable(),
    })
    .nullable(),
  dissent: z.array(z.string()),
  insights: z.array(z.string()),
  vetoed: z.array(z.strictObject({ id: z.string(), flaw: z.string() })),
  contributions: z.strictObject({
    /** The chair's own account. */
    claimed: z.array(z.strictObject({ id: z.string(), weight: z.number(), reason: z.string() })),
    /** As `parley contributions` last measured it, by method. */
    measured: z.array(z.strictObject({ id: z.string(), weight: z.number(), method: z.string() })),
  }),
  /** `Synthesized from inputs by: …`, by claimed weight; null when the claim could not be read. */
  footer: nullable.text,
  /** What the critic made of the answer; null where nobody has graded it (yet). */
  grade: GivenGrade.nullable(),
  /** What memory gave for the answer: null where it was not asked. */
  recalled: z.strictObject({ engrams: z.int(), facts: z.int(), how: z.string() }).nullable(),
  /** The deliberation that this one follows in a conversation. */
  previous: nullable.text,
  /** Model calls that this deliberation made itself; what a fork adopted is not counted. */
  calls: z.int(),
  tokens: z.strictObject({ in: nullable.number, out: nullable.number, cached: nullable.number }),
  /** US dollars; null when the price of any call is unknown. */
  cost: z.strictObject({ usd: nullable.number, source: z.string() }),
  /** From opening to closing, pauses included; null while it is open. */
  wallMs: nullable.number,
  /** The longest chain of calls that had to wait for each other, by their recorded latencies. */
  criticalPathMs: z.number(),
});
export type Result = z.infer<typeof Result>;

type State = {
  readonly opened: Event<"deliberation-opened"> | undefined;
  readonly answers: ReadonlyMap<StepKey, Event<"answer-given"> | Event<"synthesis-given">>;
  readonly standing: Event<"standing-reached"> | undefined;
  readonly comparison: Event<"comparison-given"> | undefined;
  readonly degraded: Result["degraded"];
  readonly measured: Result["contributions"]["measured"];
  readonly rounds: number;
  readonly closed: Event<"deliberation-closed"> | undefined;
};

const gathered = defineProjection<State>({
  name: "result",
  initial: {
    opened: undefined,
    answers: new Map(),
    standing: undefined,
    comparison: undefined,
    degraded: [],
    measured: [],
    rounds: 0,
    closed: undefined,
  },
  on: {
    "deliberation-opened": (state, opened) => ({ ...state, opened }),
    "answer-given": (state, event) => ({ ...withCut(state, event), answers: withStep(state, event) }),
    "synthesis-given": (state, event) => ({ ...withCut(state, event), answers: withStep(state, event) }),
    "round-closed": (state) => ({ ...state, rounds: state.rounds + 1 }),
    "standing-reached": (state, standing) => ({ ...state, standing }),
    "comparison-given": (state, comparison) => ({ ...state, comparison }),
    "degradation-noted": (state, { data }) => ({
      ...state,
      degraded: [...state.degraded, { what: data.what, why: data.why }],
    }),
    "review-given": (state, { data }) =>
      data.ranking.ok
        ? state
        : {
            ...state,
            degraded: [
              ...state.degraded,
              { what: `the ranking by ${data.by}`, why: `unreadable: ${data.ranking.reason}` },
            ],
          },
    "roster-fixed": (state, event) => ({ ...state, degraded: [...state.degraded, ...leftOut(event)] }),
    // Measured again by a method, what it says now holds.
    "contribution-measured": (state, { data: { method, contributions } }) => ({
      ...state,
      measured: [
        ...state.measured.filter((one) => one.method !== method),
        ...contributions.map((one) => ({ ...one, method })),
      ],
    }),
    "deliberation-closed": (state, closed) => ({ ...state, closed }),
  },
});

/** The outcome of one deliberation, from all its entries in order; undefined for none. */
export function resultOf(entries: readonly Entry[]): Result | undefined {
  // Reactions are no part of an answer: what a second respondent says, or fails to say, changes nothing here. What is measured of it is.
  const state = fold(
    gathered,
    entries.filter(({ origin, type }) => origin.by !== "reactor" || type === "contribution-measured"),
  );
  const { opened, closed, standing } = state;
  if (!opened) return undefined;
  const { data } = opened;
  const closing = closed?.data;
  const ended = closing && "answer" in closing ? closing : closing && "best" in closing ? closing.best : null;
  const answer = ended ? state.answers.get(ended.answer) : undefined;
  const synthesis = answer?.type === "synthesis-given" ? answer.data : undefined;
  const claims = synthesis?.claims?.ok ? synthesis.claims.contributors : [];
  const members = data.participants.filter(isVoice);
  return {
    id: opened.deliberation,
    protocol: data.protocol.name,
    status: closing?.outcome ?? "open",
    simulated: isSimulated(entries),
    question: data.question,
    answer: answer?.data.text ?? null,
    finalAnswer: valueOf(answer?.data.final),
    mode: textSetting(data.settings["mode"]),
    strategy: synthesis?.strategy ?? null,
    degraded: [
      ...(closing && "why" in closing ? [{ what: closing.outcome, why: closing.why }] : []),
      ...withheldFrom(data, members),
      ...state.degraded,
    ],
    members: members.map((member) => memberRow(member, state.answers)),
    standing: (standing?.data.places ?? []).map(({ id, place, score, low, high, tiedWith }) => ({
      id,
      place,
      score,
      low,
      high,
      tiedWith,
    })),
    agreement: standing?.data.agreement ?? null,
    effectiveVotes: standing?.data.effectiveVotes ?? null,
    control: ended?.control ? controlRow(ended.control, ended.answer, state) : null,
    votes: votesOf(members, state.answers),
    ladder: ladder(entries).map(({ rung, reason, spent: { calls, tokens, cost } }) => ({
      rung,
      reason,
      calls,
      tokens: { in: tokens.in, out: tokens.out },
      usd: cost.usd,
    })),
    comparison: state.comparison ? comparisonRow(state.comparison.data, state) : null,
    debate: state.rounds === 0 ? null : debateRow(state, synthesis),
    dissent: [...(synthesis?.dissent ?? [])],
    insights: [...(synthesis?.insights ?? [])],
    vetoed: (synthesis?.vetoed ?? []).map(({ id, flaw }) => ({ id, flaw })),
    contributions: {
      claimed: claims.map(({ id, weight, reason }) => ({ id, weight, reason })),
      measured: [...state.measured],
    },
    footer: footerOf(claims, members),
    grade: gradeOf(entries, answer?.id),
    recalled: recalledBy(entries),
    previous: data.previous ?? null,
    ...spending(entries).total,
    wallMs: closed ? timeOf(closed) - timeOf(opened) : null,
    criticalPathMs: criticalPathMs(entries),
  };
}

/** What the answer's own recall brought. */
function recalledBy(entries: readonly Entry[]): Result["recalled"] {
  const recall = entries.find((entry) => isEvent(entry, "engrams-recalled") && entry.origin.by !== "reactor");
  if (!recall || !isEvent(recall, "engrams-recalled")) return null;
  const { engrams, facts, how } = recall.data;
  return { engrams: engrams.length, facts: facts.length, how };
}

function debateRow(
  { rounds, answers }: State,
  synthesis: Event<"synthesis-given">["data"] | undefined,
): NonNullable<Result["debate"]> {
  const given = [...answers.values()];
  const bare = given.filter((event) => event.type === "answer-given" && event.data.coverage === false);
  return { rounds, withoutCoverage: bare.length, assessment: synthesis?.assessment ?? null };
}

function memberRow(member: Participant, answers: State["answers"]): Result["members"][number] {
  const own = [...answers.values()].findLast(
    (event) => event.type === "answer-given" && event.data.by === member.id,
  );
  return {
    id: member.id,
    name: member.persona.name,
    model: member.model,
    family: member.family,
    answer: own?.data.text ?? null,
    finalAnswer: valueOf(own?.data.final),
  };
}

function controlRow(control: Control, answer: StepKey, state: State): NonNullable<Result["control"]> {
  const { kind, step, agrees } = control;
  const [text, draft] = [answer, step].map((one) => state.answers.get(one)?.data.text);
  const share = (whole: string, part: string) =>
    Math.min(1, traceSentences(whole, [{ id: step, text: part }]).share[step] ?? 0);
  const overlap = answer === step ? 1 : text === undefined || draft === undefined ? null : share(text, draft);
  const by = state.answers.get(step)?.data.by ?? null;
  return { kind, by, answer: controlText(control, state), agrees, overlap };
}

/** Whose drafts a fork kept from the chair, so that nobody takes what it wrote for the whole deliberation's answer. */
const withheldFrom = (opening: Opening, members: readonly Participant[]): Result["degraded"] =>
  members
    .filter(({ id }) => withheldIn(opening)?.includes(id))
    .map(({ persona }) => ({
      what: `the draft of ${persona.name}`,
      why: `withheld from the chair, to measure its contribution to ${opening.parent?.id ?? "the answer"}`,
    }));

/** How the members' drafts, and what they hold now, fall into groups. */
function votesOf(members: readonly Participant[], answers: State["answers"]): Result["votes"] {
  const given = [...answers.values()].flatMap((event) => (event.type === "answer-given" ? [event.data] : []));
  const voters = members.flatMap(({ id }) => {
    const own = given.filter(({ by }) => by === id);
    return own.length > 0 ? [{ id, first: own[0]?.final ?? null, last: own.at(-1)?.final ?? null }] : [];
  });
  return vote(voters).groups.map(({ answer, first, last }) => ({ answer: answer.value, first, last }));
}

function comparisonRow(
  { agreements, contradictions, unique }: Event<"comparison-given">["data"],
  { answers }: State,
): NonNullable<Result["comparison"]> {
  const row = ({ claim, of }: Stance) => ({
    claim,
    members: of.flatMap((step) => answers.get(step)?.data.by ?? []),
  });
  return {
    agreements: agreements.map(row),
    contradictions: contradictions.map(({ topic, stances }) => ({ topic, stances: stances.map(row) })),
    unique: unique.map(row),
  };
}

/** A control's answer in words: what was extracted, else the draft itself. */
const controlText = (
  control: { readonly answer: Answer | null; readonly step: StepKey },
  { answers }: State,
): string | null => control.answer?.value ?? answers.get(control.step)?.data.text ?? null;

function footerOf(
  claims: Result["contributions"]["claimed"],
  members: readonly Participant[],
): string | null {
  const names = [...claims]
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ id }) => members.find((member) => member.id === id)?.persona.name ?? id);
  return names.length > 0 ? `Synthesized from inputs by: ${names.join(", ")}` : null;
}

const withStep = (state: State, event: Event<"answer-given"> | Event<"synthesis-given">): State["answers"] =>
  "step" in event.origin ? new Map(state.answers).set(event.origin.step, event) : state.answers;

/** A reply that ran into its limit is used, but never silently. */
function withCut(state: State, { data }: Event<"answer-given"> | Event<"synthesis-given">): State {
  if (!data.call?.ok || data.call.finish !== "length") return state;
  const why = `cut off at its limit${data.call.tokens.out === null ? "" : ` of ${data.call.tokens.out} tokens`}`;
  return { ...state, degraded: [...state.degraded, { what: `the text by ${data.by}`, why }] };
}

/** Those whom no event of their own says to be missing: stragglers, and those for whom the budget did not reach. */
function leftOut(event: Event<"roster-fixed">): Result["degraded"] {
  const work = workOf(event);
  if (work?.kind !== "admission") return [];
  const when = work.round === undefined ? "" : ` in round ${work.round}`;
  return event.data.out.map(({ id, why }) => ({ what: `${work.of ?? "part"} by ${id}${when}`, why }));
}

const valueOf = (answer: Answer | null | undefined): string | null => answer?.value ?? null;

const textSetting = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Whether these entries have come to an end. */
export const isClosed = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => isEvent(entry, "deliberation-closed"));
