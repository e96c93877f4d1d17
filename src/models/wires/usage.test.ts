import { expect, it } from "vitest";
import { costOf, createSpending } from "../prices.ts";
import { anthropic } from "./anthropic.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openaiResponses } from "./openai-responses.ts";

// US dollars per million tokens and per search, so that each sum can be worked out by hand.
const price = {
  ...{ model: "x/m", date: "2026-11-18", source: "test" },
  ...{ in: 4, out: 20, cached: 0.4, written: 5, search: 0.01 },
};

const chat = (usage: object) => ({
  choices: [{ message: { content: "yes" }, finish_reason: "stop" }],
  usage,
});
const response = (usage: object, ...items: readonly object[]) => ({
  ...{ object: "response", status: "completed", usage },
  output: [...items, { type: "message", content: [{ type: "output_text", text: "yes" }] }],
});
const search = (type?: string) => ({
  type: "web_search_call",
  ...(type === undefined ? {} : { action: { type } }),
});
const message = (usage: object) => ({
  ...{ type: "message", role: "assistant", stop_reason: "end_turn", usage },
  content: [{ type: "text", text: "yes" }],
});

it.each([
  [
    "OpenAI, chat: thinking is a part of what was written, cached and kept are parts of what was read",
    openaiCompatible.readWhole(
      chat({
        ...{ prompt_tokens: 10_000, completion_tokens: 2_000, total_tokens: 12_000 },
        prompt_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 5_000 },
        completion_tokens_details: { reasoning_tokens: 1_500 },
      }),
    ),
    { in: 10_000, out: 2_000, cached: 4_000, reasoning: 1_500, written: 5_000 },
    0.004 + 0.0016 + 0.025 + 0.04,
  ],
  [
    "Gemini and xAI, chat: thinking stands beside what was written, and only the total has it",
    openaiCompatible.readWhole(chat({ prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 2_200 })),
    { in: 1_000, out: 1_200, cached: null, reasoning: 1_000 },
    0.004 + 0.024,
  ],
  [
    "DeepSeek, chat: cached under its own name",
    openaiCompatible.readWhole(
      chat({
        prompt_tokens: 1_000,
        completion_tokens: 100,
        total_tokens: 1_100,
        prompt_cache_hit_tokens: 750,
      }),
    ),
    { in: 1_000, out: 100, cached: 750, reasoning: null },
    0.001 + 0.0003 + 0.002,
  ],
  [
    "OpenRouter, chat: what it charged itself counts, searches included",
    openaiCompatible.readWhole(
      chat({
        ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, cost: 0.123 },
        server_tool_use: { web_search_requests: 2 },
      }),
    ),
    { in: 1_000, out: 100, cached: null, reasoning: null },
    0.123,
  ],
  [
    "xAI, responses: its own figure, which has the searches",
    openaiResponses.readWhole(
      response(
        {
          ...{ input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
          cost_in_usd_ticks: 370_000_000,
        },
        search(),
      ),
    ),
    { in: 1_000, out: 100, cached: null, reasoning: null },
    0.037,
  ],
  [
    "OpenAI, responses: each search, and no page that was opened",
    openaiResponses.readWhole(
      response(
        {
          ...{ input_tokens: 10_000, output_tokens: 2_000, total_tokens: 12_000 },
          input_tokens_details: { cached_tokens: 4_000 },
          output_tokens_details: { reasoning_tokens: 1_500 },
        },
        ...[search("search"), search("open_page"), search("find"), search()],
      ),
    ),
    { in: 10_000, out: 2_000, cached: 4_000, reasoning: 1_500 },
    0.024 + 0.0016 + 0.04 + 0.02,
  ],
  [
    "Anthropic: cached and kept stand beside what was read",
    anthropic.readWhole(
      message({
        ...{ input_tokens: 1_000, output_tokens: 2_000 },
        ...{ cache_creation_input_tokens: 5_000, cache_read_input_tokens: 4_000 },
        server_tool_use: { web_search_requests: 3 },
      }),
    ),
    { in: 10_000, out: 2_000, cached: 4_000, reasoning: null, written: 5_000 },
    0.004 + 0.0016 + 0.025 + 0.04 + 0.03,
  ],
])("%s", (...[, completion, tokens, usd]) => {
  expect(completion).toMatchObject({ ok: true, text: "yes" });
  expect(completion.usage.tokens).toEqual(tokens);
  const spending = createSpending(price);
  spending.add(completion.usage);
  expect(spending.cost().usd).toBeCloseTo(usd, 12);
  // What is recorded of a call is enough to work its cost out again.
  const { in: all, out, cached, written } = spending.tokens();
  if (completion.usage.usd === null)
    expect(
      costOf(price, {
        in: all ?? 0,
        out: out ?? 0,
        cached: cached ?? 0,
        written,
        searches: spending.searches(),
      }),
    ).toBeCloseTo(usd, 12);
});

it("counts tokens, what was kept and searches over all attempts", () => {
  const usage = {
    tokens: { in: 10, out: 5, cached: null, reasoning: null, written: 4 },
    searches: 1,
    usd: null,
  };
  const spending = createSpending(price);
  spending.add(usage);
  spending.add(usage);
  expect(spending.tokens()).toMatchObject({ in: 20, out: 10, written: 8 });
  expect(spending.searches()).toBe(2);
});
