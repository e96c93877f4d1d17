import {
  canonical,
  Fault,
  callOf,
  originKey,
  personOf,
  READERS_VERSION,
  type Call,
  type Closing,
  type DeliberationId,
  type Journal,
  type Models,
} from "../kernel/index.ts";
import { openLedger } from "./budget.ts";
import { closingOf, deliberate, openingOf, type DriveContext } from "./drive.ts";
import { createHistory } from "./history.ts";
import { createSteps } from "./steps.ts";

/** The number of replayed steps and of recorded model calls. */
export type ReplayResult = {
  readonly steps: number;
  readonly calls: number;
  /** How many steps earlier readers recorded otherwise than today's would; absent for none. */
  readonly reread?: number;
};

/**
 * Runs the protocol of a closed or open deliberation again without the network. Each reply comes from the journal by its
 * step key and is parsed again; the results are compared with the recorded events. A difference is a fault, but where an earlier
 * version of the readers recorded it.
 * @throws Fault `replay-differs` (also for a recorded step that the protocol no longer runs), `step-changed`,
 *   `step-unrecorded`
 */
export async function replay(
  { store, protocols, world }: Pick<DriveContext, "store" | "protocols" | "world">,
  id: DeliberationId,
): Promise<ReplayResult> {
  const history = createHistory(store, id);
  await history.catchUp();
  const opened = openingOf(history, id);
  const used = new Set<string>();
  const readEarlier = (opened.data.readers ?? 1) < READERS_VERSION;
  let reread = 0;
  const ledger = await openLedger(
    { id, budget: opened.data.budget, reservations: store, now: world.now },
    [],
  );
  const run = createSteps(
    {
      id,
      journal: CLOSED_JOURNAL,
      history,
      models: CLOSED_NETWORK,
      frames: { emit: () => undefined },
      ledger,
      world,
      originOf: (step) => ({ by: "protocol", ...step }),
      replay: true,
      ...(readEarlier ? { onDifference: () => void (reread += 1) } : {}),
      watch: {
        started: () => undefined,
        ended: () => undefined,
        waiting: () => () => undefined,
        used: (origin) => used.add(origin),
      },
    },
    new AbortController().signal,
  );
  const closing = closingOf(history);
  // A protocol never cancels, so a cancellation cut the record off.
  const cutOff = !closing || closing.data.outcome === "cancelled";
  // When the first missing step is found, concurrent steps are still being replayed.
  const turn = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  const replayed = await deliberate({ store, protocols }, { opened, run }).catch((error: unknown) => {
    // The replay of an open or cut-off deliberation ends with its record.
    if (cutOff && error instanceof Fault && error.code === "step-unrecorded") return turn();
    throw error;
  });
  if (!cutOff && (!replayed || comparable(replayed) !== comparable(closing.data))) {
    if (!readEarlier)
      throw new Fault("replay-differs", { key: "close", what: "the protocol closes it differently now" });
    reread += 1;
  }
  const recorded = new Set(
    history
      .entries()
      .filter(({ type }) => type !== "reply-stopped") // STOP-1
      .flatMap(({ origin }) =>
        origin.by === "protocol" || origin.by === "adopted" ? [originKey(origin)] : [],
      ),
  );
  for (const key of recorded)
    if (!used.has(key))
      throw new Fault("replay-differs", {
        key,
        what: "it is recorded, but the protocol does not take this step",
      });
  const calls = history.entries().filter((entry) => {
    const call = recorded.has(originKey(entry.origin)) ? callOf(entry) : undefined;
    return call !== undefined && personOf(call.model) === undefined;
  }).length;
  return { steps: recorded.size, calls, ...(reread > 0 && { reread }) };
}

/**
 * A closing as journals of any age have it: the cap stood only in English text, and every baseline that was no majority was
 * called the best draft.
 */
const comparable = (closing: Closing) =>
  canonical({ ...closing, cap: undefined }).replaceAll('"kind":"leading-draft"', '"kind":"best-draft"');

export const CLOSED_NETWORK: Models = {
  complete: (): Promise<Call> => Promise.reject(new Fault("step-unrecorded", { key: "a model call" })),
  quote: () => ({ tokensIn: 0, tokensOut: 0, usd: 0 }),
};

export const CLOSED_JOURNAL: Pick<Journal, "append"> = {
  append: () => Promise.reject(new Fault("step-unrecorded", { key: "an append" })),
};
