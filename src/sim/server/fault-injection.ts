import type { ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { ModelRef } from "../../kernel/index.ts";
import { findNearest } from "../../text/words.ts";
import { toSimName } from "../reference.ts";
import type { Sim, Wait } from "../sim.ts";

/** What a server does wrong on request, with the range of each value. */
const ranges = {
  /** Answers with this status instead of a reply. */
  http: [400, 599],
  /** With `http`: the seconds in `Retry-After`. */
  "retry-after": [0, 86_400],
  /** Closes the connection after this many bytes of the body. */
  cut: [0, 2 ** 30],
  /** Accepts the request and never answers. */
  hang: [0, 1],
  /** Milliseconds before anything is sent. */
  delay: [0, 600_000],
  /** Only this many requests for the model, as it is written, meet the faults. */
  times: [0, 1_000_000],
} as const;
type FaultName = keyof typeof ranges;

export type SimFaults = { [F in FaultName]?: number };

type FaultsReading =
  { readonly ok: true; readonly faults: SimFaults } | { readonly ok: false; readonly reason: string };

const isFaultName = (name: string): name is FaultName => Object.hasOwn(ranges, name);

/** Reads `http=429&retry-after=1&times=2`: whole numbers. */
function readFaults(written: string): FaultsReading {
  const faults: SimFaults = {};
  for (const [name, value] of new URLSearchParams(written)) {
    if (!isFaultName(name)) {
      const names = Object.keys(ranges);
      const reason = `"${name.slice(0, 40)}" is not a fault; did you mean "${findNearest(name, names)}"? Faults: ${names.join(", ")}`;
      return { ok: false, reason };
    }
    const [min, max] = ranges[name];
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max))
      return { ok: false, reason: `${name}=${value.slice(0, 40)} must be an integer from ${min} to ${max}` };
    faults[name] = number;
  }
  return { ok: true, faults };
}

/** Splits a model as a request names it, `ada?skill=0.8&http=429`, into the model's reference and the faults. */
function splitModel(model: string): { readonly ref: string; readonly faults: string } {
  const [name = "", query = ""] = model.replace(/^sim\//, "").split(/\?(.*)/s, 2);
  const pairs = query.split("&").filter(Boolean);
  const isFault = (pair: string): boolean => isFaultName(pair.split("=", 1)[0] ?? "");
  const own = pairs.filter((pair) => !isFault(pair));
  return {
    ref: `sim/${toSimName(name)}${own.length > 0 ? `?${own.join("&")}` : ""}`,
    faults: pairs.filter(isFault).join("&"),
  };
}

/** Counts by name, and forgets the name that came longest ago of more than 10,000. */
export function createCounter() {
  const counts = new LRUCache<string, number>({ max: 10_000 });
  return {
    /** How often the name has come by now, this time included. */
    next: (name: string): number => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count;
    },
    forget: (name: string): void => void counts.delete(name),
  };
}

/** Answers with a status and a message in the wire's own form. */
export type Refuse = (status: number, message: string, headers?: { [name: string]: string }) => void;

export type ServerExchange = {
  /** The faults that the request's query and header ask for, beside those in its model. */
  readonly requestedFaults: string;
  readonly response: ServerResponse;
  readonly refuse: Refuse;
  /** Aborts when the connection is closed, by either side. */
  readonly signal: AbortSignal;
};

export type ServerContext = { readonly sim: Sim; readonly wait: Wait };

/**
 * Lets requests meet the faults that they ask for. What comes is to be answered, and `faults` are left to meet; null where
 * they were the answer, or where the client has gone.
 */
export function createFaultInjection({ sim, wait }: ServerContext) {
  const met = createCounter();

  return async (written: string, exchange: ServerExchange) => {
    const { requestedFaults, response, signal } = exchange;
    const refuse = (...refusal: Parameters<Refuse>): null => {
      exchange.refuse(...refusal);
      return null;
    };
    const { ref, faults: inModel } = splitModel(written);
    const requested = readFaults([requestedFaults, inModel].filter(Boolean).join("&"));
    if (!requested.ok) return refuse(400, `simulated: ${requested.reason}`);
    const model = ModelRef.safeParse(ref);
    if (!model.success) return refuse(404, "simulated: a model is written as a name and its parameters");
    const prepared = sim.prepare(model.data);
    if (!prepared.ok) return refuse(404, `simulated: ${prepared.reason}`);

    const wanted = requested.faults;
    const faults = wanted.times !== undefined && met.next(written) > wanted.times ? {} : wanted;
    const { http, delay, "retry-after": retryAfter } = faults;
    if (delay !== undefined) await wait(delay, signal).catch(() => undefined);
    if (faults.hang === 1)
      await new Promise<void>((settle) => signal.addEventListener("abort", () => settle()));
    if (signal.aborted) {
      response.destroy();
      return null;
    }
    const headers = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
    if (http !== undefined) return refuse(http, `simulated: HTTP ${http} on request`, headers);
    return { model: model.data, prepared, faults };
  };
}
