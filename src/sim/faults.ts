import { nearest } from "./nearest.ts";

/** What a server does wrong on request. */
export type Faults = {
  /** Answers with this status instead of a reply. */
  readonly http?: number;
  /** With `http`: the seconds in `Retry-After`. */
  readonly retryAfter?: number;
  /** Closes the connection after so many bytes of the body. */
  readonly cut?: number;
  /** Accepts the request and never answers. */
  readonly hang?: boolean;
  /** Milliseconds before anything is sent. */
  readonly delay?: number;
  /** Only the first so many requests for this model meet the faults. */
  readonly times?: number;
};

export type FaultsReading =
  { readonly ok: true; readonly faults: Faults } | { readonly ok: false; readonly reason: string };

const ranges = {
  http: { field: "http", least: 400, most: 599 },
  "retry-after": { field: "retryAfter", least: 0, most: 86_400 },
  cut: { field: "cut", least: 0, most: 2 ** 30 },
  hang: { field: "hang", least: 0, most: 1 },
  delay: { field: "delay", least: 0, most: 600_000 },
  times: { field: "times", least: 0, most: 1_000_000 },
} as const;

const isFaultName = (name: string): name is keyof typeof ranges => Object.hasOwn(ranges, name);

/** Reads `http=429&retry-after=1&times=2`: whole numbers, each name once. */
export function readFaults(written: string): FaultsReading {
  const faults: { -readonly [F in keyof Faults]: Faults[F] } = {};
  for (const [name, value] of new URLSearchParams(written)) {
    if (!isFaultName(name)) {
      return {
        ok: false,
        reason: `there is no fault "${name.slice(0, 40)}"; did you mean "${nearest(name, Object.keys(ranges))}"? There are ${Object.keys(ranges).join(", ")}`,
      };
    }
    const { field, least, most } = ranges[name];
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most))
      return {
        ok: false,
        reason: `${name}=${value.slice(0, 40)} is not a whole number from ${least} to ${most}`,
      };
    if (field === "hang") faults.hang = number === 1;
    else faults[field] = number;
  }
  return { ok: true, faults };
}

/** A model as a request names it, `ada?skill=0.8&http=429`, in the reference of the model and the faults asked for. */
export function splitModel(model: string): { readonly ref: string; readonly faults: string } {
  const path = model.startsWith("sim/") ? model.slice("sim/".length) : model;
  const [name = "", query = ""] = path.split(/\?(.*)/s, 2);
  const pairs = query.split("&").filter(Boolean);
  const isFaultPair = (pair: string): boolean => isFaultName(pair.split("=", 1)[0] ?? "");
  const own = pairs.filter((pair) => !isFaultPair(pair));
  return {
    ref: `sim/${name}${own.length > 0 ? `?${own.join("&")}` : ""}`,
    faults: pairs.filter(isFaultPair).join("&"),
  };
}
