import { isUnkept } from "../app/conversation.ts";
import type { Parley } from "../app/parley.ts";
import { DRIVE_LEASES } from "../app/driver.ts";
import type { Run } from "../app/run.ts";
import {
  isEvent,
  isFault,
  type Cursor,
  type DeliberationId,
  type Entry,
  type ListQuery,
  type Principal,
  type Summary,
} from "../kernel/index.ts";
import { pendingSeats } from "../views/pending-seats.ts";
import { isClosed } from "../views/result.ts";
import { Refused } from "./problem.ts";

// DRIVES-1. A lease per deliberation: of several servers over one store, one drives it. A server that dies loses its leases, and another
//     one, or its own next start, drives on all that it left, of every organization. Else: two servers pay for one run.
// What does not fit waits in line in the order of its opening; beyond that, a request is refused before it is opened.
// A drive that ends as waiting for a person is begun again when something is recorded in it, or a seat's time is up.
// A sweep reads what has changed since the one before, and begins seconds after it, whatever became of that one.
// DRIVES-5. What its client wants forgotten is forgotten when its reply was sent, or else ten minutes after its end, by any server: until
//     then a repeat of the request joins it (REPEAT-1). Else: what a client wants forgotten stays, or its repeat pays again.

/** What the openings of a server's clients are named by: a server drives on nobody else's. */
export const CLIENT_REQUESTS = "api/";

/** The openings of clients that are named after the work that they do: those of personas. */
export const CLIENT_WORK = {
  requests: { prefixes: ["persona/", "trial/"], hidden: false },
  // In canonical JSON; within a text the quotation marks are escaped.
  opening: ['"client":{"body":'],
} as const;

const MAX_LINE = 1_000;
/** How many open deliberations are read at a time. */
const PAGE = 1_000;
/** Looking for what is open takes at most one part of the time in so many, but for a store that is slow. */
const SWEEP_SHARE = 20;
/** The longest pause between two sweeps: one that hung on a store says nothing about the next. */
const MAX_PAUSE_MS = 5_000;
/** For how long a repeat of a request joins what it opened. */
export const REPEAT_MS = 600_000;
/** How often it is looked for what is to be forgotten. */
const FORGET_MS = 60_000;

export type DrivesOptions = {
  readonly parley: Parley;
  readonly principal: Principal;
  /** Whose open deliberations it drives on that another server has left: the principal's organization's, or everybody's. */
  readonly adopts: "organization" | "store";
  /** How many are driven at a time. */
  readonly most: number;
  readonly log: (line: string) => void;
  /** Does what is left to do when a deliberation has ended, before its drive counts as ended. */
  readonly settle?: (id: DeliberationId, principal: Principal) => Promise<void>;
  readonly onDrive?: (run: Run) => void;
  /** Called when a drive has ended, whatever it came to. */
  readonly onEnd?: (id: DeliberationId) => void;
};

type InLine = { readonly id: DeliberationId; readonly principal: Principal };

/** The deliberations that this server drives, and those in line. */
export function createDrives({ parley, principal, adopts, most, log, settle, ...told }: DrivesOptions) {
  const { process, world } = parley.context({}, { principal });
  const { store } = process;
  const running = new Map<DeliberationId, { readonly ended: Promise<void>; readonly stop: () => void }>();
  const line: InLine[] = [];
  /** Up to which event a deliberation that waits for a person has been driven, and when a seat's time is up. */
  const waited = new Map<DeliberationId, { readonly seq: number; readonly untilMs: number }>();
  /** What is open as of this place in the store, in the order of its opening. */
  const open = new Map<DeliberationId, Summary>();
  let looked: Cursor | undefined;
  let stopping = false;
  let forgetsAt = 0;

  const next = (): void => {
    while (!stopping && running.size < most) {
      const one = line.shift();
      if (!one) return;
      if (!running.has(one.id)) begin(one);
    }
  };

  const begin = ({ id, principal: by }: InLine): void => {
    const control = new AbortController();
    const stop = () => control.abort(new Error("the server is stopping"));
    const ended = run({ id, principal: by }, control.signal)
      .catch((error: unknown) => {
        if (isFault(error, "deliberation-missing")) open.delete(id);
        log(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => {
        running.delete(id);
        told.onEnd?.(id);
        next();
      });
    running.set(id, { ended, stop });
  };

  const run = async ({ id, principal: by }: InLine, signal: AbortSignal): Promise<void> => {
    const driven = await parley.resume(id, { principal: by, signal, ifHeld: "leave" }); // DRIVES-1
    told.onDrive?.(driven);
    const { status, waiting } = await driven.outcome();
    await driven.reactions;
    waited.delete(id);
    if (status === "waiting") {
      // An answer may have come while the drive ended, which then does not know of it.
      const entries = await parley.read(id, { principal: by });
      const came = new Set(entries.map(({ origin }) => (origin.by === "client" ? origin.request : "")));
      if (waiting?.requests.some((request) => came.has(request))) line.push({ id, principal: by });
      else waited.set(id, lastSeen(entries));
    }
    if (status !== "waiting" && status !== "interrupted") await settle?.(id, by);
  };

  const listAll = async (query: Partial<ListQuery>): Promise<readonly Summary[]> => {
    const found: Summary[] = [];
    for (const made of [{ requests: { prefixes: [CLIENT_REQUESTS], hidden: false } }, CLIENT_WORK])
      for (let before: DeliberationId | undefined; ;) {
        const page = await store.listAll({ limit: PAGE, ...query, ...made, before });
        found.push(...page);
        if (page.length < PAGE) break;
        before = page.at(-1)?.id;
      }
    return found.toReversed();
  };
  /** Brings `open` up to date: whole at first, then by what has changed. */
  const look = async (): Promise<void> => {
    const end = await store.end();
    if (end === looked) return;
    for (const one of await listAll(looked === undefined ? { open: true } : { after: looked }))
      if (one.status === "open" && (adopts === "store" || one.organization === principal.organization))
        open.set(one.id, one);
      else if (open.delete(one.id)) waited.delete(one.id);
    looked = end;
  };
  const isWanted = ({ id, seq }: Summary): boolean => {
    const seen = waited.get(id);
    return !seen || seen.seq < seq || world.now() >= seen.untilMs;
  };

  /** Drives on what is open and nobody drives. (DRIVES-1) */
  const sweep = async (): Promise<void> => {
    await look();
    const wanted = [...open.values()].filter((one) => !running.has(one.id) && isWanted(one));
    if (wanted.length === 0) return;
    const held = new Set((await store.leases(DRIVE_LEASES)).map(({ name }) => name));
    const inLine = new Set(line.map(({ id }) => id));
    for (const { id, organization } of wanted) {
      if (line.length >= MAX_LINE) break; // the next sweep finds the rest
      if (held.has(`${DRIVE_LEASES}${id}`) || inLine.has(id)) continue;
      line.push({ id, principal: { ...principal, organization } });
    }
    next();
  };

  const forget = async (id: DeliberationId, by: Principal): Promise<void> => {
    const own = running.get(id);
    if (own && isClosed(await parley.read(id, { principal: by }))) {
      own.stop();
      await own.ended;
    }
    await parley.forget(id, { principal: by });
  };
  /** Forgets what no repeat of its request joins any more. (DRIVES-5) */
  const forgetUnkept = async (): Promise<void> => {
    if (world.now() < forgetsAt) return;
    forgetsAt = world.now() + FORGET_MS;
    const until = new Date(world.now() - REPEAT_MS).toISOString();
    for (const { id, organization } of await listAll({ unkept: true, until })) {
      const by = { ...principal, organization };
      const entries = await parley.read(id, { principal: by }).catch((): readonly Entry[] => []);
      const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
      const isOver = entries.some((entry) => isEvent(entry, "deliberation-closed") && entry.at < until);
      if (!opened || !isOver || !isUnkept(opened.data)) continue;
      const failed = (error: unknown) => log(`${id}: ${String(error)}`);
      await forget(id, { ...by, user: opened.data.user ?? by.user }).catch(failed);
    }
  };

  return {
    /** Forgets one that has ended; what is still made of it here is stopped. @throws Fault as `Parley.forget` does */
    forget,
    /** How many are driven, and how many are in line. */
    count: () => ({ running: running.size, waiting: line.length }),
    /** @throws Refused 503 where there is no room even in line */
    checkRoom(): void {
      if (!stopping && line.length < MAX_LINE) return;
      throw new Refused({
        ...{ status: 503, code: "over-capacity" },
        detail: stopping ? "the server is stopping" : `${line.length} deliberations are in line`,
        next: "try again later",
        headers: { "retry-after": "10" },
      });
    },
    /** Drives a deliberation, now or when its turn comes. */
    add(id: DeliberationId, by: Principal): void {
      if (stopping || running.has(id) || line.some((one) => one.id === id)) return;
      line.push({ id, principal: by });
      next();
    },
    isRunning: (id: DeliberationId): boolean => running.has(id),
    /** Resolves when a deliberation is not driven here, or not any more. */
    ended: async (id: DeliberationId): Promise<void> => running.get(id)?.ended,
    /** The place in line, from 1; 0 for one that is not in it. */
    place: (id: DeliberationId): number => line.findIndex((one) => one.id === id) + 1,
    sweep,
    /** Sweeps until `signal` aborts. */
    async keep(everyMs: number, signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const begun = world.now();
        await sweep()
          .then(forgetUnkept)
          .catch((error: unknown) => log(`cannot look for open deliberations: ${String(error)}`));
        const pauseMs = Math.max(everyMs, SWEEP_SHARE * (world.now() - begun));
        await world.sleep(Math.min(pauseMs, MAX_PAUSE_MS), signal);
      }
    },
    /** Begins nothing more, gives what runs this long to reach a recorded step, and interrupts the rest. */
    async stop(graceMs: number): Promise<void> {
      stopping = true;
      line.length = 0;
      const all = () => Promise.all([...running.values()].map(({ ended }) => ended));
      const grace = new AbortController();
      await Promise.race([all(), world.sleep(graceMs, grace.signal)]);
      grace.abort();
      for (const { stop } of running.values()) stop();
      await all();
    },
  };
}

/** The last of these events, and when the first of the seats that wait has to be answered, in milliseconds since 1970. */
const lastSeen = (entries: readonly Entry[]) => ({
  seq: entries.at(-1)?.seq ?? 0,
  untilMs: Math.min(
    ...pendingSeats(entries).map(({ until }) => (until === null ? Infinity : Date.parse(until))),
  ),
});
export type Drives = ReturnType<typeof createDrives>;
