import { parseEvent } from "./event.ts";
import type { Cap } from "./model.ts";
import { Origin, type Work } from "./origin.ts";

// UPCAST-1. What schema 1 said in step keys, note topics and English is read as what schema 2 records: here, nowhere else.
// UPCAST-2. An upcast event equals what today's code makes of the same call or input, so that replays compare equal.
// UPCAST-3. What does not fit stays as it was recorded: another protocol's note is its own.

/** An event as it lies in a store: `data` has been parsed as JSON, and not checked. */
export type RecordedData = { readonly type: string; readonly data: unknown; readonly origin: Origin };

/** An event of schema 1 in the words of schema 2. */
export function upcast({ type, data, origin }: RecordedData): RecordedData {
  const work = "step" in origin ? workIn(origin.step, type, data) : undefined;
  const event =
    type === "note-taken" ? noteAsEvent(data, work, origin.by) : { type, data: inNewWords(type, data) };
  const named = Origin.safeParse({ ...origin, work }); // UPCAST-3: a round of no number is none
  return { ...event, origin: work && named.success ? named.data : origin };
}

type Group = string | undefined;
type Rule = readonly [key: RegExp, work: (...groups: readonly Group[]) => Work];

const ID = "([A-Za-z0-9._-]+)";

const workOf = (kind: Group, { round, nth, by, of }: { readonly [part: string]: Group }): Work => ({
  kind: kind ?? "",
  ...(round === undefined ? {} : { round: Number(round) }),
  ...(nth === undefined ? {} : { nth: Number(nth) }),
  ...(by === undefined ? {} : { by }),
  ...(of === undefined ? {} : { of }),
});

/** Keys of what a phase decided about who takes part. */
const ROSTERS: readonly Rule[] = [
  [/^clarify-(\d{1,6})\/roster$/, (nth) => workOf("roster", { nth, of: "clarification" })],
  [/^(?:round-(\d{1,6})\/)?([a-z]+)\/roster$/, (round, of) => workOf("roster", { round, of })],
  [/^(?:round-(\d{1,6})\/)?([a-z]+)\/admitted$/, (round, of) => workOf("admission", { round, of })],
  [/^round-(\d{1,6})\/reached$/, (round) => workOf("affordability", { round, of: "revision" })],
  [/^([a-z]+)\/reached$/, (of) => workOf("affordability", { of })],
];

/** All other keys; the first that fits. */
const STEPS: readonly Rule[] = [
  [/^round-(\d{1,6})\/closed$/, (round) => workOf("round", { round })],
  [/^round-(\d{1,6})\/(convergence|confidence)$/, (round, kind) => workOf(kind, { round })],
  [
    new RegExp(`^round-(\\d{1,6})/(proposal|critique|refinement)/${ID}(?:/of/${ID})?/summary(?:/.*)?$`),
    (round, of, by) => workOf("summary", { round, by, of }),
  ],
  [
    new RegExp(
      `^round-(\\d{1,6})/(proposal|critique|refinement|revision|summary)/${ID}(?:/of/${ID})?(?:/.*)?$`,
    ),
    (round, kind, ...[by, of]) => workOf(kind, { round, by, of }),
  ],
  [new RegExp(`^clarify-(\\d{1,6})/${ID}$`), (nth, by) => workOf("clarification", { nth, by })],
  [/^judge\/summary(?:\/.*)?$/, () => workOf("summary", {})],
  [/^ladder\/([a-z]+)(?:-\d+)?$/, (of) => workOf("decision", { of })],
  [
    new RegExp(`^(draft|review|synthesis|comparison|evaluation|answer|recall)/${ID}(?:/.*)?$`),
    (kind, by) => workOf(kind, { by }),
  ],
  [/^(requirements|standing)$/, (kind) => workOf(kind, {})],
  [/^(?:evaluated|judged)$/, () => workOf("tally", {})],
  [
    /^([a-z0-9-]+)\/(order-1|order-2|grade|preference)(?:\/repeat-\d+)?(?:\/again-\d+)?$/,
    (of, kind) => workOf(kind, { of }),
  ],
];

/** What a step of schema 1 was about, by its key; a participant may be named as a roster's key ends. */
function workIn(step: string, type: string, data: unknown): Work | undefined {
  for (const [key, read] of type === "roster-fixed" ? ROSTERS : STEPS) {
    const match = key.exec(step);
    if (!match) continue;
    const work = read(...match.slice(1));
    const by =
      work.kind === "summary" ? (work.by ?? textIn(data, "for") ?? textIn(data, "participant")) : undefined;
    const nth = nthIn(step);
    return { ...work, ...(by === undefined ? {} : { by }), ...(nth === undefined ? {} : { nth }) };
  }
  return undefined;
}

/** Which of several alike: a tool's call or a repetition by its number; what is asked again counts from 2. */
function nthIn(step: string): number | undefined {
  const [, number] = /\/(?:tool|repeat)-(\d+)(?:\/again-\d+)?$/.exec(step) ?? [];
  const [, again] = /\/again-(\d+)$/.exec(step) ?? [];
  if (number !== undefined) return Number(number);
  return again === undefined ? (step.endsWith("/repair") ? 2 : undefined) : Number(again) + 1;
}

type OldNote = {
  readonly topic: string;
  readonly reason: string;
  readonly body: object;
  readonly call?: unknown;
};

const failed = ({ topic, reason, body, call }: OldNote) => ({
  type: "reaction-failed",
  data: { code: topic, why: reason, detail: body, ...withCall(call) },
});

/** The notes that became events, by topic: where they stood, and how they are said now. */
const NOTES: {
  readonly [topic: string]:
    | readonly [from: string, (note: OldNote, by: Group) => { readonly type: string; readonly data: object }]
    | undefined;
} = {
  ladder: ["decision", ({ reason, body }) => ({ type: "rung-decided", data: { ...body, reason } })],
  requirements: ["requirements", ({ body }) => ({ type: "requirements-read", data: body })],
  confidence: [
    "confidence",
    ({ body, call }) => ({ type: "confidence-given", data: { ...body, ...withCall(call) } }),
  ],
  evaluation: [
    "evaluation",
    ({ body, call }, by) => ({ type: "evaluation-given", data: { by, ...body, ...withCall(call) } }),
  ],
  "own-turns": ["reactor", ({ body }) => ({ type: "turns-chosen", data: { answers: body } })],
  "reaction-failed": ["reactor", failed],
  "no-second-answer": ["reactor", failed],
  "preference-unreadable": ["reactor", failed],
  "not-remembered": ["reactor", failed],
  "annotation-lapsed": ["reactor", failed],
};

function noteAsEvent(data: unknown, work: Work | undefined, by: Origin["by"]): Omit<RecordedData, "origin"> {
  const kept = { type: "note-taken", data: inNewWords("note-taken", data) };
  const note = NOTES[textIn(data, "topic") ?? ""];
  if (note === undefined || (note[0] !== work?.kind && note[0] !== by)) return kept;
  // A note of schema 1, as far as its parts are looked at; what comes of it is checked.
  const event = note[1](kept.data as OldNote, work?.by);
  try {
    return parseEvent(event);
  } catch {
    return kept; // UPCAST-3
  }
}

/** The words of a debate's judge, who was never asked for claims. */
const UNASKED = "the judge of a debate is not asked who contributed";

/** An event's data with the cap that its English names, and without claims that nobody was asked for. */
function inNewWords(type: string, data: unknown): unknown {
  if (!isObject(data)) return data;
  const { call, claims } = data;
  if (type === "deliberation-closed" && data["outcome"] === "stopped-by-budget") return withCap(data, "why");
  if (type === "synthesis-given" && isObject(claims) && claims["reason"] === UNASKED) {
    const { claims: _unasked, ...rest } = data;
    return inNewWords(type, rest);
  }
  if (!isObject(call) || !isObject(call["failure"]) || call["failure"]["code"] !== "over-budget") return data;
  return { ...data, call: { ...call, failure: withCap(call["failure"], "message") } };
}

/** How the engine said that a cap was passed. */
const PASSED: readonly (readonly [words: RegExp, cap: Cap])[] = [
  [/\bcap of \$|money is capped/, "usd"],
  [/\bcap of [\d,]+ tokens/, "tokens"],
  [/\bcap of [\d,]+ calls/, "calls"],
  [/\btime (?:of \d+ ms )?is up/, "time"],
];

/** With the cap that the text names first. */
function withCap(data: object, key: string): object {
  const text = textIn(data, key) ?? "";
  const [first] = PASSED.map(([words, cap]) => ({ at: text.search(words), cap }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  return first ? { ...data, cap: first.cap } : data;
}

const withCall = (call: unknown): object => (call === undefined ? {} : { call });

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textIn(data: unknown, key: string): string | undefined {
  const value = isObject(data) ? data[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
