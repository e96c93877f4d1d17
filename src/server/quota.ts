import { LRUCache } from "lru-cache";
import type { CostRow } from "../contract/figures.ts";
import type { Ceiling } from "../app/context.ts";
import type { Parley } from "../app/parley.ts";
import { spentSoFar } from "../engine/index.ts";
import {
  canonical,
  isEvent,
  type Budget,
  type DeliberationId,
  type Principal,
  type Reservation,
  type World,
} from "../kernel/index.ts";
import type { Credential } from "../stores/credentials.ts";
import { sumCosts } from "../views/cost.ts";
import { Refused } from "./problem.ts";
import { readingContext } from "./results.ts";

// QUOTA-1. A key's limits of a day hold for all that it has opened since midnight UTC: what has ended counts as what it took at most, so
//     also requests of which nobody knows what they took, and what is under way as the most that it may take, so that many at once cannot
//     pass them together. Else: a key spends beyond its day's limit.

/** How a request named itself. */
export type ApiCaller = {
  readonly credential: Credential;
  readonly principal: Principal;
  readonly by: "cookie" | "header";
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Of a key that says nothing of it: far more than people and programs ask, and less than a loop without end. */
const USUAL_REQUESTS_A_MINUTE = 6_000;
const MAX_KEYS = 10_000;
/** Deliberations of a day that are counted. */
const MAX_COUNTED = 10_000;

const tooMany = (code: string, detail: string, afterMs: number): Refused =>
  new Refused({
    ...{ status: 429, code, detail },
    next: "try again later, or ask the owner of this server for more",
    headers: { "retry-after": String(Math.max(1, Math.ceil(afterMs / 1_000))) },
  });

export function createRequestCounter({ now }: Pick<World, "now">) {
  /** What each key may still send, as of a moment; it fills up again over a minute. */
  const left = new LRUCache<string, { readonly requests: number; readonly at: number }>({ max: MAX_KEYS });
  return ({ id, kind, limits }: Credential): void => {
    if (kind !== "key") return;
    const most = limits.requestsPerMinute ?? USUAL_REQUESTS_A_MINUTE;
    const at = now();
    const before = left.get(id) ?? { requests: most, at };
    const requests = Math.min(most, before.requests + (Math.max(0, at - before.at) * most) / MINUTE_MS);
    left.set(id, { requests: requests < 1 ? requests : requests - 1, at });
    if (requests < 1)
      throw tooMany(
        "rate-limited",
        `this key may send ${most} requests a minute`,
        ((1 - requests) * MINUTE_MS) / most,
      );
  };
}

const admissions = new WeakMap<Parley, ReturnType<typeof createAdmission>>();

/** Opens something under what is left to the caller's key, one after the other for each key. (QUOTA-1) @throws Refused 429 */
export function admit<T>(
  parley: Parley,
  caller: ApiCaller,
  open: (ceiling: Ceiling | undefined) => Promise<T>,
): Promise<T> {
  const { usdPerDay, callsPerDay, atOnce, models } = caller.credential.limits;
  if ([usdPerDay, callsPerDay, atOnce].every((limit) => limit === undefined))
    return open(models === undefined ? undefined : { models });
  const admission = admissions.get(parley) ?? createAdmission(parley);
  admissions.set(parley, admission);
  return admission(caller, open);
}

function createAdmission(parley: Parley) {
  /** What runs that have ended took, as of their last event: a reaction may record after the end. */
  const ended = new LRUCache<DeliberationId, Pick<Reservation, "usd" | "calls"> & { readonly seq: number }>({
    max: MAX_COUNTED,
  });
  const turns = new Map<string, Promise<unknown>>();

  async function ceilingFor({ credential: { id: key, limits }, principal }: ApiCaller): Promise<Ceiling> {
    const { store, world } = readingContext(parley, principal);
    const now = world.now();
    const midnight = now - (now % DAY_MS);
    const since = new Date(midnight).toISOString();
    const opening = [`"key":${canonical(key)}`];
    const opened = await store.list({ limit: MAX_COUNTED, since, opening });
    const gone = (await store.tombstones(since)).filter((one) => one.key === key);
    const forgotten = sumCosts(gone.flatMap(({ spent }) => spent.model as CostRow[])); // `spentIn` made them
    let { usd } = forgotten;
    let calls = forgotten.calls + forgotten.unknown;
    let open = 0;
    for (const { id, seq, status } of opened) {
      const known = ended.get(id);
      const entries = known?.seq === seq ? [] : await store.read(id);
      const took = known?.seq === seq ? known : spentSoFar(entries, await store.reservations(id));
      const isOver = status !== "open";
      if (isOver) ended.set(id, { usd: took.usd, calls: took.calls, seq });
      const [first] = entries;
      const cap: Budget = !isOver && first && isEvent(first, "deliberation-opened") ? first.data.budget : {};
      open += Number(!isOver);
      usd += Math.max(took.usd, cap.usd ?? 0);
      calls += Math.max(took.calls, cap.calls ?? 0);
    }
    if (limits.atOnce !== undefined && open >= limits.atOnce)
      throw tooMany("rate-limited", `this key may have ${limits.atOnce} runs at once`, 5_000);
    const left = {
      ...(limits.usdPerDay === undefined ? {} : { usd: limits.usdPerDay - usd }),
      ...(limits.callsPerDay === undefined ? {} : { calls: limits.callsPerDay - calls }),
    };
    if ((left.usd ?? 1) <= 0 || (left.calls ?? 1) < 1)
      throw tooMany("quota-exhausted", "this key has nothing left for today", midnight + DAY_MS - now);
    return { budget: left, models: limits.models };
  }

  return async <T>(caller: ApiCaller, open: (ceiling: Ceiling) => Promise<T>): Promise<T> => {
    const { id } = caller.credential;
    const before = turns.get(id) ?? Promise.resolve();
    const own = before.catch(() => undefined).then(async () => open(await ceilingFor(caller)));
    turns.set(id, own);
    try {
      return await own;
    } finally {
      if (turns.get(id) === own) turns.delete(id);
    }
  };
}
