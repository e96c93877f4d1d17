import {
  defineReactor,
  type NewDeliberation,
  type StepOutcome,
  type Protocol,
  type Reactor,
  type StepRunner,
} from "../../../src/engine/index.ts";
import {
  Json,
  type ParticipantId,
  StepKey,
  type Call,
  type CallOptions,
  type Respondent,
} from "../../../src/kernel/index.ts";
import { failureOf, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../../../src/testing/kit.ts";
import type { Stage } from "../../../src/testing/stage.ts";
import { shippedText } from "../templates.ts";

const templates = Object.fromEntries(
  ["judge-grade", "judge-preference"].flatMap((name) =>
    ["", "-prometheus"].map((form) => [`${name}${form}`, shippedText(`${name}${form}`)]),
  ),
);

export const RUBRIC = {
  name: "right",
  criteria: "Is it right?",
  anchors: { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." },
};

/** A judge (`sim/judge`) as settings pin it. */
export const JUDGE = {
  model: "sim/judge",
  temperature: 0,
  contextTokens: 4_096,
  maxOutputTokens: 512,
  timeoutMs: 30_000,
  form: "prometheus",
  rubric: RUBRIC,
};

/** As settings pin a critic without rules. */
export const CRITIC = { ...JUDGE, kind: "knowledge", rules: [] };

/** Asks ada, with a critic and a judge of pairs. */
export const respondAsked = (
  reactions: Readonly<Record<string, unknown>> = { critic: CRITIC, pairwise: JUDGE },
  changes: Partial<NewDeliberation> = {},
): NewDeliberation =>
  toyAsked("toy-respond", {
    participants: [toyParticipant("ada", "respondent"), toyParticipant("bob", "respondent-b")],
    templates,
    reactions: Object.fromEntries(Object.entries(reactions).map(([name, one]) => [name, Json.parse(one)])),
    ...changes,
  });

const answered =
  (by: ParticipantId, respondent: Respondent) =>
  (call: Call): StepOutcome<"answer-given" | "degradation-noted"> =>
    call.ok
      ? {
          type: "answer-given",
          data: { by, kind: "response", round: 1, text: call.reply, final: null, respondent },
        }
      : failureOf(by)(call.failure.code);

/** The first call's tools are answered by what they were asked; `lost` ones leave nothing on the journal. */
async function answer(
  run: StepRunner,
  by: NewDeliberation["participants"][number],
  respondent: Respondent,
): Promise<void> {
  const request = toyRequest(by, `answer as ${by.id}`);
  const ends = ["answer-given", "degradation-noted", "reply-received"] as const;
  const first = await run.call({ key: `answer/${by.id}`, outcomes: ends, request }, (call) =>
    call.ok && call.toolCalls
      ? { type: "reply-received", data: { by: by.id, why: "it calls tools" } }
      : answered(by.id, respondent)(call),
  );
  if (first.type !== "reply-received") return;
  const calls = first.data.call?.ok ? (first.data.call.toolCalls ?? []) : [];
  for (const { name, arguments: given, id } of calls.filter((one) => !one.id.startsWith("lost")))
    await run.effect(
      { key: `answer/${by.id}/${id}`, outcomes: ["tool-called"], input: { name, given } },
      () =>
        Promise.resolve({
          type: "tool-called",
          data: {
            by: by.id,
            tool: name,
            arguments: Json.parse(JSON.parse(given)),
            result: { of: name, found: given },
          },
        }),
    );
  const next = toyRequest(by, `answer as ${by.id}, with tools`);
  await run.call(
    { key: `answer/${by.id}/turn-2`, outcomes: ends, request: next },
    answered(by.id, respondent),
  );
}

/** One answer, as respondent A, of whoever has the seat `respondent`. */
export const responding: Protocol<Record<string, never>> = toyProtocol(
  async ({ run, seats }) => {
    const [ada] = seats("respondent");
    if (!ada) throw new RangeError("nobody responds");
    await answer(run, { ...ada, persona: { name: "ada", instructions: "" } }, "A");
    return { outcome: "answered", answer: StepKey.parse("answer/ada"), control: null };
  },
  { name: "toy-respond" },
);

/** A second answer, as respondent B, of whoever has the seat `respondent-b`. */
export const second: Reactor<"deliberation-opened"> = defineReactor({
  name: "second",
  on: ["deliberation-opened"],
  emits: ["answer-given", "degradation-noted", "reply-received", "tool-called"],
  async react({ data }, { run }) {
    const bob = data.participants.find(({ seat }) => seat === "respondent-b");
    if (bob) await answer(run, { ...bob, persona: { name: "bob", instructions: "" } }, "B");
  },
});

/** Makes the stage's models keep to the time that a call has, as real ones do; gives what every call was bounded by. */
export function punctual({ clock, models }: Stage): readonly Pick<CallOptions, "attempts" | "timeoutMs">[] {
  const bounds: Pick<CallOptions, "attempts" | "timeoutMs">[] = [];
  const { complete } = models;
  models.complete = async (request, options) => {
    const { attempts, signal, timeoutMs } = options;
    bounds.push({ attempts, timeoutMs });
    if (timeoutMs === undefined) return complete(request, options);
    const over = new AbortController();
    const own = new AbortController();
    const late = clock.sleep(timeoutMs, over.signal).then(() => own.abort());
    const call = await complete(request, { ...options, signal: AbortSignal.any([signal, own.signal]) });
    const timedOut = own.signal.aborted && !signal.aborted;
    over.abort();
    await late;
    return timedOut && !call.ok
      ? { ...call, failure: { code: "timed-out", message: `no reply within ${timeoutMs / 1_000} s` } }
      : call;
  };
  return bounds;
}
