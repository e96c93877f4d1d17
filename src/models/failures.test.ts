import { describe, expect, it } from "vitest";
import { problemFromBody, problemFromStatus } from "./failures.ts";

const status = (code: number, body: unknown) =>
  problemFromStatus(
    { status: code, header: () => "" },
    typeof body === "string" ? body : JSON.stringify(body),
    0,
  );

describe("what a provider answers instead of a reply", () => {
  it.each([
    [501, "This server does not support embeddings. Start it with `--embeddings`", "was not started for it"],
    [500, "tools param requires --jinja flag", "was not started for it"],
    [500, "image input isn't supported by this projector", "was not started for it"],
    [500, "Not Implemented: grammar with tools", "was not started for it"],
    [500, "there is no support for logprobs here", "was not started for it"],
    [503, "no model is currently loaded", "load, configure"],
    [500, "the reranker has not been configured", "load, configure"],
    [500, "The adapter wasn't loaded", "load, configure"],
    [500, "this endpoint is disabled", "load, configure"],
    [0, "speculative decoding is not enabled", "load, configure"],
    [500, "model requires more system memory (5.6 GiB) than is available (2.1 GiB)", "lacks memory"],
    [400, "No models loaded. Please load a model in the developer page.", "load it there"],
    [500, "llama runner process has terminated: cudaMalloc failed: out of memory", "lacks memory"],
    [500, "failed to allocate compute buffers", "lacks memory"],
    [400, "Model loading was stopped due to insufficient system resources.", "lacks memory"],
    [404, "No running session found for model 'foo'", "load it there"],
    [500, "model name=foo failed to load", "load it there"],
    [409, "Model has not been loaded, please load model into nitro", "load it there"],
    [403, "Invalid host header", "name this host there"],
    [501, "", "does not do this"],
  ])("asks once for what a server does not have: %i %s", (code, message, words) => {
    const problem =
      code === 0 ? problemFromBody({ error: { message } }) : status(code, { error: { message } });
    expect(problem).toMatchObject({ code: "refused", retry: "never" });
    expect(problem.advice).toContain(words);
  });

  it.each([
    [503, "Loading model"],
    [503, "the model is not loaded yet"],
    [500, "model not loaded: the server is busy, try again"],
    [500, "not enabled: over capacity"],
    [502, "no answer from upstream"],
    [400, "Model is unloaded."],
    [500, "Model qwen was unloaded"],
  ])("asks again for what passes by itself: %i %s", (code, message) => {
    expect(status(code, { error: message })).toMatchObject({ code: "overloaded", retry: "later" });
  });

  it.each([
    [401, { error: { message: "bad key" } }, "unauthorised", "never"],
    [403, { error: { message: "country not supported" } }, "unauthorised", "never"],
    [403, { error: { message: "input was flagged", code: 403 } }, "refused", "never"],
    [402, { error: { message: "Insufficient Balance" } }, "out-of-credit", "never"],
    [429, { error: { message: "check your plan", code: "insufficient_quota" } }, "out-of-credit", "never"],
    [400, { error: { message: "Your credit balance is too low" } }, "out-of-credit", "never"],
    [429, { error: { message: "You exceeded your current quota, see billing" } }, "rate-limited", "later"],
    [413, { error: { type: "request_too_large", message: "too big" } }, "context-too-long", "never"],
    [400, { error: { code: "context_length_exceeded", message: "no" } }, "context-too-long", "never"],
    [400, { error: { message: "prompt is too long: 210000 tokens > 200000" } }, "context-too-long", "never"],
    [500, { error: "the request exceeds the available context size" }, "context-too-long", "never"],
    [
      400,
      [{ error: { message: "The input token count (9) exceeds the maximum" } }],
      "context-too-long",
      "never",
    ],
    [404, { error: { message: "model 'x' not found" } }, "refused", "never"],
    [422, { detail: "what?" }, "refused", "never"],
    [408, "", "timed-out", "later"],
    [500, "", "overloaded", "later"],
    [502, "<html><style>p{}</style><p>Bad gateway</p></html>", "overloaded", "later"],
    [
      503,
      { error: "server busy, please try again. maximum pending requests exceeded" },
      "overloaded",
      "later",
    ],
    [
      529,
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      "overloaded",
      "later",
    ],
  ])("HTTP %i %j is %s", (...[code, body, failure, retry]) => {
    expect(status(code, body)).toMatchObject({ code: failure, retry });
  });

  it("keeps the words, an upstream's too, and says so where there are none", () => {
    expect(status(502, "<html><style>p{}</style><p>Bad gateway</p></html>").words).toBe(
      "Bad gateway (HTTP 502)",
    );
    expect(status(500, "").words).toBe("HTTP 500 without a word");
    expect(
      status(400, { error: { message: "Provider returned error", metadata: { raw: "no such voice" } } })
        .words,
    ).toBe("Provider returned error: no such voice (HTTP 400)");
  });

  it("asks for less at once after a 429, and after an overload that says so", () => {
    expect(status(429, "").crowded).toBe(true);
    expect(status(503, { error: "server busy, maximum pending requests exceeded" }).crowded).toBe(true);
    expect(status(503, "").crowded).toBe(false);
  });

  it("finds Google's wait in the body", () => {
    const details = [{ "@type": "QuotaFailure" }, { "@type": "RetryInfo", retryDelay: "36.5s" }];
    expect(status(429, [{ error: { message: "quota", details } }]).waitMs).toBe(36_500);
  });

  it.each([
    [{ error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded", "later"],
    [{ error: { type: "rate_limit_error", message: "slow" } }, "rate-limited", "later"],
    [{ error: { type: "authentication_error", message: "who" } }, "unauthorised", "never"],
    [
      { error: { type: "invalid_request_error", message: "prompt is too long" } },
      "context-too-long",
      "never",
    ],
    [{ error: { code: 429, message: "upstream" } }, "rate-limited", "later"],
    [{ error: { code: "502", message: "upstream" } }, "overloaded", "later"],
    [{ error: "model runner has stopped" }, "overloaded", "later"],
  ])("inside a 200 %j is %s", (body, code, retry) => {
    expect(problemFromBody(body)).toMatchObject({ code, retry });
  });
});

it("reads the field that a refusal names beside its message alone", () => {
  const error = { message: "This parameter is not supported.", type: "invalid_request_error" };
  expect(status(400, { error: { ...error, param: "temperature" } }).words).toBe(
    "This parameter is not supported. (temperature) (HTTP 400)",
  );
  expect(problemFromBody({ error: { ...error, param: "reasoning.effort" } }).words).toMatch(
    /reasoning\.effort/,
  );
  expect(status(400, { error: { message: "no top_p here", param: "top_p" } }).words).toBe(
    "no top_p here (HTTP 400)",
  );
  expect(status(400, { error: { ...error, param: null } }).words).toBe(`${error.message} (HTTP 400)`);
});
