import * as z from "zod";

const text = z.string();
const figure = z.number().nullable();
/** Taking pictures, taking PDFs as they are, calling tools, thinking before it answers, its provider's own search of the web. */
const Ability = z.enum(["pictures", "documents", "tools", "thinking", "search"]);

/** A figure with the number of observations that it rests on and its 95 % interval; null where nothing tells it. */
export const Estimate = z.strictObject({
  value: figure,
  n: z.int().nonnegative(),
  low: figure,
  high: figure,
});
export type Estimate = z.infer<typeof Estimate>;

/** What recorded calls took, as every result prints it. */
export const SPENT = {
  ...{ calls: z.int(), unknown: z.int() },
  tokens: z.strictObject({ in: figure, out: figure, cached: figure, thinking: figure }),
  cost: z.strictObject({ usd: figure, source: text }),
};

/** A figure on the shortest course, on the usual one, and at most. */
const Range = z.strictObject({ low: z.number(), expected: z.number(), high: z.number() });
export type Range = z.infer<typeof Range>;

/** Figures of a phase or of a whole run. `usd` is null where a price is not known. */
const EstimatedCost = z.strictObject({ calls: Range, tokens: Range, usd: Range.nullable() });
export type EstimatedCost = z.infer<typeof EstimatedCost>;

/** What a run would take. Its total counts only the most expensive of courses that exclude each other. */
export const RunEstimate = z.strictObject({
  protocol: text,
  /** Empty where the protocol, or something that reacts to its answer, cannot be tried without models. */
  phases: z.array(EstimatedCost.extend({ name: text, course: text.nullable() })),
  /** Null where the phases are not known. */
  total: EstimatedCost.nullable(),
  /** What cannot be tried without models: a protocol or a reactor. */
  undeclared: z.array(text),
  /** The models without a known price. */
  unpriced: z.array(text),
  /** Who would take part, with the effort that stands with a model, and what its provider would be sent beside the prompt. */
  participants: z.array(
    z.strictObject({ id: text, model: text, options: z.record(z.string(), z.unknown()).nullable() }),
  ),
  /** The oldest date of the list prices that it is made with, where that is long ago. */
  oldPrices: text.nullable(),
  /** The caps of the run, which hold whatever its whole course would come to. */
  caps: z.strictObject({ calls: z.int().optional(), tokens: z.int().optional(), usd: z.number().optional() }),
});
export type RunEstimate = z.infer<typeof RunEstimate>;

/** What a fork would take if it reused nothing, and what it can reuse. */
export const ForkEstimate = RunEstimate.extend({
  /** The parent's recorded calls that are reused at most: those of participants that the changes leave as they are. */
  reusable: z.int(),
});
export type ForkEstimate = z.infer<typeof ForkEstimate>;

export const ModelList = z.strictObject({
  models: z.array(
    z.strictObject({
      ...{ ref: text, family: text.nullable() },
      /** Tokens that a prompt and its reply may have together; null where it is not known. */
      context: z.number().nullable(),
      /** The longest reply in tokens; null where it is not known. */
      output: z.number().nullable(),
      /** What it takes beside text and can do; what is in neither is unknown. */
      ...{ can: z.array(Ability), cannot: z.array(Ability) },
      how: text,
      /** What is known without a call: that its server answers, or only that a key or an address is set. */
      reachable: z.enum(["answers", "configured", "key set", "URL set", "installed", "simulated", "no"]),
      /** In US dollars per million tokens. */
      price: z.union([
        z.strictObject({ in: z.number(), out: z.number(), date: text, source: text }),
        z.literal("free"),
        z.literal("subscription"),
        z.null(),
      ]),
    }),
  ),
  /** The providers that cannot be reached, and what would make them so. */
  missing: z.array(z.strictObject({ provider: text, next: text })),
});
export type ModelList = z.infer<typeof ModelList>;
/** An available model. */
export type ModelRow = ModelList["models"][number];

/** Calls of one key, counted as in `Spent`. */
const CostRow = z.strictObject({
  ...{ key: text, calls: z.int(), unknown: z.int() },
  /** How many of `calls` have no known price. */
  unpriced: z.int(),
  /** How many of `calls` a subscription pays for. */
  subscription: z.int(),
  /** Of those whose cost is known. `tokens.thinking`: how many of those out were. */
  usd: z.number(),
  tokens: z.strictObject({ in: z.number(), out: z.number(), thinking: z.number() }),
});
export type CostRow = z.infer<typeof CostRow>;

/** What recorded calls cost. */
export const Usage = z.strictObject({
  by: text,
  /** ISO 8601 in UTC; null for all time. */
  since: text.nullable(),
  /** Whose days the rows by day are. */
  timeZone: text,
  rows: z.array(CostRow),
  total: CostRow,
  /** What keys are called, where rows are by key. */
  names: z.record(text, text),
});
export type UsageReport = z.infer<typeof Usage>;
