import { hostname } from "node:os";
import { holdLease, leaseHolder, LEASE_POLL_MS, type DriveResult } from "../engine/index.ts";
import { isEvent, type DeliberationId, type Entry, type Progress } from "../kernel/index.ts";
import type { AppContext } from "./context.ts";

// DRIVER-1. One driver a run: who drives holds the run's lease, and renews it. It saves money and decides nothing: what is recorded is
//     right without it, because an origin records once. Else: two processes pay for the same calls.
// Who comes to a run that another one drives follows its journal to the same outcome, and drives on itself when the lease was given back or
// has lapsed, or its holder's process on this machine is gone.

/** What the leases of drives begin with; a run's id follows. */
export const DRIVE_LEASES = "drive/";
/** How long a lease outlives its process. It is renewed three times as often. */
const DRIVE_LEASE_MS = 6_000;

export type DriverContext = Pick<AppContext, "engine" | "store" | "world"> & {
  readonly process: { readonly store: Pick<Progress, "lease" | "leases" | "release"> };
};

export type DriverOptions = {
  readonly signal: AbortSignal;
  readonly onEntry: (entry: Entry) => void;
  /** What to do while another one drives: `wait` for the outcome, or `leave` it, as interrupted. */
  readonly ifHeld: "wait" | "leave";
};

/** A drive under a lease. */
export type Driver = {
  /** The name of this drive in leases. */
  readonly holder: string;
  /** Resolves with who drives the run already, in words, or with undefined where this drive does. Never rejects. */
  readonly rival: Promise<string | undefined>;
  /** @throws errors of the store or the protocol */
  readonly driven: Promise<DriveResult>;
};

/** Drives a run that nobody else drives; of one that is driven, follows the journal until it has ended or is free. */
export function driveAlone(context: DriverContext, id: DeliberationId, options: DriverOptions): Driver {
  const holder = `${process.pid}-${context.world.id()}@${hostname()}`;
  let decide: (rival: string | undefined) => void = () => undefined;
  const rival = new Promise<string | undefined>((resolve) => (decide = resolve));
  const driven = drive(context, id, { ...options, holder, decide }).finally(() => decide(undefined));
  return { holder, rival, driven };
}

type Driving = DriverOptions & Pick<Driver, "holder"> & { decide(rival: string | undefined): void };

async function drive(
  { engine, store, process: { store: progress }, world }: DriverContext,
  id: DeliberationId,
  { signal, onEntry, ifHeld, holder, decide }: Driving,
): Promise<DriveResult> {
  const name = `${DRIVE_LEASES}${id}`;
  const lease = { name, ttlMs: DRIVE_LEASE_MS, isKeptThroughFaults: true };
  let seq = 0;
  while (!signal.aborted) {
    if (await progress.lease(name, holder, DRIVE_LEASE_MS).catch(() => true)) {
      decide(undefined);
      const held = holdLease({ progress, world }, lease, { worker: holder, signal });
      try {
        const driven = await engine.drive(id, { signal: held.signal, onEntry });
        const isLost = held.signal.aborted && !signal.aborted;
        if (driven.status !== "interrupted" || !isLost) return driven;
      } finally {
        await held.end();
        await progress.release(name, holder).catch(() => undefined);
      }
    }
    const other = await leaseHolder(progress, name);
    if (other !== undefined && ifHeld === "wait" && isGone(other)) await progress.release(name, other);
    else if (other !== undefined) {
      decide(describeHolder(other));
      if (ifHeld === "leave") break;
      for (const entry of await store.read(id, seq)) {
        seq = entry.seq;
        onEntry(entry);
        if (isEvent(entry, "deliberation-closed")) return { status: "closed", closing: entry };
      }
      await world.sleep(LEASE_POLL_MS, signal);
    }
  }
  return { status: "interrupted" };
}

/** The process and the machine in a holder's name; undefined for one that an earlier version made. */
const placeOf = (holder: string) => /^(?<pid>\d+)-[^@]*@(?<host>.+)$/s.exec(holder)?.groups;

function describeHolder(holder: string): string {
  const { pid, host } = placeOf(holder) ?? {};
  return pid === undefined ? `process ${holder}` : `process ${pid} on ${host}`;
}

/** True where the holder's process ran on this machine and does not exist any more. */
function isGone(holder: string): boolean {
  const { pid, host } = placeOf(holder) ?? {};
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
