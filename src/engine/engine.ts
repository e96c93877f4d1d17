import {
  OrganizationId,
  isEvent,
  type DeliberationId,
  type Entry,
  type OrganizationStore,
  type Store,
} from "../kernel/index.ts";
import { drain, type DrainOptions } from "./drain.ts";
import { drive, type DriveContext, type DriveResult } from "./drive.ts";
import { createFollower } from "./follower.ts";
import {
  fork,
  open,
  organizationOf,
  type DeliberationInput,
  type ForkChanges,
  type OpenResult,
} from "./opening.ts";
import { react, type ReactOptions } from "./reactions.ts";
import { loadReactors, type Reactors } from "./reactor.ts";
import { replay, type ReplayResult } from "./replay.ts";

export type EngineParts = Omit<DriveContext, "follower" | "store"> & {
  readonly store: Store;
  readonly reactors: Reactors;
};

/** Everything that can be done to deliberations. Of an organization's engine, another organization's do not exist. */
export interface OrganizationEngine {
  open(request: string, asked: DeliberationInput): Promise<OpenResult>;
  drive(
    id: DeliberationId,
    options: { readonly signal: AbortSignal; readonly onEntry?: (entry: Entry) => void },
  ): Promise<DriveResult>;
  fork(
    parent: DeliberationId,
    options: { readonly request: string; readonly changes: ForkChanges },
  ): Promise<OpenResult>;
  replay(id: DeliberationId): Promise<ReplayResult>;
  /** Closes an open deliberation as cancelled; false when it was closed already. */
  cancel(id: DeliberationId, why: string): Promise<boolean>;
  /** Reacts to one deliberation's events, for a program that opened it and is about to exit. */
  drain(id: DeliberationId, options: DrainOptions): Promise<void>;
}

/** What a process does over one store: each deliberation within the organization that it belongs to. */
export interface Engine extends OrganizationEngine {
  for(organization: OrganizationId): OrganizationEngine;
  react(options: ReactOptions): Promise<void>;
}

/** Where a deliberation that does not exist is looked for. */
const LOCAL = OrganizationId.parse("local");

export function createEngine(parts: EngineParts): Engine {
  const { store } = parts;
  const follower = createFollower(store, parts.world);
  const engineFor = (organization: OrganizationId): OrganizationEngine => {
    const own = store.for(organization);
    const context = { ...parts, store: own, progress: store, follower };
    return {
      open: (request, asked) => open(context, request, asked),
      drive: (id, options) => drive(context, id, options),
      fork: (parent, options) => fork(own, parent, options),
      replay: (id) => replay(context, id),
      cancel: (id, why) => cancel(own, id, why),
      drain: (id, options) => drain(context, id, options),
    };
  };
  const engineOf = async (id: DeliberationId): Promise<OrganizationEngine> =>
    engineFor((await store.findOrganization(id)) ?? LOCAL);
  return {
    for: engineFor,
    open: async (request, asked) => engineFor(organizationOf(asked.organization)).open(request, asked),
    drive: async (id, options) => (await engineOf(id)).drive(id, options),
    fork: async (parent, options) => (await engineOf(parent)).fork(parent, options),
    replay: async (id) => (await engineOf(id)).replay(id),
    cancel: async (id, why) => (await engineOf(id)).cancel(id, why),
    drain: async (id, options) => (await engineOf(id)).drain(id, options),
    react: async (options) => react({ ...parts, reactors: await loadReactors(parts.reactors) }, options),
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
