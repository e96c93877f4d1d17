import {
  OrganizationId,
  isEvent,
  type DeliberationId,
  type Entry,
  type OrganizationStore,
  type StepKey,
  type Store,
} from "../kernel/index.ts";
import { createLedgers } from "./budget.ts";
import { drain, owesReactions, type DrainOptions } from "./drain.ts";
import { drive, type DriveContext, type DriveResult } from "./drive.ts";
import { createFollower } from "./follower.ts";
import {
  fork,
  open,
  organizationOf,
  type CheckedInput,
  type DeliberationInput,
  type ForkOptions,
  type OpenResult,
} from "./opening.ts";
import type { SeatPrompt } from "./look.ts";
import { react, type ReactOptions } from "./reactions.ts";
import { loadReactors, refuseCircles, type Reactors } from "./reactor.ts";
import type { ReplayResult } from "./replay.ts";

export type EngineParts = Omit<DriveContext, "follower" | "ledgers" | "store"> & {
  readonly store: Store;
  readonly reactors: Reactors;
};

/** All operations on deliberations. An organization's engine does not see deliberations of other organizations. */
export interface OrganizationEngine {
  open(request: string, input: DeliberationInput | CheckedInput): Promise<OpenResult>;
  drive(
    id: DeliberationId,
    options: { readonly signal: AbortSignal; readonly onEntry?: (entry: Entry) => void },
  ): Promise<DriveResult>;
  fork(parent: DeliberationId, options: ForkOptions): Promise<OpenResult>;
  replay(id: DeliberationId): Promise<ReplayResult>;
  /** Finds a person's step that waits; undefined if the run does without it. Nothing is recorded or sent. */
  lookAtSeat(id: DeliberationId, step: StepKey): Promise<SeatPrompt | undefined>;
  /** Closes an open deliberation as cancelled; false if it was already closed. */
  cancel(id: DeliberationId, why: string): Promise<boolean>;
  /** Runs the reactions to one deliberation's events, for a process that opened it and is about to exit. */
  drain(id: DeliberationId, options: DrainOptions): Promise<void>;
  /** True if an event of the deliberation needs a reaction that is not recorded. */
  owesReactions(id: DeliberationId): Promise<boolean>;
}

/** A process's operations on one store. Each call finds the deliberation's organization. */
export interface Engine extends OrganizationEngine {
  for(organization: OrganizationId): OrganizationEngine;
  react(options: ReactOptions): Promise<void>;
}

/** The organization whose engine reports a deliberation that does not exist. */
const LOCAL = OrganizationId.parse("local");

/** @throws Fault `reactor-loops` for reactors that answer each other in a circle */
export function createEngine(parts: EngineParts): Engine {
  const { store } = parts;
  refuseCircles(parts.reactors.flatMap((reactor) => ("load" in reactor ? [] : [reactor])));
  const ledgers = createLedgers(); // BUDGET-7
  const follower = createFollower(store, parts.world);
  const engineFor = (organization: OrganizationId): OrganizationEngine => {
    const organizationStore = store.for(organization);
    const context = { ...parts, store: organizationStore, progress: store, follower, ledgers };
    return {
      open: (request, input) => open(context, request, input),
      drive: (id, options) => drive(context, id, options),
      fork: (parent, options) => fork(organizationStore, parent, options),
      replay: async (id) => (await import("./replay.ts")).replay(context, id),
      lookAtSeat: async (id, step) => (await import("./look.ts")).lookAtSeat(context, id, step),
      cancel: (id, why) => cancel(organizationStore, id, why),
      drain: (id, options) => drain(context, id, options),
      owesReactions: (id) => owesReactions(context, id),
    };
  };
  const engineOf = async (id: DeliberationId): Promise<OrganizationEngine> =>
    engineFor((await store.findOrganization(id)) ?? LOCAL);
  return {
    for: engineFor,
    open: async (request, input) => {
      const { organization } = "texts" in input ? input.opening : input;
      return engineFor(organizationOf(organization)).open(request, input);
    },
    drive: async (id, options) => (await engineOf(id)).drive(id, options),
    fork: async (parent, options) => (await engineOf(parent)).fork(parent, options),
    replay: async (id) => (await engineOf(id)).replay(id),
    lookAtSeat: async (id, step) => (await engineOf(id)).lookAtSeat(id, step),
    cancel: async (id, why) => (await engineOf(id)).cancel(id, why),
    drain: async (id, options) => (await engineOf(id)).drain(id, options),
    owesReactions: async (id) => (await engineOf(id)).owesReactions(id),
    react: async (options) =>
      react({ ...parts, ledgers, reactors: await loadReactors(parts.reactors) }, options),
  };
}

async function cancel(store: OrganizationStore, id: DeliberationId, why: string): Promise<boolean> {
  const appended = await store.append(
    id,
    [{ type: "deliberation-closed", data: { outcome: "cancelled", why } }],
    { by: "close", after: [] },
  );
  const closing = appended.ok ? appended.events.at(-1) : undefined;
  return appended.ok && appended.fresh && closing !== undefined && isEvent(closing, "deliberation-closed");
}
