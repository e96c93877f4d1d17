import { isEvent, type DeliberationId, type Entry, type Event, type Store } from "../kernel/index.ts";
import { drive, type DriveContext, type Driven } from "./drive.ts";
import { createFollower } from "./follower.ts";
import { fork, open, type Asked, type ForkChanges } from "./opening.ts";
import { drain, type DrainOptions } from "./drain.ts";
import { react, type ReactOptions } from "./reactions.ts";
import type { AnyReactor } from "./reactor.ts";
import { replay, type Replayed } from "./replay.ts";

export type EngineParts = Omit<DriveContext, "follower"> & { readonly reactors: readonly AnyReactor[] };

type Opened = { readonly fresh: boolean; readonly opened: Event<"deliberation-opened"> };

/** Everything that can be done to deliberations, over one store. */
export interface Engine {
  open(request: string, asked: Asked): Promise<Opened>;
  drive(
    id: DeliberationId,
    options: { readonly signal: AbortSignal; readonly onEntry?: (entry: Entry) => void },
  ): Promise<Driven>;
  fork(
    parent: DeliberationId,
    options: { readonly request: string; readonly changes: ForkChanges },
  ): Promise<Opened>;
  replay(id: DeliberationId): Promise<Replayed>;
  /** Closes an open deliberation as cancelled; false when it was closed already. */
  cancel(id: DeliberationId, why: string): Promise<boolean>;
  drain(id: DeliberationId, options: DrainOptions): Promise<void>;
  react(options: ReactOptions): Promise<void>;
}

export function createEngine(parts: EngineParts): Engine {
  const { store } = parts;
  const context = { ...parts, follower: createFollower(store, parts.world) };
  return {
    open: (request, asked) => open(store, request, asked),
    drive: (id, options) => drive(context, id, options),
    fork: (parent, options) => fork(store, parent, options),
    replay: (id) => replay(context, id),
    cancel: (id, why) => cancel(store, id, why),
    drain: (id, options) => drain(context, id, options),
    react: (options) => react(context, options),
  };
}

async function cancel(store: Store, id: DeliberationId, why: string): Promise<boolean> {
  const appended = await store.append(
    id,
    [{ type: "deliberation-closed", data: { outcome: "cancelled", why } }],
    { by: "close", after: [] },
  );
  const closing = appended.ok ? appended.events.at(-1) : undefined;
  return appended.ok && appended.fresh && closing !== undefined && isEvent(closing, "deliberation-closed");
}
