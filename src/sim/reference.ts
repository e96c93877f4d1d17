import { nearest } from "./nearest.ts";

/** A simulated model as `sim/NAME?…` describes it. Rates and strengths lie between 0 and 1. */
export type Simulated = {
  readonly name: string;
  /** How often it is right about what it can work out. */
  readonly skill: number;
  /** How long a whole reply takes, in milliseconds; 0 is at once. */
  readonly latency: number;
  readonly seed: number;
  /** Models of one family and seed find the same questions hard and make the same mistake on them; null is a family of its own. */
  readonly family: string | null;
  /** The share of its beliefs that it draws anew for every different prompt: 1 makes samples of one model independent. */
  readonly vary: number;
  /** How often a reply is broken in form. */
  readonly malformed: number;
  /** How often an attempt fails as an overloaded, busy or unreachable provider does. */
  readonly fail: number;
  /** How much it favours answers that it is shown early. */
  readonly position: number;
  /** How much it favours answers that it wrote itself. */
  readonly self: number;
  /** How much it favours answers that are longer than the others it is shown. */
  readonly length: number;
  /** How many questions it asks before a debate; null: as it sees fit. */
  readonly asks: number | null;
  /** A file of facts that it knows besides the built-in ones. */
  readonly facts: string | null;
};

export type Reading =
  { readonly ok: true; readonly simulated: Simulated } | { readonly ok: false; readonly reason: string };

const rate = { least: 0, most: 1, whole: false };

/** The parameters that are numbers, with what each is when it is not given. */
const numbers = {
  skill: { ...rate, value: 0.9 },
  latency: { least: 0, most: 600_000, whole: true, value: 0 },
  seed: { least: 0, most: Number.MAX_SAFE_INTEGER, whole: true, value: 0 },
  malformed: { ...rate, value: 0 },
  fail: { ...rate, value: 0 },
  position: { ...rate, value: 0 },
  self: { ...rate, value: 0 },
  length: { ...rate, value: 0 },
  vary: { ...rate, value: 0 },
  asks: { least: 0, most: 10, whole: true, value: null },
};
type NumberName = keyof typeof numbers;
const isNumberName = (name: string): name is NumberName => Object.hasOwn(numbers, name);

const parameterNames: readonly string[] = [...Object.keys(numbers), "family", "facts"];

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Reads `sim/NAME?skill=0.8&latency=200&…`; the leading `sim/` may be absent. Values are percent-encoded as in
 * a URL. Without parameters a model has skill 0.9, seed 0, no latency, no faults, no bias and no family. Refuses
 * what it does not know or what is out of range, in words for the person who wrote it.
 */
export function readReference(ref: string): Reading {
  const path = ref.startsWith("sim/") ? ref.slice("sim/".length) : ref;
  const mark = path.indexOf("?");
  const name = mark < 0 ? path : path.slice(0, mark);
  const refuse = (why: string): Reading => ({ ok: false, reason: `sim/${name.slice(0, 64)}: ${why}` });
  if (!namePattern.test(name)) {
    return refuse(
      "a simulated model is written sim/NAME?skill=0.8&seed=7, its name in letters, digits, dots and dashes",
    );
  }
  const values: { [N in NumberName]?: number } = {};
  const texts = new Map<string, string>();
  for (const [key, written] of new URLSearchParams(mark < 0 ? "" : path.slice(mark + 1))) {
    if (!parameterNames.includes(key)) {
      const like = nearest(key, parameterNames);
      return refuse(
        `there is no parameter "${key.slice(0, 40)}"; did you mean "${like}"? There are ${parameterNames.join(", ")}`,
      );
    }
    if (texts.has(key)) return refuse(`"${key}" is given twice`);
    texts.set(key, written);
    if (!isNumberName(key)) continue;
    const { least, most, whole } = numbers[key];
    const value = /^\d{1,16}(?:\.\d{1,16})?$|^\.\d{1,16}$/.test(written) ? Number(written) : Number.NaN;
    if (!(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
      return refuse(
        `${key}=${written.slice(0, 40)} is not ${whole ? "a whole number" : "a number"} from ${least} to ${most}`,
      );
    }
    values[key] = value;
  }
  const family = texts.get("family") ?? null;
  if (family !== null && !namePattern.test(family))
    return refuse("a family is one word of letters, digits, dots and dashes");
  const facts = texts.get("facts") ?? null;
  if (facts === "") return refuse("facts= names no file");
  const number = (key: Exclude<NumberName, "asks">): number => values[key] ?? numbers[key].value;
  return {
    ok: true,
    simulated: {
      name,
      skill: number("skill"),
      latency: number("latency"),
      seed: number("seed"),
      family,
      malformed: number("malformed"),
      fail: number("fail"),
      position: number("position"),
      self: number("self"),
      length: number("length"),
      vary: number("vary"),
      asks: values.asks ?? numbers.asks.value,
      facts,
    },
  };
}
