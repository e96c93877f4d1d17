/** US dollars per million tokens. */
export type Rate = {
  readonly in: number;
  readonly out: number;
  /** For input read from the provider's cache; as `in` where absent. */
  readonly cached?: number;
};

export type Price = Rate & {
  /** A reference `provider/model`; a dated version of it (`-2025-08-07`, `-20250929`, `-latest`) is covered too. */
  readonly model: string;
  /** The rate of a whole call whose prompt is longer than `above` tokens. */
  readonly long?: Rate & { readonly above: number };
  /** When the source was last known to say so, and its name. */
  readonly date: string;
  readonly source: string;
};

type Row = readonly [model: string, input: number, output: number, cached?: number];

const page = (source: string, date: string, rows: readonly Row[]): Price[] =>
  rows.map(([model, input, output, cached]) => ({
    model,
    in: input,
    out: output,
    ...(cached === undefined ? {} : { cached }),
    date,
    source,
  }));

const long = (price: Price, rate: Rate & { readonly above: number }): Price => ({ ...price, long: rate });

const google: readonly Price[] = page("Gemini API pricing", "2025-11-30", [
  ["google/gemini-3-pro-preview", 2, 12, 0.2],
  ["google/gemini-2.5-pro", 1.25, 10, 0.125],
  ["google/gemini-2.5-flash", 0.3, 2.5, 0.03],
  ["google/gemini-2.5-flash-lite", 0.1, 0.4, 0.01],
  ["google/gemini-2.0-flash", 0.1, 0.4, 0.025],
]).map((price) => {
  if (price.model === "google/gemini-3-pro-preview") {
    return long(price, { above: 200_000, in: 4, out: 18, cached: 0.4 });
  }
  return price.model === "google/gemini-2.5-pro"
    ? long(price, { above: 200_000, in: 2.5, out: 15, cached: 0.25 })
    : price;
});

/** List prices of well-known models, standard tier, without batch or regional terms. What is not here is unknown. */
export const prices: readonly Price[] = [
  ...page("OpenAI API pricing", "2025-11-30", [
    ["openai/gpt-5.1", 1.25, 10, 0.125],
    ["openai/gpt-5", 1.25, 10, 0.125],
    ["openai/gpt-5-mini", 0.25, 2, 0.025],
    ["openai/gpt-5-nano", 0.05, 0.4, 0.005],
    ["openai/gpt-4.1", 2, 8, 0.5],
    ["openai/gpt-4.1-mini", 0.4, 1.6, 0.1],
    ["openai/gpt-4.1-nano", 0.1, 0.4, 0.025],
    ["openai/gpt-4o", 2.5, 10, 1.25],
    ["openai/gpt-4o-mini", 0.15, 0.6, 0.075],
    ["openai/o3", 2, 8, 0.5],
    ["openai/o4-mini", 1.1, 4.4, 0.275],
  ]),
  ...page("Claude pricing", "2025-11-30", [
    ["anthropic/claude-opus-4-5", 5, 25, 0.5],
    ["anthropic/claude-opus-4-1", 15, 75, 1.5],
    ["anthropic/claude-sonnet-4-5", 3, 15, 0.3],
    ["anthropic/claude-sonnet-4", 3, 15, 0.3],
    ["anthropic/claude-haiku-4-5", 1, 5, 0.1],
    ["anthropic/claude-3-7-sonnet", 3, 15, 0.3],
    ["anthropic/claude-3-5-haiku", 0.8, 4, 0.08],
    ["anthropic/claude-3-haiku", 0.25, 1.25, 0.03],
  ]),
  ...google,
  ...page("Mistral AI API pricing", "2025-11-30", [
    ["mistral/mistral-medium", 0.4, 2],
    ["mistral/mistral-small", 0.1, 0.3],
    ["mistral/codestral", 0.3, 0.9],
  ]),
  ...page("DeepSeek models and pricing", "2025-11-30", [
    ["deepseek/deepseek-chat", 0.28, 0.42, 0.028],
    ["deepseek/deepseek-reasoner", 0.28, 0.42, 0.028],
  ]),
  ...page("xAI models and pricing", "2025-11-30", [
    ["xai/grok-4", 3, 15, 0.75],
    ["xai/grok-3", 3, 15, 0.75],
    ["xai/grok-3-mini", 0.3, 0.5, 0.075],
    ["xai/grok-4-fast-reasoning", 0.2, 0.5, 0.05],
    ["xai/grok-4-fast-non-reasoning", 0.2, 0.5, 0.05],
  ]),
  ...page("Groq pricing", "2025-11-30", [
    ["groq/llama-3.3-70b-versatile", 0.59, 0.79],
    ["groq/llama-3.1-8b-instant", 0.05, 0.08],
    ["groq/openai/gpt-oss-120b", 0.15, 0.6],
    ["groq/openai/gpt-oss-20b", 0.075, 0.3],
  ]),
  ...page("Together AI pricing", "2025-11-30", [
    ["together/meta-llama/Llama-3.3-70B-Instruct-Turbo", 0.88, 0.88],
  ]),
];

/** What a provider appends to a model's name to tell its versions apart: a date, a month, or `latest`. */
const version = /^-(?:latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$/;

/**
 * The first row for a reference, exact rows before those of its undated name; null where the price is not
 * known. A router's price for a model is not its maker's, so `openrouter/…` is only what a row says of it.
 */
export const priceOf = (ref: string, table: readonly Price[] = prices): Price | null =>
  table.find(({ model }) => model === ref) ??
  table.find(({ model }) => ref.startsWith(model) && version.test(ref.slice(model.length))) ??
  null;

/** Dollars for tokens at a price; `in` counts the cached ones too. */
export const costAt = (
  price: Price,
  tokens: { readonly in: number; readonly out: number; readonly cached: number },
): number => {
  const rate = price.long !== undefined && tokens.in > price.long.above ? price.long : price;
  const cached = Math.min(tokens.cached, tokens.in);
  return ((tokens.in - cached) * rate.in + cached * (rate.cached ?? rate.in) + tokens.out * rate.out) / 1e6;
};
