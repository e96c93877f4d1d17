import { describe, expect, it } from "vitest";
import { ModelRef, type ModelRequest } from "../kernel/model.ts";
import { createModels } from "./models.ts";
import { costOfTokens, findPrice, prices, createSpending } from "./prices.ts";

const price = { model: "x/m", in: 1, out: 2, cached: 0.5, date: "2026-01-01", source: "test" };
const usage = (sent: number | null, answered: number | null, usd: number | null = null) => ({
  tokens: { in: sent, out: answered, cached: null, reasoning: null },
  usd,
});

describe("a price", () => {
  it("is found for a model and its dated versions, and for no other", () => {
    expect(findPrice("openai/gpt-4o")?.model).toBe("openai/gpt-4o");
    expect(findPrice("openai/gpt-4o-2024-08-06")?.model).toBe("openai/gpt-4o");
    expect(findPrice("anthropic/claude-sonnet-4-5-20250929")?.model).toBe("anthropic/claude-sonnet-4-5");
    expect(findPrice("openai/gpt-4o-mini")?.model).toBe("openai/gpt-4o-mini");
    for (const ref of [
      "openai/gpt-4o-audio-preview",
      "openai/gpt-4",
      "openrouter/openai/gpt-4o",
      "compatible/box/gpt-4o",
    ]) {
      expect(findPrice(ref)).toBeNull();
    }
  });

  it("has a date, a source and sane figures in every row, and each model once", () => {
    expect(new Set(prices.map(({ model }) => model)).size).toBe(prices.length);
    for (const row of prices) {
      expect(row).toMatchObject({
        date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        source: expect.stringMatching(/./),
      });
      expect(row.out).toBeGreaterThanOrEqual(row.in);
      expect(row.cached ?? row.in).toBeLessThanOrEqual(row.in);
    }
  });

  it("counts cached tokens at their own rate and long prompts at theirs", () => {
    expect(costOfTokens(price, { in: 1_000_000, out: 1_000_000, cached: 400_000 })).toBeCloseTo(
      0.6 + 0.2 + 2,
    );
    const long = { ...price, long: { above: 10, in: 10, out: 20 } };
    expect(costOfTokens(long, { in: 11, out: 0, cached: 11 })).toBeCloseTo(110e-6);
    expect(costOfTokens(long, { in: 10, out: 0, cached: 0 })).toBeCloseTo(10e-6);
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

  it("is unknown, never 0, where nobody said, and free where it is", () => {
    const unknown = { source: "unknown", usd: null };
    expect(createSpending(price).cost()).toEqual(unknown);
    const unpriced = createSpending(null);
    unpriced.add(usage(1, 1, 0.5));
    unpriced.add(usage(1, 1));
    expect(unpriced.cost()).toEqual(unknown);
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
    prices: [price],
  });

  it("is the worst case: a third of a token a letter, a whole one for other scripts", () => {
    expect(models.quote(request("openai/gpt-5", "x".repeat(300)))).toEqual({
      tokensIn: 108,
      tokensOut: 1_000,
      usd: (108 * 1.25 + 1_000 * 10) / 1e6,
    });
    expect(models.quote(request("openai/gpt-5", "言葉"))).toMatchObject({ tokensIn: 10 });
  });

  it("knows free and unknown models, also before a key is set", () => {
    expect(models.quote(request("sim/ada")).usd).toBe(0);
    expect(models.quote(request("ollama/gemma3")).usd).toBe(0);
    expect(models.quote(request("openai/gpt-99")).usd).toBeNull();
    expect(models.quote(request("mistral/mistral-small-latest")).usd).toBeGreaterThan(0);
    expect(models.quote(request("x/m")).usd).toBeCloseTo((10 + 2_000) / 1e6);
  });
});
