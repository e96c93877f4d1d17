import { describe, expect, it } from "vitest";
import { failureRows, findFailureRow } from "./failure-rows.ts";
import { problemFromBody, problemFromStatus } from "./failures.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const status = (code: number, body: unknown) =>
  problemFromStatus({ status: code, header: () => "" }, JSON.stringify(body), 0);

type Recorded = readonly [status: number, error: unknown, code: string, retry: string];

/** As providers sent them; each stands in the source of the row that decides it, or in one like it. */
const recorded: readonly Recorded[] = [
  // A bad key.
  [
    400,
    {
      code: 400,
      message: "API key not valid. Please pass a valid API key.",
      status: "INVALID_ARGUMENT",
      details: [{ reason: "API_KEY_INVALID" }],
    },
    "unauthorised",
    "never",
  ],
  [
    400,
    { code: 400, message: "Request contains an invalid argument.", details: [{ reason: "API_KEY_INVALID" }] },
    "unauthorised",
    "never",
  ],
  [400, { message: "API Key not found. Please pass a valid API key." }, "unauthorised", "never"],
  [400, { message: "API key expired. Please renew the API key." }, "unauthorised", "never"],
  [
    400,
    "Incorrect API key provided: na***ys. You can obtain an API key from https://console.x.ai.",
    "unauthorised",
    "never",
  ],
  [400, "Incorrect%20API%20key%20provided:%20ba***na.", "unauthorised", "never"],
  [
    400,
    { message: "Authentication Error, Invalid proxy server token passed", type: "auth_error" },
    "unauthorised",
    "never",
  ],
  [
    500,
    { message: '{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}' },
    "unauthorised",
    "never",
  ],
  [401, { type: "authentication_error", message: "invalid x-api-key" }, "unauthorised", "never"],
  // Credit that is used up.
  [
    429,
    {
      message: "You exceeded your current quota, please check your plan and billing details.",
      type: "insufficient_quota",
    },
    "out-of-credit",
    "never",
  ],
  [
    429,
    "Your team 16f2 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.",
    "out-of-credit",
    "never",
  ],
  [
    403,
    "You have run out of credits or need a Grok subscription. Add credits at https://grok.com/",
    "out-of-credit",
    "never",
  ],
  [
    403,
    {
      message: "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys",
      code: 403,
    },
    "out-of-credit",
    "never",
  ],
  [
    429,
    {
      message: "Your account is suspended, please check your plan and billing details",
      type: "exceeded_current_quota_error",
    },
    "out-of-credit",
    "never",
  ],
  [
    429,
    {
      message: "Your prepayment credits are depleted. Please go to AI Studio.",
      status: "RESOURCE_EXHAUSTED",
    },
    "out-of-credit",
    "never",
  ],
  [
    429,
    { type: "rate_limit_error", message: "Extra usage is required for long context requests." },
    "out-of-credit",
    "never",
  ],
  [
    400,
    {
      type: "invalid_request_error",
      message:
        "You have reached your specified API usage limits. You will regain access on 2025-07-01 at 00:00 UTC.",
    },
    "out-of-credit",
    "never",
  ],
  [403, { code: 30001, message: "Sorry, your account balance is insufficient" }, "out-of-credit", "never"],
  [
    429,
    {
      message: "Your account is not active, please check your billing details on our website.",
      code: "billing_not_active",
    },
    "out-of-credit",
    "never",
  ],
  [
    400,
    { message: "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0", type: "budget_exceeded" },
    "out-of-credit",
    "never",
  ],
  [
    402,
    {
      message:
        "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 0.",
    },
    "out-of-credit",
    "never",
  ],
  // What is only too much for now.
  [
    429,
    {
      message:
        "Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
      code: "rate_limit_exceeded",
    },
    "rate-limited",
    "later",
  ],
  [
    429,
    {
      message:
        "Rate limit reached for model `x` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619.",
    },
    "rate-limited",
    "later",
  ],
  [
    429,
    {
      message: "You exceeded your current quota, please check your plan and billing details.",
      status: "RESOURCE_EXHAUSTED",
    },
    "rate-limited",
    "later",
  ],
  [
    429,
    {
      message:
        "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
    },
    "rate-limited",
    "later",
  ],
  [
    429,
    {
      type: "rate_limit_error",
      message: "This request would exceed your account's rate limit. Please try again later.",
    },
    "rate-limited",
    "later",
  ],
  [429, { message: "Too many tokens, please wait before trying again." }, "rate-limited", "later"],
  // A request that can never fit its rate limit.
  [
    413,
    {
      message:
        "Request too large for model `x` in organization `o` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again.",
      type: "tokens",
      code: "rate_limit_exceeded",
    },
    "rate-limited",
    "never",
  ],
  [
    429,
    {
      message:
        "Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested 61337. The input or output tokens must be reduced in order to run successfully.",
    },
    "rate-limited",
    "never",
  ],
  [
    429,
    { message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30,000, Requested 342,389." },
    "rate-limited",
    "never",
  ],
  [429, { message: "Tokens per minute (TPM): Limit 6000, Used 0, Requested 6294." }, "rate-limited", "never"],
  [
    429,
    {
      message:
        "Quota exceeded for metric: generate_content_free_tier_requests, limit: 0, model: gemini-3-pro\nPlease retry in 10.6s.",
      status: "RESOURCE_EXHAUSTED",
    },
    "rate-limited",
    "never",
  ],
  // A context that is too long.
  [
    400,
    {
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion).",
      code: "context_length_exceeded",
    },
    "context-too-long",
    "never",
  ],
  [
    400,
    {
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
    "context-too-long",
    "never",
  ],
  [400, { message: "prompt is too long: 213462 tokens > 200000 maximum" }, "context-too-long", "never"],
  [
    400,
    {
      message:
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)." },
    "context-too-long",
    "never",
  ],
  [
    400,
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "context-too-long",
    "never",
  ],
  [400, { message: "Please reduce the length of the messages or completion." }, "context-too-long", "never"],
  [
    500,
    {
      message: "the request exceeds the available context size, try increasing it",
      type: "exceed_context_size_error",
    },
    "context-too-long",
    "never",
  ],
  [
    400,
    "Trying to keep the first 4200 tokens when context the overflows. The number of tokens to keep from the initial prompt is greater than the context length.",
    "context-too-long",
    "never",
  ],
  [
    400,
    {
      message: "prompt token count of 200000 exceeds the limit of 128000",
      code: "model_max_prompt_tokens_exceeded",
    },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)" },
    "context-too-long",
    "never",
  ],
  [
    400,
    {
      message:
        "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    },
    "context-too-long",
    "never",
  ],
  [400, { message: "Input is too long for requested model." }, "context-too-long", "never"],
  [400, { message: "invalid params, context window exceeds limit (2013)" }, "context-too-long", "never"],
  [
    422,
    {
      message:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
    },
    "context-too-long",
    "never",
  ],
  [400, { message: "tokens in request more than max tokens allowed" }, "context-too-long", "never"],
  [
    400,
    { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081" },
    "context-too-long",
    "never",
  ],
  [
    413,
    {
      message: "Request body too large for gpt-4o model. Max size: 8000 tokens.",
      code: "tokens_limit_reached",
    },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]" },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "Input length 131,393 exceeds the maximum allowed input length of 131,040 tokens." },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "The input (265330 tokens) is longer than the model's context length (262144 tokens)." },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "Input tokens exceed the configured limit of 272000 tokens." },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "prompt too long; exceeded max context length by 1200 tokens" },
    "context-too-long",
    "never",
  ],
  [
    400,
    {
      message:
        "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 6000 input tokens",
    },
    "context-too-long",
    "never",
  ],
  // A limit of replies, not of contexts.
  [
    400,
    {
      message:
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      param: "max_tokens",
    },
    "refused",
    "never",
  ],
  [
    400,
    {
      message:
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    },
    "refused",
    "never",
  ],
  [
    400,
    {
      message:
        "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    },
    "refused",
    "never",
  ],
  [400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "refused", "never"],
  [
    400,
    {
      message:
        "The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
      code: "InvalidParameter",
    },
    "refused",
    "never",
  ],
  [500, "model requires more system memory (5.6 GiB) than is available (2.1 GiB)", "refused", "never"],
  [
    500,
    { code: 500, message: "failed to allocate compute buffers", type: "server_error" },
    "refused",
    "never",
  ],
  [400, "Engine is not loaded yet", "refused", "never"],
  [403, "Invalid host header", "refused", "never"],
  // A filter.
  [
    400,
    {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      code: "content_filter",
    },
    "refused",
    "never",
  ],
  [500, { message: "litellm.ContentPolicyViolationError: AzureException", code: "500" }, "refused", "never"],
  [
    403,
    { message: 'openai/gpt-5 requires moderation. Your input was flagged for "violence".', code: 403 },
    "refused",
    "never",
  ],
  [400, { message: "Content Exists Risk", type: "invalid_request_error" }, "refused", "never"],
  [
    400,
    { message: "Input data may contain inappropriate content.", code: "DataInspectionFailed" },
    "refused",
    "never",
  ],
  [
    400,
    { message: "Unsupported parameter: 'max_tokens' is not supported with this model." },
    "refused",
    "never",
  ],
  // Keys, credit and contexts in other words.
  [
    400,
    { message: "The API Key appears to be invalid or may have expired. Please verify your credentials." },
    "unauthorised",
    "never",
  ],
  [400, { message: "API key provided is not active." }, "unauthorised", "never"],
  [422, { message: "No auth credentials found" }, "unauthorised", "never"],
  [400, { message: "No cookie auth credentials found" }, "unauthorised", "never"],
  [400, { message: "Missing Authentication header" }, "unauthorised", "never"],
  [422, { message: "Authentication credentials were not provided." }, "unauthorised", "never"],
  [
    500,
    { message: "Request had invalid authentication credentials", status: "UNAUTHENTICATED" },
    "unauthorised",
    "never",
  ],
  [403, { message: "Model usage requires prepaid credits. Add funds." }, "out-of-credit", "never"],
  [403, { message: "Payment required: wallet empty" }, "out-of-credit", "never"],
  [403, { message: "You have no balance left; please top up your account." }, "out-of-credit", "never"],
  [429, { message: "Your free credits have expired. Please add credits." }, "out-of-credit", "never"],
  [400, { message: "Account balance is negative, please recharge" }, "out-of-credit", "never"],
  [429, { message: "Monthly usage limit reached. Upgrade your plan." }, "out-of-credit", "never"],
  [429, { message: "You have reached your monthly quota limit" }, "out-of-credit", "never"],
  [403, { message: "The plan's usage limit has been exceeded" }, "out-of-credit", "never"],
  [
    429,
    {
      message:
        "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
    },
    "rate-limited",
    "later",
  ],
  [400, { message: "The prompt is too large: too many total text bytes" }, "context-too-long", "never"],
  [
    500,
    { message: "input is too large to process. increase the physical batch size" },
    "context-too-long",
    "never",
  ],
  [
    400,
    { message: "error: input prompt is too big compared to KV size, please increase KV size" },
    "context-too-long",
    "never",
  ],
  [400, { message: "The conversation is too large." }, "context-too-long", "never"],
  [413, { message: "text is too long for this model" }, "context-too-long", "never"],
];

describe("the table of failures", () => {
  it.each(recorded)("decides HTTP %i %j: %s, sent again %s", (...[code, error, failure, retry]) => {
    expect(status(code, { error })).toMatchObject({ code: failure, retry });
  });

  it("has a source in every row", () => {
    for (const { source } of failureRows) expect(source).toMatch(/^(?:https:\/\/\S+|RFC \d+, [\d.]+)$/);
  });

  const saying = (code: number) => (text: string) => ({ status: code, text });
  it("needs every row: each decides one of these cases", () => {
    const clues = [
      ...recorded.map(([code, error]) => ({ status: code, text: JSON.stringify(error) })),
      ...[402, 403, 404, 408, 413, 429, 501, 503].map((code) => ({ status: code, text: "" })),
      ...["authentication_error", "unauthorized", "rate_limit", "bad_request"].map(saying(0)),
      ...["model is unloaded", "is not supported", "is not configured"].map(saying(500)),
    ];
    const met = new Set(clues.map(findFailureRow));
    expect(failureRows.filter((row) => !met.has(row))).toEqual([]);
  });

  it.each([
    [
      {
        error: {
          message:
            "Error code: 400 - {'error': {'message': 'The response was filtered due to the prompt', 'code': 'content_filter'}}",
        },
      },
      "refused",
    ],
    [
      {
        error: {
          message: "litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException",
          code: null,
        },
      },
      "refused",
    ],
    [{ error: { type: "api_error", message: "Output blocked by content filtering policy" } }, "refused"],
    [{ error: { code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } } }, "refused"],
    [
      { error: { code: 502, message: "Provider returned error", metadata: { raw: "PROHIBITED_CONTENT" } } },
      "refused",
    ],
    [{ error: "Error code: 400 - {'error': {'message': 'no such voice'}}" }, "refused"],
    [{ error: { message: "Error code: 401 - who are you" } }, "unauthorised"],
    [
      { error: { message: "API error (status 403): has either used all available credits" } },
      "out-of-credit",
    ],
  ])("decides what a proxy says inside its stream: %j is %s", (body, code) => {
    expect(problemFromBody(body)).toMatchObject({ code, retry: "never" });
  });

  it("says what can be done where a limit is not that of the context", () => {
    expect(status(400, { error: { message: "max_tokens is too large: 8192" } }).advice).toContain(
      "max_tokens",
    );
    expect(
      status(413, { error: { message: "Request too large on TPM: Limit 1, Requested 2" } }).advice,
    ).toContain("larger than this limit");
  });

  it("decides about an error's beginning in linear time", () => {
    const hostile = [
      "max_tokens ",
      "limit: 1 ",
      "exceed ",
      "prompt ",
      "credits ",
      "no ",
      "%20",
      "api key is ",
    ];
    hostile.push("requires ", "not been ");
    expectLinearReading((message) => status(413, { error: { message } }), hostile, 8_192);
  });
});

it.each([
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  "Unrecognized request argument supplied: max_completion_tokens",
  "max_tokens is not permitted for this model",
  "Unknown parameter: max_output_tokens",
  "'max_new_tokens' is unsupported",
])("a model that takes no limit of a reply at all says so: %s", (message) => {
  const { code, advice } = findFailureRow({ status: 400, text: message });
  expect([code, advice]).toEqual(["refused", expect.stringMatching(/takes neither max_tokens nor/)]);
});
