import * as z from "zod";
import { MAX_REPLY_TOKENS } from "../kernel/index.ts";
import { Duration } from "./duration.ts";
import { joinWithOr, type Hint } from "./explain.ts";

// What every kind of value has to be stands on its schema, with an example, and is what an error says.

/** A number, also where the environment or a flag gives it as text. */
function parseNumber(value: unknown): unknown {
  return typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value.trim()) ? Number(value) : value;
}
const WORDS = new Map<unknown, boolean>([
  ...["true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0"].map((word) => [word, false] as const),
]);

/** `on` and `off` as truth is written, or `auto`. */
export function toSwitch(value: unknown): unknown {
  const said = WORDS.get(value) ?? value;
  return typeof said === "boolean" ? (said ? "on" : "off") : said;
}

export function splitEntries(value: unknown): unknown {
  return typeof value === "string" ? value.split(",").map((one) => one.trim()) : value;
}

/** A list, or text with commas between the entries. */
export const entries = <T extends z.ZodType>(list: T, expects: string, example: string) =>
  z.preprocess(splitEntries, list).meta({ expects, example });
export const mapping = <T extends z.ZodType>(name: z.ZodType<string, string>, type: T, hint: Hint) =>
  z.record(name, type).meta({ ...hint });
export function number(type: z.ZodNumber, expects: string, example: string) {
  return z.preprocess(parseNumber, type).meta({ expects, example });
}
export const count = (example: string, of = "") =>
  number(z.int().positive(), `an integer above 0${of}`, example);
export const replyTokens = (example: string) =>
  number(z.int().min(1).max(MAX_REPLY_TOKENS), `an integer from 1 to ${MAX_REPLY_TOKENS}`, example);
export const money = (example: string) =>
  number(z.number().nonnegative(), "a price in US dollars per million tokens", example);
export const degrees = (example: string) => number(z.number().min(0).max(2), "a number from 0 to 2", example);
export const truth = z
  .preprocess((value) => WORDS.get(value) ?? value, z.boolean())
  .meta({ expects: "true or false", example: "true" });
export function time(example: string) {
  return Duration.meta({ ...Duration.meta(), example });
}
export function line(max: number, hint: Hint = { expects: "a line of text" }) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u)
    .meta({ ...hint });
}

export function choice<const T extends string>(
  values: readonly T[],
  example: T,
  read = (value: unknown) => value,
) {
  return z.preprocess(read, z.enum(values)).meta({ expects: joinWithOr(values), example });
}
