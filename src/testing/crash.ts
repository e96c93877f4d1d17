import {
  type Feed,
  type Models,
  type OrganizationId,
  type OrganizationStore,
  type Store,
  type World,
} from "../kernel/index.ts";

// A dead process does nothing more: whatever it awaits never comes, whatever it starts never begins.
// `before`: the operation had no effect. `after`: it had its effect, and the process never learnt of it.

/** Where a process dies: at its `nth` operation of a kind, from 1. */
export type CrashPoint = {
  readonly at: "append" | "call" | "reserve" | "advance";
  readonly nth: number;
  readonly when: "before" | "after";
};

/** What an engine stands on, as one process sees it, and its death. */
export interface Mortal {
  readonly store: Store;
  readonly models: Models;
  readonly world: World;
  /** Resolves when the process dies. */
  readonly died: Promise<void>;
  readonly dead: boolean;
  /** How many operations of this kind the process has begun. */
  begun(at: CrashPoint["at"]): number;
  kill(): void;
}

export type MortalParts = { readonly store: Store; readonly models: Models; readonly world: World };

/** A process over shared parts, which outlive it. Without a point it dies only when it is killed. */
export function mortal({ store, models, world }: MortalParts, point?: CrashPoint): Mortal {
  const begun = { append: 0, call: 0, reserve: 0, advance: 0 };
  let dead = false;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => {
    die = () => {
      dead = true;
      resolve();
    };
  });

  const alive = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (dead) return never();
    try {
      const result = await operation();
      return dead ? await never() : result;
    } catch (error) {
      if (dead) return never();
      throw error;
    }
  };
  const counted = async <T>(at: CrashPoint["at"], operation: () => Promise<T>): Promise<T> => {
    if (dead) return never();
    begun[at] += 1;
    const here = point?.at === at && point.nth === begun[at];
    if (here && point.when === "before") die();
    return alive(async () => {
      const result = await operation();
      if (here) die();
      return result;
    });
  };

  const feed = (inner: Feed): Feed => ({
    async *subscribe(after, signal) {
      for await (const batch of inner.subscribe(after, signal)) {
        if (dead) await never();
        yield batch;
      }
    },
    changed: (after) => alive(() => inner.changed(after)),
    end: () => alive(() => inner.end()),
  });

  /** The same for the same organization, so that a test can change what one does. */
  const parts = new Map<OrganizationId, OrganizationStore>();

  return {
    died,
    get dead() {
      return dead;
    },
    begun: (at) => begun[at],
    kill: () => die(),
    store: {
      location: store.location,
      for: (organization) => {
        const known = parts.get(organization);
        if (known) return known;
        const part = store.for(organization);
        const own: OrganizationStore = {
          organization,
          ...feed(part),
          append: (id, events, origin) => counted("append", () => part.append(id, events, origin)),
          read: (id, after, limit) => alive(() => part.read(id, after, limit)),
          list: (query) => alive(() => part.list(query)),
          putTexts: (texts) => alive(() => part.putTexts(texts)),
          text: (digest) => alive(() => part.text(digest)),
          forget: (id, of) => counted("append", () => part.forget(id, of)),
          tombstones: (since) => alive(() => part.tombstones(since)),
          reserve: (id, origin, amount) => counted("reserve", () => part.reserve(id, origin, amount)),
          reservations: (id) => alive(() => part.reservations(id)),
        };
        parts.set(organization, own);
        return own;
      },
      ...feed(store),
      findOrganization: (id) => alive(() => store.findOrganization(id)),
      listAll: (query) => alive(() => store.listAll(query)),
      cursor: (reactor) => alive(() => store.cursor(reactor)),
      advance: (reactor, from, to) => counted("advance", () => store.advance(reactor, from, to)),
      lease: (name, holder, ttlMs) => alive(() => store.lease(name, holder, ttlMs)),
      release: (name, holder) => alive(() => store.release(name, holder)),
      leases: (prefix) => alive(() => store.leases(prefix)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    models: {
      quote: (request) => models.quote(request),
      complete: (request, options) => counted("call", () => models.complete(request, options)),
    },
    world: {
      now: () => world.now(),
      id: () => world.id(),
      sleep: (ms, signal) => alive(() => world.sleep(ms, signal)),
    },
  };
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
