import {
  Fault,
  isEvent,
  seatRequest,
  StepKey,
  timeOf,
  type Call,
  type Entry,
  type Event,
  type ModelRequest,
  type NewEvent,
  type Origin,
  UserId,
} from "../kernel/index.ts";
import { clientEntry, nextClientEntry } from "./client-entry.ts";
import { Halt, linkAbort } from "./halt.ts";
import { readCall, rereadCall } from "./paid-call.ts";
import type { CallSpec, ReadReply, ReplyEventType, WorkSpec } from "./run.ts";
import type { StepsContext, StepWork } from "./steps-context.ts";

// SEAT-2. A seat has one record under its client request: the first answer, or that none came in time, or that none will come. Else: a
//     person's answer is replaced, or counts twice.
// A seat's time counts from the event that opened it, in whichever process; a drive's own time limit is none of a person's.
// SEAT-4. An answer to one prompt is never used for another: a fork asks again for a step that its parent has not recorded. Else: a person
//     is on record with an answer to a question never shown.

/** The step that records that a person's step waits. */
export const seatOpening = ({ key, work, request }: CallSpec<ReplyEventType>): WorkSpec<"seat-opened"> => ({
  key: `${key}/seat`,
  outcomes: ["seat-opened"],
  input: { request },
  work: { ...work, kind: "seat", of: work?.kind ?? "answer" },
});

export const openedSeat = (key: string, person: string, limitMs: number | undefined): NewEvent => ({
  type: "seat-opened",
  data: { step: StepKey.parse(key), person: UserId.parse(person), limitMs: limitMs ?? null },
});

type SeatedStep<T extends ReplyEventType> = {
  readonly spec: CallSpec<T>;
  readonly read: ReadReply<T>;
  readonly opened: Event<"seat-opened">;
};

/** How a person's step is made, replayed and looked at. */
export function seatWork<T extends ReplyEventType>(
  context: SeatWait,
  { spec, read, opened }: SeatedStep<T>,
): StepWork {
  const { request } = spec;
  return {
    adopt: true,
    async produce(signal) {
      const entry = await seatEntry(context, opened, signal);
      return { events: [readCall(spec, seatCall(request, entry), read)] };
    },
    again: (past) => rereadCall(spec, past, read),
    seat: { request, read: (text) => readCall(spec, answeredCall(request.model, text), read) },
  };
}

type SeatWait = Pick<StepsContext, "history" | "watch" | "world"> & {
  record(events: readonly NewEvent[], origin: Origin): Promise<readonly Entry[]>;
};

/**
 * Waits for a person's answer, or until the seat's time is up, which it records. Meanwhile the step does not count as
 * running, so that a drive with nothing else to do ends as `waiting`.
 */
async function seatEntry(
  { history, watch, world, record }: SeatWait,
  { data: { step, person, limitMs }, ...opened }: Event<"seat-opened">,
  signal: AbortSignal,
): Promise<Entry> {
  const request = seatRequest(step);
  const endsAt = timeOf(opened) + (limitMs ?? Infinity);
  const wait = linkAbort(signal);
  watch.ended();
  try {
    for (;;) {
      const entry = clientEntry({ history, watch }, request);
      if (entry) return entry;
      const leftMs = endsAt - world.now();
      if (leftMs <= 0) break;
      const answered = nextClientEntry({ history, watch }, wait.signal, request);
      await (Number.isFinite(leftMs) ? Promise.race([answered, world.sleep(leftMs, wait.signal)]) : answered);
      signal.throwIfAborted();
    }
  } finally {
    watch.started();
    wait.abort(new Halt("interrupted"));
    wait.release();
  }
  const why = `${person} did not answer within ${describeLimit(limitMs ?? 0)}`;
  const [first] = await record([{ type: "seat-expired", data: { step, person, why } }], {
    by: "client",
    request,
  });
  if (!first) throw new Fault("event-invalid", { type: "seat-expired", why: "a recorded batch is empty" });
  return first;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  ["millisecond", 1],
] as const;

function describeLimit(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms % one === 0) ?? UNITS[4];
  return `${ms / size} ${unit}${ms === size ? "" : "s"}`;
}

/** A seat's record in place of a model's call. @throws Fault `event-invalid` for another client's event */
function seatCall({ model }: ModelRequest, entry: Entry): Call {
  if (isEvent(entry, "seat-answered")) return answeredCall(model, entry.data.text);
  if (isEvent(entry, "seat-expired")) {
    const { why: message, abstained } = entry.data;
    const code = abstained ? "refused" : "timed-out";
    return { ok: false, failure: { code, message }, ...nothingSpent(model) };
  }
  throw new Fault("event-invalid", { type: entry.type, why: "it does not answer a seat" });
}

const answeredCall = (model: ModelRequest["model"], reply: string): Call => ({
  ok: true,
  reply,
  finish: "stop",
  ...nothingSpent(model),
});

const nothingSpent = (model: ModelRequest["model"]) => ({
  model,
  family: null,
  tokens: { in: 0, out: 0, cached: null, reasoning: null },
  cost: { source: "free" as const, usd: 0 },
  latencyMs: 0,
  attempts: 0,
});
