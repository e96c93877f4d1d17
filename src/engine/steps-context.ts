import type {
  DeliberationId,
  Digest,
  Entry,
  Frames,
  Journal,
  Models,
  NewEvent,
  Origin,
  StepKey,
  Work,
  World,
} from "../kernel/index.ts";
import type { Ledger } from "./budget.ts";
import type { History } from "./history.ts";

export type ProducedStep = { readonly events: readonly NewEvent[]; readonly after?: readonly StepKey[] };
/** What one step does, once it is known not to be recorded. */
export type StepWork = {
  readonly adopt: boolean;
  /** Makes the step's events; absent in what can only be recalled. */
  produce(signal: AbortSignal, name: string): Promise<ProducedStep>;
  /** In a replay: the events again, from the recorded call or from the input; undefined where the journal is believed. */
  again(past: readonly Entry[]): readonly NewEvent[] | undefined;
  /** In a replay, where the step is not recorded: reads the recorded steps again that it is made of. */
  parts?(signal: AbortSignal): Promise<unknown>;
  settled?(name: string): void;
};

export type StepsContext = {
  readonly id: DeliberationId;
  readonly journal: Pick<Journal, "append">;
  readonly history: History;
  readonly models: Models;
  readonly frames: Frames;
  readonly ledger: Ledger;
  readonly world: World;
  /** Whose steps these are: a protocol's or a reaction's. */
  readonly originOf: (step: { step: StepKey; digest: Digest; after: StepKey[]; work?: Work }) => Origin;
  /** What the parent of a fork recorded under an origin key. */
  readonly parent?: { readonly id: DeliberationId; batch(origin: string): readonly Entry[] | undefined };
  /** Nothing is made or appended; what is recorded is read anew and compared. */
  readonly replay: boolean;
  /** Whether nobody waits for what is called. */
  readonly background?: boolean;
  /** Told of each step's start and end, of each record that is used, and of each client event that is waited for, until it says that it is no more. */
  readonly watch: {
    started(): void;
    ended(): void;
    waiting(request: string): () => void;
    used(origin: string): void;
  };
};
