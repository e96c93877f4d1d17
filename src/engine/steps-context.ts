import type {
  CallOptions,
  DeliberationId,
  Digest,
  Entry,
  Frames,
  Journal,
  ModelRequest,
  Models,
  NewEvent,
  Opening,
  Origin,
  StepKey,
  Work,
  World,
} from "../kernel/index.ts";
import type { Ledger } from "./budget.ts";
import type { History } from "./history.ts";

export type ProducedStep = { readonly events: readonly NewEvent[]; readonly after?: readonly StepKey[] };
/** A person's step: what the person is shown, and what becomes of an answer. */
export type SeatWork = {
  readonly request: ModelRequest;
  /** Returns the event that would be recorded for this answer. */
  read(this: void, text: string): NewEvent;
};
/** How an unrecorded step is made, and how a recorded one is replayed. */
export type StepWork = {
  readonly adopt: boolean;
  produce(signal: AbortSignal, name: string): Promise<ProducedStep>;
  /** In a replay, recomputes the events from the recorded call or the input; undefined if the journal is trusted. */
  again(past: readonly Entry[]): readonly NewEvent[] | undefined;
  /** In a replay of an unrecorded step, replays the recorded steps inside it. */
  parts?(signal: AbortSignal): Promise<unknown>;
  /** Makes other events when the journal refuses what `produce` made. */
  instead?(this: void, refusal: unknown): readonly NewEvent[];
  /** Of a person's step: what is asked, and the event that an answer would come to. */
  readonly seat?: SeatWork;
  /** What is recorded where the run is closed by somebody else while the step is made. (STOP-1) */
  stopped?(this: void): NewEvent | undefined;
  /** Called when the step has ended; `recordedAs`: the origin key under which its own work was recorded, if it was. */
  settled?(recordedAs: string | undefined): void;
};

export type StepsContext = {
  readonly id: DeliberationId;
  readonly journal: Pick<Journal, "append">;
  readonly history: History;
  readonly models: Models;
  /** Returns a stored text: what an attachment's digest names. Absent where nothing is made. */
  readonly bytesOf?: CallOptions["bytesOf"];
  readonly frames: Frames;
  readonly ledger: Ledger;
  readonly world: World;
  /** Makes the origin of a protocol's or a reaction's step. */
  readonly originOf: (step: { step: StepKey; digest: Digest; after: StepKey[]; work?: Work }) => Origin;
  /** The fork's parent; `batch` returns what it recorded under an origin key. */
  readonly parent?: { readonly id: DeliberationId; batch(origin: string): readonly Entry[] | undefined };
  /** Makes and appends nothing; recorded steps are recomputed and compared. */
  readonly replay: boolean;
  /** Takes a replayed step's difference from its record, which is otherwise a fault. */
  readonly onDifference?: () => void;
  /** Takes each unrecorded step of a person, in place of making anything; what is not recorded never ends. */
  readonly onSeat?: (origin: string, seat: SeatWork) => void;
  /** Takes what is still being recorded of a run that was closed by somebody else. (STOP-1) */
  readonly onStopped?: (recorded: Promise<unknown>) => void;
  /** How long a person's seat waits; absent for no limit. */
  readonly seatTimeoutMs?: number | undefined;
  /** As the opening has them. */
  readonly contexts?: Opening["contexts"];
  /** Marks model calls as low priority. */
  readonly background?: boolean;
  /** Receives each step's start and end, each record that is used, and each awaited client event; `waiting` returns how to end the wait. */
  readonly watch: {
    started(): void;
    ended(): void;
    waiting(request: string): () => void;
    used(origin: string): void;
  };
};
