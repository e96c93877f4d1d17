import {
  Cursor,
  DeliberationId,
  Digest,
  OrganizationId,
  ModelRef,
  ParticipantId,
  StepKey,
  decodeEntry,
  eventId,
  originKey,
  encodeEvent,
  type Call,
  type Entry,
  type NewEvent,
  type Opening,
  type Origin,
  type Participant,
} from "../../src/kernel/index.ts";

/** A made-up journal to try reports and screens on: nothing in it was said by a model. */
export type Sample = {
  readonly entries: readonly Entry[];
  /** Records another event after those there are, `afterMs` later, and gives its entry. */
  add(event: NewEvent, origin: Origin, afterMs?: number): Entry;
};

const DIGEST = Digest.parse("0".repeat(64));
const OPENED_AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const ID = DeliberationId.parse("Kx7sampleCouncil0001");

export const stepKey = (key: string): StepKey => StepKey.parse(key);
export const participantId = (id: string): ParticipantId => ParticipantId.parse(id);

export const sampleMember = (id: string, changes: Partial<Participant> = {}): Participant => ({
  id: participantId(id),
  seat: "member",
  persona: { name: id.charAt(0).toUpperCase() + id.slice(1), instructions: DIGEST },
  model: ModelRef.parse(`openai/gpt-of-${id}`),
  family: "openai",
  ...changes,
});

export const samplePanel: readonly Participant[] = [
  sampleMember("analyst"),
  sampleMember("builder", { model: ModelRef.parse("anthropic/claude-of-builder"), family: "anthropic" }),
  sampleMember("skeptic", { model: ModelRef.parse("compatible/house"), family: null }),
  sampleMember("chair", { seat: "chair" }),
];

export function sampleCall(reply: string, changes: Partial<Extract<Call, { ok: true }>> = {}): Call {
  return {
    ok: true,
    reply,
    finish: "stop",
    model: ModelRef.parse("openai/gpt-of-analyst"),
    family: "openai",
    tokens: { in: 1_000, out: 312, cached: null, reasoning: null },
    cost: { source: "table", usd: 0.0021 },
    latencyMs: 1_200,
    attempts: 1,
    ...changes,
  };
}

const failedCall = (message: string): Call => ({
  ok: false,
  failure: { code: "network", message },
  model: ModelRef.parse("compatible/house"),
  family: null,
  tokens: { in: null, out: null, cached: null, reasoning: null },
  cost: { source: "unknown", usd: null },
  latencyMs: 700,
  attempts: 3,
});

export const byStep = (key: string, ...after: readonly string[]): Origin => ({
  by: "protocol",
  step: stepKey(key),
  digest: DIGEST,
  after: after.map(stepKey),
});

export const adopted = (key: string, from: DeliberationId): Origin => ({
  by: "adopted",
  step: stepKey(key),
  digest: DIGEST,
  after: [],
  from,
});

/** A deliberation that has just been opened. */
export function opened(changes: Partial<Opening> = {}): Sample {
  const entries: Entry[] = [];
  let atMs = OPENED_AT_MS;
  const sample: Sample = {
    entries,
    add(event, origin, afterMs = 100) {
      atMs += entries.length === 0 ? 0 : afterMs;
      const seq = entries.length + 1;
      const key = originKey(origin);
      const entry = decodeEntry({
        ...encodeEvent(event),
        schema: 1, // as older versions recorded: what its steps are about is read from their keys
        id: eventId(ID, key, 0),
        deliberation: ID,
        seq,
        cursor: Cursor.parse(seq),
        at: new Date(atMs).toISOString(),
        origin: JSON.stringify(origin),
      });
      entries.push(entry);
      return entry;
    },
  };
  const data: Opening = {
    question: "What is 17 * 23?",
    context: [],
    protocol: { name: "council", version: 1 },
    settings: { mode: "consensus", strategy: { name: "balanced", sees: [] } },
    participants: [...samplePanel],
    templates: {},
    seed: "seed-7",
    budget: {},
    organization: OrganizationId.parse("local"),
    ...changes,
  };
  sample.add({ type: "deliberation-opened", data }, { by: "open", request: "sample" });
  return sample;
}

/** What the members, the reviewers and the chair of a sample say; hostile samples put their texts here. */
export type Said = {
  readonly draft?: string;
  readonly strength?: string;
  readonly answer?: string;
  readonly dissent?: string;
  readonly reason?: string;
};

export const draftGiven = (by: string, text: string, value: string | null = null): NewEvent => ({
  type: "answer-given",
  data: {
    by: participantId(by),
    kind: "draft",
    round: 1,
    text,
    final: value === null ? null : { kind: "number", value },
    call: sampleCall(text),
  },
});

/** One after the other, by seats, as if nobody raced: drafts, reviews by the first two, one review lost, a synthesis, a closing. */
export function degradedCouncil(said: Said = {}, changes: Partial<Opening> = {}): Sample {
  const sample = opened(changes);
  const draft = said.draft ?? "17 * 20 is 340 and 17 * 3 is 51.\n\n**Final answer: 391**";
  sample.add(draftGiven("analyst", draft, "391"), byStep("draft/analyst"), 1_200);
  sample.add(draftGiven("builder", "It is 391.", "391"), byStep("draft/builder"));
  sample.add(draftGiven("skeptic", "I get 381.", "381"), byStep("draft/skeptic"));
  const drafts = ["draft/analyst", "draft/builder", "draft/skeptic"];
  const all = ["analyst", "builder", "skeptic"].map(participantId);
  sample.add(
    { type: "roster-fixed", data: { phase: "draft", in: all, out: [] } },
    byStep("draft/roster", ...drafts),
  );
  sample.add(
    reviewGiven("analyst", ["draft/builder", "draft/skeptic"], said.strength),
    byStep("review/analyst", ...drafts),
  );
  sample.add(
    reviewGiven("builder", ["draft/analyst", "draft/skeptic"], said.strength),
    byStep("review/builder", ...drafts),
  );
  sample.add(
    {
      type: "degradation-noted",
      data: {
        what: "the review by Skeptic",
        why: "network: connection reset",
        weakens: "the standing and the chair lack one review",
        participant: participantId("skeptic"),
        call: failedCall("connection reset"),
      },
    },
    byStep("review/skeptic", ...drafts),
  );
  sample.add(
    {
      type: "standing-reached",
      data: {
        places: [
          place("analyst", { place: 1, score: 1, tiedWith: ["builder"] }),
          place("builder", { place: 1, score: 1, tiedWith: ["analyst"] }),
          place("skeptic", { place: 3, score: 0, tiedWith: [] }),
        ],
        borda: { analyst: 1, builder: 1, skeptic: 0 },
        agreement: 0.83,
        effectiveVotes: 2.4,
        excluded: [{ id: participantId("skeptic"), why: "network: connection reset" }],
      },
    },
    byStep("standing", "review/analyst", "review/builder", "review/skeptic"),
  );
  sample.add(synthesisGiven(said), byStep("synthesis/chair", "standing"), 2_000);
  sample.add(
    {
      type: "deliberation-closed",
      data: {
        outcome: "answered-degraded",
        answer: stepKey("synthesis/chair"),
        control: {
          kind: "draft-majority",
          step: stepKey("draft/analyst"),
          answer: { kind: "number", value: "391" },
          agrees: true,
        },
      },
    },
    { by: "close", after: [stepKey("synthesis/chair")] },
  );
  return sample;
}

const reviewGiven = (by: string, shown: readonly string[], strength = "short and right"): NewEvent => ({
  type: "review-given",
  data: {
    by: participantId(by),
    shown: shown.map(stepKey),
    remarks: shown.map((of) => ({ of: stepKey(of), strengths: [strength], weaknesses: [] })),
    ranking: { ok: true, steps: shown.map(stepKey) },
    call: sampleCall("{}", { tokens: { in: 2_000, out: 150, cached: 500, reasoning: null } }),
  },
});

const place = (
  id: string,
  {
    tiedWith,
    ...rest
  }: { readonly place: number; readonly score: number; readonly tiedWith: readonly string[] },
) => ({
  id: participantId(id),
  low: null,
  high: null,
  votes: 2,
  tiedWith: tiedWith.map(participantId),
  ...rest,
});

const synthesisGiven = ({ answer, dissent, reason }: Said): NewEvent => ({
  type: "synthesis-given",
  data: {
    by: participantId("chair"),
    text: answer ?? "## The product\n\nIt is **391**, as two of the three found.",
    final: { kind: "number", value: "391" },
    strategy: "balanced",
    dissent: [dissent ?? "One draft has 381: a slip in the tens."],
    insights: ["Splitting 23 into 20 and 3 makes it checkable."],
    vetoed: [{ id: participantId("skeptic"), flaw: "340 + 51 is not 381" }],
    claims: {
      ok: true,
      contributors: [
        { id: participantId("analyst"), weight: 0.6, reason: reason ?? "the working" },
        { id: participantId("builder"), weight: 0.4, reason: "the check" },
      ],
    },
    call: sampleCall("the reply", { latencyMs: 2_000 }),
  },
});
