import { parseEvent } from "./event.ts";
import type { Cap } from "./model.ts";
import { Origin, type Work } from "./origin.ts";

// Only this file reads the step keys, note topics and English texts of schema 1 as fields and events of schema 2.
// UPCAST-2. An upcast event equals the event that today's code makes of the same call or input, so that replays match. Else: runs of
//     earlier builds no longer replay, and a fork pays for them again.
// UPCAST-3. An event that fits no rule stays as it was recorded, such as another protocol's note. Else: recorded data is changed.

/** A stored event: `data` is parsed JSON, but not validated. */
export type RecordedData = { readonly type: string; readonly data: unknown; readonly origin: Origin };

/** Converts an event of schema 1 to schema 2. */
export function upcast({ type, data, origin }: RecordedData): RecordedData {
  const work = "step" in origin ? workIn(origin.step, type, data) : undefined;
  const event =
    type === "note-taken" ? noteAsEvent(data, work, origin.by) : { type, data: inNewWords(type, data) };
  const named = Origin.safeParse({ ...origin, work }); // UPCAST-3: an invalid round gives no work
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

/** Step keys of a phase's decisions about who takes part. */
const ROSTERS: readonly Rule[] = [
  [/^clarify-(\d{1,6})\/roster$/, (nth) => workOf("roster", { nth, of: "clarification" })],
  [/^(?:round-(\d{1,6})\/)?([a-z]+)\/roster$/, (round, of) => workOf("roster", { round, of })],
  [/^(?:round-(\d{1,6})\/)?([a-z]+)\/admitted$/, (round, of) => workOf("admission", { round, of })],
  [/^round-(\d{1,6})\/reached$/, (round) => workOf("affordability", { round, of: "revision" })],
  [/^([a-z]+)\/reached$/, (of) => workOf("affordability", { of })],
];

/** All other step keys; the first match wins. */
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

/** Reads a step's work from its key. The event type tells a roster's key from the key of a participant named "roster". */
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

/** The number of a tool call or a repetition; a repeated request counts from 2. */
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

const failedEvent = ({ topic, reason, body, call }: OldNote) => ({
  type: "reaction-failed",
  data: { code: topic, why: reason, detail: body, ...withCall(call) },
});

/** Notes that are events in schema 2, by topic: the work or origin that recorded the note, and the conversion. */
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
  "reaction-failed": ["reactor", failedEvent],
  "no-second-answer": ["reactor", failedEvent],
  "preference-unreadable": ["reactor", failedEvent],
  "not-remembered": ["reactor", failedEvent],
  "annotation-lapsed": ["reactor", failedEvent],
};

function noteAsEvent(data: unknown, work: Work | undefined, by: Origin["by"]): Omit<RecordedData, "origin"> {
  const kept = { type: "note-taken", data: inNewWords("note-taken", data) };
  const note = NOTES[textIn(data, "topic") ?? ""];
  if (note === undefined || (note[0] !== work?.kind && note[0] !== by)) return kept;
  // The note's shape is assumed here; the resulting event is validated below.
  const event = note[1](kept.data as OldNote, work?.by);
  try {
    return parseEvent(event);
  } catch {
    return kept; // UPCAST-3
  }
}

/** What schema 1 recorded as the claims of a debate's judge, whose prompt does not ask for claims. */
const UNASKED = "the judge of a debate is not asked who contributed";

/** Adds the cap that the English text names, and removes claims that the prompt did not ask for. */
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

/** The engine's texts of schema 1 for an exceeded cap. */
const PASSED: readonly (readonly [words: RegExp, cap: Cap])[] = [
  [/\bcap of \$|money is capped/, "usd"],
  [/\bcap of [\d,]+ tokens/, "tokens"],
  [/\bcap of [\d,]+ calls/, "calls"],
  [/\btime (?:of \d+ ms )?is up/, "time"],
];

/** Adds the cap that the text names first. */
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
