import {
  encodeEvent,
  isFault,
  type StepKey,
  stepOrigin,
  type DeliberationId,
  type Message,
  type NewEvent,
} from "../kernel/index.ts";
import { openLedger } from "./budget.ts";
import { deliberate, openingOf, type DriveContext } from "./drive.ts";
import { createHistory } from "./history.ts";
import { CLOSED_JOURNAL, CLOSED_NETWORK } from "./replay.ts";
import { createSteps } from "./steps.ts";
import type { SeatWork } from "./steps-context.ts";

// A look runs the protocol over its record and makes, records and sends nothing: what is not recorded never ends.
// An answer is refused by what the step itself would record for it, so a person hears what a model's repair turn says.

/** Whether a step takes an answer, and why not. */
export type SeatReading = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** A step that waits for a person: the prompt, whole, and what the step's reader says of an answer. */
export type SeatPrompt = { readonly messages: readonly Message[]; read(text: string): SeatReading };

/** How many turns of the event loop a look waits, after the first step, for a protocol that does something without one. */
const IDLE_TURNS = 200;

/** Finds a person's step that the record leads to; undefined where it does not, because the run went on without it. */
export async function lookAtSeat(
  { store, protocols, world }: Pick<DriveContext, "store" | "protocols" | "world">,
  id: DeliberationId,
  step: StepKey,
): Promise<SeatPrompt | undefined> {
  const history = createHistory(store, id);
  await history.catchUp();
  const opened = openingOf(history, id);
  const { budget } = opened.data;
  const ledger = await openLedger({ id, budget, reservations: store, now: world.now }, []);
  const wanted = stepOrigin(step);
  let running = 0;
  let isStarted = false;
  let ended = false;
  let found: SeatWork | undefined;
  const watch = {
    started() {
      running += 1;
      isStarted = true;
    },
    ended: () => void (running -= 1),
    waiting: () => () => undefined,
    used: () => undefined,
  };
  const run = createSteps(
    {
      ...{ id, history, ledger, watch, world, replay: true },
      journal: CLOSED_JOURNAL,
      models: CLOSED_NETWORK,
      frames: { emit: () => undefined },
      originOf: (one) => ({ by: "protocol", ...one }),
      onDifference: () => undefined,
      onSeat: (origin, seat) => void (origin === wanted && (found = seat)),
    },
    new AbortController().signal,
  );
  const deliberating = deliberate({ store, protocols }, { opened, run }).finally(() => void (ended = true));
  deliberating.catch(() => undefined);
  for (let idle = 0; !found && !ended && idle < IDLE_TURNS; idle = isStarted && running === 0 ? idle + 1 : 0)
    await new Promise((resolve) => setImmediate(resolve));
  if (!found && ended) await deliberating; // rejects with what keeps the protocol from running
  return found && { messages: found.request.messages, read: readerOf(found) };
}

const readerOf =
  ({ read }: SeatWork) =>
  (text: string): SeatReading => {
    const why = refusalOf(read(text));
    return why === undefined ? { ok: true } : { ok: false, why };
  };

/** Why a step would do without this answer; undefined where it takes it. */
function refusalOf(event: NewEvent): string | undefined {
  if (event.type === "degradation-noted" || event.type === "reply-received")
    return event.data.why.replace(/^unreadable: /, "");
  try {
    encodeEvent(event);
    return undefined;
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
}
