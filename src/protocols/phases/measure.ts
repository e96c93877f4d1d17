import {
  phase,
  type DryReply,
  type PhaseWork,
  type ProtocolContext,
  type ReplyEventType,
  type StepRunner,
  fanOut,
  findById,
} from "../../engine/index.ts";
import type { CallSpec, ReadReply } from "../../engine/run.ts";
import {
  StepKey,
  type Closing,
  type Event,
  type Failure,
  type Json,
  type Participant,
  type Work,
} from "../../kernel/index.ts";
import { stoppedByBudget } from "./reply.ts";

/** A run and its settings, of which every measurement has these. */
type Measuring = Pick<
  ProtocolContext<{ readonly callTimeoutMs: number; readonly again: number }>,
  "run" | "settings"
>;

type Asking<T extends ReplyEventType> = CallSpec<T> & {
  readonly work: Work;
  /** The first attempt, by default 0. A protocol whose forks ask everything anew begins with the last one. */
  readonly from?: number;
  /** Whether a reply that cannot be read is asked for again as well. Then `work` does not count the attempts. */
  readonly rereads?: boolean;
};

/**
 * Asks one prompt. A call that failed for good is made again under `KEY/again-1` and so on, as often as the settings say,
 * unless the budget refused it.
 */
export async function askAgain<T extends ReplyEventType>(
  { run, settings }: Measuring,
  { from = 0, rereads = false, ...spec }: Asking<T>,
  read: ReadReply<T>,
): Promise<Event<T>> {
  for (let again = from; ; again += 1) {
    const key = again === 0 ? spec.key : `${spec.key}/again-${again}`;
    const work = again === 0 || rereads ? spec.work : { ...spec.work, nth: again + 1 };
    const dry: DryReply = again < settings.again ? { ...spec.dry, mishap: "lost" } : { ...spec.dry };
    const event = await run.call<T>({ timeoutMs: settings.callTimeoutMs, ...spec, key, work, dry }, read);
    const failure = failureIn(event);
    const isLost = failure ? failure.code !== "over-budget" : rereads && event.type === "degradation-noted";
    if (!isLost || again >= settings.again) return event;
  }
}

/** How the call of a step failed; undefined where it brought a reply. */
export const failureIn = ({ data: { call } }: Event<ReplyEventType>): Failure | undefined =>
  call?.ok === false ? call.failure : undefined;

/** Whether a prompt was answered so that it counts, and the failure where there is no reply. */
export type PromptResult = { readonly read: boolean; readonly failure?: Failure | undefined };

/** The failure that ends a measurement: a refusal by the budget, or the first failure where every call failed. */
export function endingFailure(parts: readonly Pick<PromptResult, "failure">[]): Failure | undefined {
  const failures = parts.flatMap(({ failure }) => failure ?? []);
  const [first] = failures.length === parts.length ? failures : [];
  return failures.find(({ code }) => code === "over-budget") ?? first;
}

/** The closing of a measurement that a failure ended; `best` is what there is to show where the budget ended it. */
export const closeByFailure = (
  { code, message, cap }: Failure,
  best: Parameters<typeof stoppedByBudget>[2] = null,
): Closing =>
  code === "over-budget"
    ? stoppedByBudget(message, cap, best)
    : { outcome: "failed", why: `${code}: ${message}` };

/** The note that sums a measurement up, under `key`, which is its topic as well. */
type Tally = {
  readonly key: string;
  readonly reason: string;
  readonly body: Readonly<Record<string, Json>>;
  readonly read: number;
  readonly unread: number;
  /** What is said where nothing could be read. */
  readonly nothing: string;
  readonly failure: Failure | undefined;
  /** Whether the prompts that were read are an answer where the budget did not reach for the rest. */
  readonly isPartUseful: boolean;
};

/** Records the tally, and closes on it. */
export async function closeMeasurement(
  { run }: Pick<Measuring, "run">,
  { key, reason, body, read, unread, nothing, failure, isPartUseful }: Tally,
): Promise<Closing> {
  await run.derive({ key, outcomes: ["note-taken"], work: { kind: "tally" }, input: body }, () => ({
    type: "note-taken",
    data: { topic: key, reason, body },
  }));
  const answer = { answer: StepKey.parse(key), control: null };
  if (failure) return closeByFailure(failure, isPartUseful && read > 0 ? answer : null);
  if (read === 0) return { outcome: "inconclusive", why: nothing, best: null };
  return { outcome: unread > 0 ? "answered-degraded" : "answered", ...answer };
}

/** Prompts that are all asked at once, and how the measurement is summed up. */
type MeasureSpec<T extends ReplyEventType> = Pick<Tally, "key" | "reason" | "nothing"> & {
  /** A prompt is asked under `NAME/ID`; its work is of this kind, too. */
  readonly name: string;
  readonly prompts: readonly (Omit<Asking<T>, "key" | "outcomes" | "work"> & {
    readonly id: string;
    readonly work: Omit<Work, "kind">;
    readonly read: ReadReply<T>;
  })[];
  /** A prompt that ended in a degradation counts as unread, and any other as read. */
  readonly outcomes: readonly T[];
  /** Makes the note of the ids that were read and of those that were not. */
  readonly body: (read: string[], unread: string[]) => Tally["body"];
};

/** Asks as many prompts as the budget reaches for, at once, and closes on how many could be read. */
export async function measure<T extends ReplyEventType>(
  { run, settings }: Measuring,
  { name, prompts, outcomes, body, ...tally }: MeasureSpec<T>,
): Promise<Closing> {
  const spec = { name, work: { kind: name }, members: prompts, patienceMs: null };
  const done = await fanOut<(typeof prompts)[number], PromptResult>(run, spec, async (prompt, part) => {
    const { id, read, work, ...asked } = prompt;
    const step = { ...asked, key: `${name}/${id}`, outcomes, work: { kind: name, ...work } };
    const event = await askAgain({ run: part, settings }, step, read);
    // It is in even if it failed: a fork that asks it again finds its part of the phase incomplete.
    return { in: true, value: { read: event.type !== "degradation-noted", failure: failureIn(event) } };
  });
  const parts: (PromptResult & { readonly id: string })[] = [
    ...done.in.map(({ member: { id }, value }) => ({ id, ...value })),
    ...done.cut.map(({ member: { id }, cap }) => {
      const message = `the budget does not reach for ${id}`;
      return { id, read: false, failure: { code: "over-budget" as const, message, cap } };
    }),
  ];
  const ids = (read: boolean) => parts.flatMap((part) => (part.read === read ? [part.id] : []));
  const [read, unread] = [ids(true), ids(false)];
  return closeMeasurement(
    { run },
    {
      ...tally,
      body: body(read, unread),
      ...{ read: read.length, unread: unread.length },
      failure: endingFailure(parts),
      isPartUseful: true,
    },
  );
}

/** Runs a step for all members at once, each in its own scope. All of them are in the phase, also those whose calls failed. */
export const phaseOfAll = <M extends { readonly id: string }, V>(
  run: StepRunner,
  { members, ...spec }: { readonly name: string; readonly work: PhaseWork; readonly members: readonly M[] },
  step: (member: M, run: StepRunner) => Promise<V>,
): ReturnType<typeof phase<V>> =>
  phase(run, { ...spec, members: members.map(({ id }) => id) }, async (id, part) => ({
    in: true,
    value: await step(findById(members, id), part),
  }));

/** The participant of a seat for one. @throws RangeError for an empty seat, which no opening has */
export function seatedAt({ seats }: Pick<ProtocolContext, "seats">, seat: string): Participant {
  const [by] = seats(seat);
  if (!by) throw new RangeError(`nobody has the seat ${seat}`);
  return by;
}

/** A text of the opening's context; undefined where it has none of this name. */
export const textNamed = ({ context }: Pick<ProtocolContext, "context">, name: string): string | undefined =>
  context.find((one) => one.name === name)?.text;
