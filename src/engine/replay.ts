import {
  canonical,
  Fault,
  originKey,
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

/** What a replay did: how many steps it read again. */
export type ReplayResult = { readonly steps: number; readonly calls: number };

/**
 * Runs a closed or an open deliberation's protocol again with the network closed: every reply comes from the
 * journal by its step key, is parsed anew, and what comes out is compared with what was recorded.
 *
 * @throws Fault `replay-differs`, `step-changed`, `step-unrecorded`, and `replay-differs` for a recorded step
 *   that the protocol no longer takes
 */
export async function replay(
  { store, protocols, world }: Pick<DriveContext, "store" | "protocols" | "world">,
  id: DeliberationId,
): Promise<ReplayResult> {
  const history = createHistory(store, id);
  await history.catchUp();
  const opened = openingOf(history, id);
  const used = new Set<string>();
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
  // A protocol never cancels: whoever cancelled cut the record off where it was.
  const cutOff = !closing || closing.data.outcome === "cancelled";
  // Concurrent steps after the first missing one are still being read again when it is found missing.
  const turn = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  const replayed = await deliberate({ store, protocols }, { opened, run }).catch((error: unknown) => {
    // A deliberation that is open or cut off ends where its record ends.
    if (cutOff && error instanceof Fault && error.code === "step-unrecorded") return turn();
    throw error;
  });
  if (!cutOff && (!replayed || canonical(withoutCap(replayed)) !== canonical(withoutCap(closing.data)))) {
    throw new Fault("replay-differs", { key: "close", what: "the protocol closes it differently now" });
  }
  const recorded = new Set(
    history
      .entries()
      .flatMap(({ origin }) =>
        origin.by === "protocol" || origin.by === "adopted" ? [originKey(origin)] : [],
      ),
  );
  for (const key of recorded) {
    if (!used.has(key))
      throw new Fault("replay-differs", {
        key,
        what: "it is recorded, but the protocol does not take this step",
      });
  }
  const calls = history
    .entries()
    .filter((entry) => recorded.has(originKey(entry.origin)) && "call" in entry.data).length;
  return { steps: recorded.size, calls };
}

/** Which cap ended it was read from English in old journals; whether it ended for want of budget is compared. */
const withoutCap = (closing: Closing) => ({ ...closing, cap: undefined });

const CLOSED_NETWORK: Models = {
  complete: (): Promise<Call> => Promise.reject(new Fault("step-unrecorded", { key: "a model call" })),
  quote: () => ({ tokensIn: 0, tokensOut: 0, usd: 0 }),
};

const CLOSED_JOURNAL: Pick<Journal, "append"> = {
  append: () => Promise.reject(new Fault("step-unrecorded", { key: "an append" })),
};
