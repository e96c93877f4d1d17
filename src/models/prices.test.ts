import { describe, expect, it } from "vitest";
import { ModelRef, type ModelRequest } from "../kernel/model.ts";
import { createModels } from "./models.ts";
import { builtInLists, createCatalog } from "./model-list.ts";
import { costOf, createSpending } from "./prices.ts";

const price = { model: "x/m", in: 1, out: 2, cached: 0.5, date: "2026-01-01", source: "test" };
const usage = (sent: number | null, answered: number | null, usd: number | null = null) => ({
  tokens: { in: sent, out: answered, cached: null, reasoning: null },
  usd,
});

describe("what a call costs", () => {
  const rates = { ...price, in: 4, out: 20, cached: 0.4, written: 5, search: 0.01 };
  const long = { ...rates, long: { above: 100_000, in: 8, out: 30, cached: 0.8, written: 10 } };
  // Each sum is worked out by hand from the figures before it.
  it.each([
    ["plain", price, { in: 1_000_000, out: 1_000_000 }, 1 + 2],
    ["cached", price, { in: 1_000_000, out: 1_000_000, cached: 400_000 }, 0.6 + 0.2 + 2],
    [
      "cached, without a rate for it",
      { ...price, cached: undefined },
      { in: 1_000_000, out: 0, cached: 400_000 },
      1,
    ],
    ["written", rates, { in: 90_000, out: 0, cached: 20_000, written: 30_000 }, 0.16 + 0.008 + 0.15],
    ["written, without a rate for it", price, { in: 1_000_000, out: 0, written: 400_000 }, 1],
    ["searched for", rates, { in: 1_000, out: 1_000, searches: 3 }, 0.004 + 0.02 + 0.03],
    ["searched for, without a rate for it", price, { in: 0, out: 0, searches: 3 }, 0],
    ["up to the length of a long prompt", long, { in: 100_000, out: 1_000 }, 0.4 + 0.02],
    ["a token above it", long, { in: 100_001, out: 1_000, cached: 100_001 }, 0.0800008 + 0.03],
    ["more cached and written than there was", rates, { in: 10, out: 0, cached: 20, written: 20 }, 4e-6],
  ])("%s", (...[, at, use, usd]) => {
    expect(costOf(at, use)).toBeCloseTo(usd, 12);
  });
});

describe("what a call cost", () => {
  it("is the provider's figure, else the table's, over all attempts", () => {
    const spending = createSpending(price);
    spending.add(usage(10, 20, 0.25));
    expect(spending.cost()).toEqual({ source: "provider", usd: 0.25 });
    spending.add(usage(1_000_000, 0));
    spending.add(usage(null, null));
    expect(spending.cost()).toEqual({ source: "table", usd: 1.25 });
    expect(spending.tokens()).toEqual({ in: 1_000_010, out: 20, cached: null, reasoning: null });
  });

  it("is unknown, never 0, where nobody said, as much as is known where a part broke off, and free where it is", () => {
    const unknown = { source: "unknown", usd: null };
    expect(createSpending(price).cost()).toEqual(unknown);
    const unpriced = createSpending(null);
    unpriced.add(usage(1, 1, 0.5));
    unpriced.add(usage(1, 1));
    expect(unpriced.cost()).toEqual(unknown);
    const part = createSpending(price);
    part.add(usage(7, null));
    expect(part.cost()).toEqual(unknown);
    part.add(usage(1_000_000, 0));
    expect(part.cost()).toEqual({ source: "table", usd: 1 });
    expect(createSpending("free").cost()).toEqual({ source: "free", usd: 0 });
  });
});

describe("a quote", () => {
  const request = (model: string, text = "word"): ModelRequest => ({
    model: ModelRef.parse(model),
    messages: [{ role: "user", text }],
    maxOutputTokens: 1_000,
  });
  const models = createModels({
    env: { OPENAI_API_KEY: "k-1234" },
    locals: { sim: { send: () => Promise.reject(new Error("a quote sends nothing")) } },
    catalog: createCatalog([
      () => [{ source: "test", date: "2026-01-01", models: [{ model: "x/m", in: 1, out: 2 }] }],
      builtInLists,
    ]),
  });

  it("is the worst case: a third of a token a letter, a whole one for other scripts", () => {
    expect(models.quote(request("openai/gpt-5", "x".repeat(300)))).toEqual({
      tokensIn: 108,
      tokensOut: 1_000,
      usd: (108 * 1.25 + 1_000 * 10) / 1e6,
    });
    expect(models.quote(request("openai/gpt-5", "言葉"))).toMatchObject({ tokensIn: 10 });
  });

  it("is not passed by a prompt that is written to the provider's cache", () => {
    const { usd } = models.quote(request("openai/gpt-5.6-sol", "x".repeat(300)));
    expect(usd).toBeCloseTo((108 * 6.25 + 1_000 * 30) / 1e6);
  });

  it("knows free and unknown models, also before a key is set", () => {
    expect(models.quote(request("sim/ada")).usd).toBe(0);
    expect(models.quote(request("ollama/gemma3")).usd).toBe(0);
    expect(models.quote(request("openai/gpt-99")).usd).toBeNull();
    expect(models.quote(request("mistral/mistral-small-latest")).usd).toBeGreaterThan(0);
    expect(models.quote(request("x/m")).usd).toBeCloseTo((10 + 2_000) / 1e6);
  });

  it("has every search that may be made, and is unknown where what one costs is", () => {
    const { tokensIn, usd } = models.quote({ ...request("openai/gpt-5"), search: 3 });
    expect(tokensIn).toBe(models.quote(request("openai/gpt-5")).tokensIn + 3 * 8_000);
    expect(usd).toBeCloseTo((tokensIn * 1.25 + 1_000 * 10) / 1e6 + 3 * 0.01);
    expect(models.quote({ ...request("x/m"), search: 1 }).usd).toBeNull();
    expect(models.quote({ ...request("sim/ada"), search: 1 }).usd).toBe(0);
  });
});
