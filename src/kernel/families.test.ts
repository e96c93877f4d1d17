import { describe, expect, it } from "vitest";
import { familyOf } from "./families.ts";

describe("who trained a model", () => {
  it.each([
    ["openai/gpt-5", "openai"],
    ["openai/o4-mini", "openai"],
    ["openai/ft:gpt-4o-mini:acme", "openai"],
    ["openai/next-big-thing", "openai"],
    ["anthropic/claude-sonnet-4-5", "anthropic"],
    ["google/gemini-2.5-pro", "google"],
    ["xai/grok-4", "xai"],
    ["deepseek/deepseek-chat", "deepseek"],
    ["mistral/open-mistral-nemo", "mistral"],
    ["openrouter/anthropic/claude-3.7-sonnet:thinking", "anthropic"],
    ["openrouter/deepseek/deepseek-chat", "deepseek"],
    ["openrouter/x-ai/brand-new", "xai"],
    ["openrouter/qwen/qwq-32b:free", "alibaba"],
    ["openrouter/moonshotai/kimi-k2", "moonshot"],
    ["openrouter/cohere/command-r-plus", "cohere"],
    ["openrouter/nousresearch/hermes-3-llama-3.1-405b", "meta"],
    ["groq/llama-3.3-70b-versatile", "meta"],
    ["groq/openai/gpt-oss-120b", "openai"],
    ["groq/deepseek-r1-distill-llama-70b", "deepseek"],
    ["together/meta-llama/Llama-3.3-70B-Instruct-Turbo", "meta"],
    ["together/mistralai/Mixtral-8x7B-Instruct-v0.1", "mistral"],
    ["ollama/gemma3:27b", "google"],
    ["ollama/llama3.1", "meta"],
    ["ollama/qwen2.5-coder:7b", "alibaba"],
    ["ollama/phi4", "microsoft"],
    ["ollama/phi", "microsoft"],
    ["ollama/dolphin-mixtral:8x7b", "mistral"],
    ["ollama/hf.co/bartowski/Codestral-22B-GGUF", "mistral"],
    ["lmstudio/codestral-22b", "mistral"],
    ["compatible/box/Qwen3-32B", "alibaba"],
    ["sim/ada?skill=0.8&family=x", "x"],
  ])("%s is %s", (ref, family) => {
    expect(familyOf(ref)).toBe(family);
  });

  it.each([
    "ollama/prometheus",
    "ollama/tinyllama",
    "ollama/gpt4all",
    "ollama/nova",
    "ollama/philosopher",
    "compatible/llama",
    "compatible/openai",
    "compatible/openai/mystery",
    "sim/llama",
    "sim/ada?skill=0.8",
    "sim/ada?family=",
    "openrouter/somebody/something",
    "nonsense",
  ])("nobody has said for %s", (ref) => {
    expect(familyOf(ref)).toBeNull();
  });

  it("believes what is declared first, the longest beginning of all", () => {
    const declared = {
      "ollama/prometheus": "mistral",
      "ollama/prometheus:8x7b": "kaist",
      "openai/gpt-5": "me",
    };
    expect(familyOf("ollama/prometheus:7b-v2", declared)).toBe("mistral");
    expect(familyOf("ollama/prometheus:8x7b", declared)).toBe("kaist");
    expect(familyOf("openai/gpt-5", declared)).toBe("me");
    expect(familyOf("openai/gpt-4o", declared)).toBe("openai");
  });
});
