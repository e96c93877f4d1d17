import { createHash } from "node:crypto";
import {
  canonical,
  Fault,
  type Digest,
  type Opening,
  isEvent,
  type DeliberationId,
  type Entry,
  type Principal,
} from "../kernel/index.ts";
import { idOfRequest, textDigest } from "../engine/index.ts";
import { isClosed } from "../views/result.ts";
import { isWaiting } from "../views/waiting.ts";
import type { Resumed } from "../app/resumable.ts";
import type { OpenedRun } from "../app/start.ts";
import { admit, type ApiCaller } from "./quota.ts";
import type { Ceiling } from "../app/context.ts";
import { CLIENT_REQUESTS, CLIENT_WORK } from "./drives.ts";
import { Refused } from "./problem.ts";
import { readingContext } from "./results.ts";
import type { HttpExchange, Services, TraceCarrier } from "./route.ts";

// REQUEST-1. A client's name for its request is the opening's: a repeat joins what the first one opened, and pays nothing. Else: a client's
//     retry pays for a second run.
// REQUEST-2. A deliberation that calls this server again would pay without end: it is refused by its depth. Else: it spends without end.

const KEY = /^[\x21-\x7e]{1,200}$/;

export type ClientRequest = {
  /** The opening's request; undefined where the client gave no name. */
  readonly request: string | undefined;
  readonly client: NonNullable<Opening["client"]>;
};

/** What a client's request is named by. @throws Refused 400 for a name that cannot be one */
export function clientRequest(
  { request, ...by }: Pick<HttpExchange, "request"> & NamingContext,
  body: unknown,
): NamedRequest {
  const given = request.headers["idempotency-key"];
  if (given !== undefined && (typeof given !== "string" || !KEY.test(given))) {
    const detail = "Idempotency-Key is 1 to 200 printable characters without spaces";
    throw new Refused({ status: 400, code: "invalid-request", detail });
  }
  return namedRequest(by, { given, body, carrier: request.headers });
}

type NamingContext = Pick<Services, "world" | "traceOf"> & { readonly caller: ApiCaller };

/** A client's request, and what its opening is named: by the client, or by chance. */
export type NamedRequest = ClientRequest & { readonly name: string };

/** A request that its client named `given`, or did not name. `carrier`: what its trace is read from. */
export function namedRequest(
  { caller, world, traceOf }: NamingContext,
  { given, body, carrier }: { given: string | undefined; body: unknown; carrier: TraceCarrier | undefined },
): NamedRequest {
  const key = caller.credential.id;
  const own = given === undefined ? undefined : nameOf(key, given);
  const trace = carrier && traceOf?.(carrier);
  const client = { key, body: digestOfBody(body), ...(trace && { trace }) };
  return { request: own, name: own ?? nameOf(key, world.id()), client };
}

/** The name of an opening that a credential's client asked for as `given`. */
const nameOf = (key: string, given: string): string =>
  `${CLIENT_REQUESTS}${key}/${createHash("sha256").update(given).digest("hex")}`;

export const digestOfBody = (body: unknown): Digest => textDigest(canonical(body ?? null));

/** @throws Refused 400 for a request that a deliberation's own call makes (REQUEST-2) */
export function checkDepth(
  { request }: Pick<HttpExchange, "request">,
  { config }: Pick<Services, "config">,
): void {
  const depth = Number(request.headers["x-parley-depth"] ?? 0);
  if (!(depth > config.maxDepth)) return;
  const detail = "a deliberation may not start another through this server";
  const next = "name models themselves as its members, not parley/*";
  throw new Refused({ status: 400, code: "recursion", detail, next });
}

/**
 * Opens a deliberation under the client's name for it, or finds what that name opened. (REQUEST-1)
 * @throws Refused 422 for the same name with another body, 503 without room
 */
export async function openOnce(
  { parley, drives, caller }: Pick<Services, "parley" | "drives"> & { readonly caller: ApiCaller },
  { request, name, client }: NamedRequest,
  open: (call: {
    readonly request: string;
    readonly principal: Principal;
    readonly client: ClientRequest["client"];
    readonly ceiling: Ceiling | undefined;
  }) => Promise<OpenedRun>,
): Promise<OpenedRun> {
  const { principal } = caller;
  const known = async (): Promise<OpenedRun | undefined> => {
    if (request === undefined) return undefined;
    const { store } = readingContext(parley, principal);
    const [opened] = await store.read(idOfRequest(principal.organization, request));
    if (!opened || !isEvent(opened, "deliberation-opened")) return undefined;
    refuseOther(opened.data.client?.body, client.body);
    return { opened, fresh: false, notes: [] };
  };
  const before = await known();
  if (before) return before;
  drives.checkRoom();
  const begun = await admit(parley, caller, (ceiling) =>
    open({ request: name, principal, client, ceiling }),
  ).catch(async (error: unknown) => {
    // Of two at once, the other one was first.
    const rival = await known();
    if (rival) return rival;
    throw error;
  });
  if (!begun.fresh && request !== undefined) refuseOther(begun.opened.data.client?.body, client.body);
  drives.add(begun.opened.deliberation, principal);
  return begun;
}

/**
 * Opens a deliberation that is named after the work that it does, and finds it again by the client's name for it (REQUEST-1).
 * @throws Refused 422 for the same name with another body, 503 without room
 */
export async function openWorkOnce(
  { parley, drives, caller }: Pick<Services, "parley" | "drives"> & { readonly caller: ApiCaller },
  { request, client }: NamedRequest,
  open: (client: ClientRequest["client"]) => Promise<Resumed>,
): Promise<OpenedRun> {
  const { principal } = caller;
  const { store } = readingContext(parley, principal);
  const own = request === undefined ? client : { ...client, request: textDigest(request) };
  const known =
    own.request === undefined
      ? []
      : await store.list({
          ...{ limit: 1, requests: CLIENT_WORK.requests },
          opening: [`"request":${canonical(own.request)}`],
        });
  if (known.length === 0) drives.checkRoom();
  const { id, state } = known[0]
    ? { id: known[0].id, state: "closed" as const }
    : await admit(parley, caller, () => open(own));
  const [opened] = await store.read(id);
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  if (known.length > 0) refuseOther(opened.data.client?.body, client.body);
  drives.add(id, principal);
  return { opened, fresh: state === "new" || state === "forked", notes: [] };
}

function refuseOther(known: string | undefined, given: string): void {
  if (known === given) return;
  const detail = "this Idempotency-Key belongs to a request with another body";
  throw new Refused({ status: 422, code: "idempotency-key-reused", detail, next: "give it another key" });
}

/** The events of a deliberation when it has ended, waits for a person or `ms` have passed, whatever comes first. `isOver`: it has ended. */
export async function awaitEnd(
  { parley, followers, world }: Pick<Services, "parley" | "followers" | "world">,
  { id, principal, ms, signal, throughWaiting = false, until: isReached, onEntries }: AwaitedRun,
): Promise<{ readonly entries: readonly Entry[]; readonly isOver: boolean }> {
  const { store } = readingContext(parley, principal);
  const until = world.now() + ms;
  const control = new AbortController();
  const stop = () => control.abort();
  const timer = Number.isFinite(ms) ? setTimeout(stop, Math.max(0, ms)) : undefined;
  signal.addEventListener("abort", stop, { once: true });
  try {
    const entries: Entry[] = [];
    for (;;) {
      const next = followers.next(id, control.signal);
      const fresh = await store.read(id, entries.at(-1)?.seq ?? 0);
      for (const entry of fresh) entries.push(entry);
      onEntries?.(fresh);
      const isOver = isClosed(entries);
      const waits = !throughWaiting && isWaiting(entries);
      if (isOver || waits || isReached?.(entries) || signal.aborted || world.now() >= until)
        return { entries, isOver };
      await next;
    }
  } finally {
    clearTimeout(timer);
    control.abort();
    signal.removeEventListener("abort", stop);
  }
}

export type AwaitedRun = {
  readonly id: DeliberationId;
  readonly principal: Principal;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Whether it waits on while a person is waited for. */
  readonly throughWaiting?: boolean;
  /** Where else it stops. */
  readonly until?: ((entries: readonly Entry[]) => boolean) | undefined;
  /** Called with what was recorded since the last call, from the opening on. */
  readonly onEntries?: ((fresh: readonly Entry[]) => void) | undefined;
};

/** The seconds of `Prefer: wait=N`, in milliseconds; 0 without it. */
export function preferredWait({ request }: Pick<HttpExchange, "request">): number {
  const seconds = /(?:^|[,;\s])wait=(\d{1,4})(?=$|[,;\s])/.exec(String(request.headers["prefer"] ?? ""))?.[1];
  return Math.min(Number(seconds ?? 0), MAX_WAIT_SECONDS) * 1_000;
}

const MAX_WAIT_SECONDS = 600;
