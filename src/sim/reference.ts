import * as z from "zod";
import { Effort, EFFORTS } from "../kernel/index.ts";
import { findNearest } from "../text/words.ts";
import { shortHash } from "./chance.ts";

/** A simulated model as `sim/NAME?…` describes it. Rates and strengths lie between 0 and 1. */
export type SimParameters = {
  readonly name: string;
  /** Models of one family and seed find the same questions hard and make the same mistakes; null is a family of its own. */
  readonly family: string | null;
  /** A file of facts that it knows besides the built-in ones. */
  readonly facts: string | null;
  /** How many questions it asks where it may ask some; null: as it sees fit. */
  readonly asks: number | null;
  /** The tool that it calls once before it answers, by its name or the end of it, or `*` (`%2A`) for each; with `:` and JSON, these arguments. */
  readonly calls: string | null;
} & typeof defaults;

export type ReferenceReading =
  { readonly ok: true; readonly parameters: SimParameters } | { readonly ok: false; readonly reason: string };

const defaults = {
  /** How often it is right about what it can work out. */
  skill: 0.9,
  /** How long a whole reply takes, in milliseconds; 0 is at once. */
  latency: 0,
  seed: 0,
  /** How often a reply is broken in form. */
  malformed: 0,
  /** How often an attempt fails as an overloaded, busy or unreachable provider does. */
  fail: 0,
  /** How much it favors answers that it is shown early. */
  position: 0,
  /** How much it favors answers that it wrote itself. */
  self: 0,
  /** How much it favors answers that are longer than the others it is shown. */
  length: 0,
  /** The share of its beliefs that it draws anew for every different prompt: 1 makes samples of one model independent. */
  vary: 0,
  /** How much more often it is right where its instructions have it work a result out in a second way. */
  care: 0,
};
type NumberName = keyof typeof defaults | "asks";

/** The largest value of the parameters that are whole numbers. The others are rates, from 0 to 1. */
const wholeMax: { readonly [name: string]: number } = {
  latency: 600_000,
  seed: Number.MAX_SAFE_INTEGER,
  asks: 10,
};
const textNames: readonly string[] = ["calls", "effort", "facts", "family"];
const parameterNames = [...Object.keys(defaults), "asks", ...textNames];
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A name that a reference can have for any name of a model, such as `gemma4:26b`: the same one where it can be had. */
export function toSimName(model: string): string {
  if (namePattern.test(model)) return model;
  const words = model.replace(/[^A-Za-z0-9.-]+/g, "-").replace(/^[.-]+/, "");
  // The hash tells apart what differs only in signs that no reference has.
  return `${words.slice(0, 48)}${words === "" ? "" : "-"}${shortHash(model)}`;
}

/**
 * Reads `sim/NAME?skill=0.8&latency=200&…`; the leading `sim/` may be absent. Values are percent-encoded as in a URL.
 * Without parameters a model has skill 0.9, seed 0, no latency, no faults, no bias and no family.
 */
export function readReference(ref: string): ReferenceReading {
  const [name = "", query = ""] = ref.replace(/^sim\//, "").split(/\?(.*)/s, 2);
  const refuse = (reason: string): ReferenceReading => ({
    ok: false,
    reason: `sim/${name.slice(0, 64)}: ${reason}`,
  });
  if (!namePattern.test(name))
    return refuse(
      "the name must consist of letters, digits, dots and dashes, as in sim/ada?skill=0.8&seed=7",
    );
  const numbers: { [N in NumberName]?: number } = {};
  const texts = new Map<string, string>();
  for (const [key, written] of new URLSearchParams(query)) {
    if (!parameterNames.includes(key))
      return refuse(
        `unknown parameter "${key.slice(0, 40)}"; did you mean "${findNearest(key, parameterNames)}"? Parameters: ${parameterNames.join(", ")}`,
      );
    if (texts.has(key)) return refuse(`"${key}" is given twice`);
    texts.set(key, written);
    // It is taken, so that members can be tried out, and makes no difference.
    if (key === "effort" && !Effort.safeParse(written).success)
      return refuse(`there is no effort "${written.slice(0, 40)}" (there are ${EFFORTS.join(", ")})`);
    if (textNames.includes(key)) continue;
    const max = wholeMax[key];
    const value = /^\d{1,16}(?:\.\d{1,16})?$|^\.\d{1,16}$/.test(written) ? Number(written) : Number.NaN;
    if (!(value <= (max ?? 1)) || (max !== undefined && !Number.isInteger(value)))
      return refuse(
        `${key}=${written.slice(0, 40)} must be ${max ? "an integer" : "a number"} from 0 to ${max ?? 1}`,
      );
    numbers[key as NumberName] = value; // one of the names that are left
  }
  const { family = null, facts = null, calls = null } = Object.fromEntries(texts);
  if (family !== null && !namePattern.test(family))
    return refuse("the family must be one word of letters, digits, dots and dashes");
  if (facts === "") return refuse("facts= must name a file");
  return { ok: true, parameters: { name, family, facts, calls, asks: null, ...defaults, ...numbers } };
}

/**
 * Something that a simulated model knows. A question asks for it when every entry of `about` occurs in it as whole words,
 * in any case; an entry may give alternatives (`author|who wrote`). `wrong` are plausible mistakes; without them the
 * answers to similar questions are.
 */
const Fact = z.strictObject({
  about: z.array(z.string().min(1).max(200)).min(1).max(8),
  answer: z.string().min(1).max(200),
  wrong: z.array(z.string().min(1).max(200)).max(20).optional(),
});
export type Fact = z.infer<typeof Fact>;

/** A file of facts, read as YAML or JSON: `facts:` and a list. */
const FactsFile = z.strictObject({ facts: z.array(Fact).max(10_000) });

export type FactsReading =
  { readonly ok: true; readonly facts: readonly Fact[] } | { readonly ok: false; readonly reason: string };

export function readFacts(data: unknown): FactsReading {
  const read = FactsFile.safeParse(data);
  if (read.success) return { ok: true, facts: read.data.facts };
  const [issue] = read.error.issues;
  const where = issue?.path.join(".") || "the file";
  return { ok: false, reason: `${where}: ${issue?.message ?? "is not a file of facts"}` };
}
