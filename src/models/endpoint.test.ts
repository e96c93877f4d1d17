import { describe, expect, it } from "vitest";
import type { Variables } from "./proxy.ts";
import { resolveEndpoint, type Compatible } from "./endpoint.ts";
import { providers } from "./providers.ts";
import { wires } from "./wires/index.ts";

const where = (ref: string, env: Variables = {}, compatible: Compatible = {}): string => {
  const resolution = resolveEndpoint(ref, env, { compatible });
  if (!resolution.ok) return resolution.reason;
  const { url, model, key } = resolution.endpoint;
  return `${url} ${model} ${key ?? "no key"}`;
};

describe("a reference", () => {
  it("leads to every provider of the table, once its key is there", () => {
    for (const [name, row] of Object.entries(providers)) {
      const env = Object.fromEntries(row.keyVariables.slice(-1).map((variable) => [variable, " k-1234 "]));
      expect(where(`${name}/some/model:1`, env)).toBe(
        `${row.url} some/model:1 ${row.keyVariables.length > 0 ? "k-1234" : "no key"}`,
      );
    }
  });

  it.each([
    ["openai/gpt-5", {}, "openai needs a key; set OPENAI_API_KEY"],
    [
      "google/gemini-2.5-pro",
      { GEMINI_API_KEY: " " },
      "google needs a key; set GEMINI_API_KEY or GOOGLE_API_KEY",
    ],
    [
      "openai/gpt-5",
      { OPENAI_API_KEY: "k\u00e9y" },
      "OPENAI_API_KEY holds characters that no key has; set it anew",
    ],
    ["openai", { OPENAI_API_KEY: "k" }, '"openai" names no model; write openai/MODEL'],
    [
      "openai/m",
      { OPENAI_BASE_URL: "ftp://x" },
      "OPENAI_BASE_URL is not an http or https URL without a user name; correct or unset it",
    ],
    [
      "ollama/m",
      { OLLAMA_HOST: "ftp://gpu.lan" },
      "OLLAMA_HOST is not an http or https URL without a user name; correct or unset it",
    ],
    [
      "compatible/box",
      {},
      'there is no compatible endpoint "box" (none is configured); add it to the configuration with its url',
    ],
    ["constructor/x", {}, 'there is no provider "constructor" (there are '],
  ])("%s with %j is refused with the next step", (ref, env, reason) => {
    expect(where(ref, env)).toContain(reason);
  });

  it.each([
    ["openai/m", "OPENAI_BASE_URL", "https://h/v1?apikey=K"],
    ["openai/m", "OPENAI_BASE_URL", "https://h/v1?a=1&api-key=K"],
    ["openai/m", "OPENAI_BASE_URL", "https://h/v1?ap%69_key=K"],
    ["openai/m", "OPENAI_BASE_URL", "https://h/v1#access_token=K"],
    ["openrouter/m", "OPENROUTER_BASE_URL", "https://h/api/v1?token=K"],
    ["anthropic/m", "ANTHROPIC_BASE_URL", "https://h?sig=K"],
    ["ollama/m", "OLLAMA_HOST", "gpu.lan:8080?password=K"],
    ["lmstudio/m", "LMSTUDIO_HOST", "http://h/v1?subscription-key=K"],
    ["compatible/box/m", "the url of compatible/box", "http://h/v1?key=K"],
  ])("%s refuses a key in %s, which servers would log: %s", (ref, name, written) => {
    const url = written.replace("K", "hunter2hunter2");
    const box = { url: ref.startsWith("compatible") ? url : "http://h" };
    const reason = where(ref, { [name]: url }, { box });
    expect(reason).toContain(`${name} holds a key or a password, which would be sent with every address; `);
    expect(reason).not.toContain("hunter2");
  });

  it("leaves alone what is no secret in a query", () => {
    expect(where("openai/m", { OPENAI_BASE_URL: "https://h/v1?api-version=2024-10-21" })).toBe(
      "https://h/v1?api-version=2024-10-21 m no key",
    );
  });

  it.each([
    ["google/m", "GEMINI_BASE_URL", "https://h", "https://h/v1beta/openai"],
    ["google/m", "GOOGLE_GEMINI_BASE_URL", "https://h/v1beta/", "https://h/v1beta/openai"],
    ["google/m", "GEMINI_BASE_URL", "https://h/gateway/openai", "https://h/gateway/openai"],
    ["groq/m", "GROQ_BASE_URL", "https://h", "https://h/openai/v1"],
    ["mistral/m", "MISTRAL_BASE_URL", "https://h/v1", "https://h/v1"],
    ["xai/m", "XAI_BASE_URL", "https://h:8080/", "https://h:8080/v1"],
    ["together/m", "TOGETHER_BASE_URL", "http://h/mine", "http://h/mine"],
    ["openrouter/m", "OPENROUTER_BASE_URL", "https://h", "https://h/api/v1"],
    ["deepseek/m", "DEEPSEEK_BASE_URL", "https://h/v1", "https://h/v1"],
    ["openai/m", "OPENAI_API_BASE", "http://h", "http://h"],
  ])("%s goes on where %s=%s stops", (...[ref, variable, written, url]) => {
    expect(where(ref, { [variable]: written })).toBe(`${url} m no key`);
  });

  it("has a variable for the URL of every provider", () => {
    const without = Object.entries(providers).filter(([, row]) => !("urlVariables" in row));
    expect(without).toEqual([]);
  });

  it("follows the variables for URLs, as people write them", () => {
    expect(where("openai/m", { OPENAI_BASE_URL: "http://127.0.0.1:9/v1/" })).toBe(
      "http://127.0.0.1:9/v1 m no key",
    );
    expect(where("openai/m", { OPENAI_BASE_URL: "http://h/v1/chat/completions" })).toBe(
      "http://h/v1 m no key",
    );
    expect(where("anthropic/m", { ANTHROPIC_BASE_URL: "http://h:1/v1", ANTHROPIC_API_KEY: "k-1234" })).toBe(
      "http://h:1 m k-1234",
    );
  });

  it.each([
    ["127.0.0.1", "http://127.0.0.1:11434"],
    ["0.0.0.0:8080", "http://127.0.0.1:8080"],
    [":8080", "http://127.0.0.1:8080"],
    ["gpu.lan", "http://gpu.lan:11434"],
    ["gpu.lan:8080/v1", "http://gpu.lan:8080"],
    ["http://gpu.lan:11434/", "http://gpu.lan:11434"],
    ["http://gpu.lan:11434/v1/", "http://gpu.lan:11434"],
    ["http://gpu.lan:11434/v1/chat/completions", "http://gpu.lan:11434"],
    ["http://gpu.lan:11434/api/chat", "http://gpu.lan:11434"],
    ["https://ollama.example", "https://ollama.example"],
    ["https://ollama.example/v1", "https://ollama.example"],
    ["https://example/ollama/api", "https://example/ollama"],
  ])("OLLAMA_HOST=%s is %s", (host, url) => {
    expect(where("ollama/gemma3:27b", { OLLAMA_HOST: host })).toBe(`${url} gemma3:27b no key`);
  });

  it("to a compatible endpoint takes the rest as its model, or the entry's own", () => {
    const compatible = {
      box: { url: "http://h/v1", model: "house" },
      claude: { url: "http://h/v1/messages", wire: "anthropic" as const, keyEnv: "K" },
      gpu: { url: "http://h:1/v1", wire: "ollama" as const },
      bare: { url: "http://user:pass@h/" },
    };
    expect(where("compatible/box", {}, compatible)).toBe("http://h/v1 house no key");
    expect(where("compatible/box/a/b", {}, compatible)).toBe("http://h/v1 a/b no key");
    expect(where("compatible/claude/c", { K: "k-1234" }, compatible)).toBe("http://h c k-1234");
    expect(where("compatible/gpu/m:7b", {}, compatible)).toBe("http://h:1 m:7b no key");
    expect(where("compatible/claude/c", {}, compatible)).toBe("compatible/claude needs a key; set K");
    expect(where("compatible/claude", { K: "k-1234" }, compatible)).toContain("names no model");
    expect(where("compatible/bare/m", {}, compatible)).toContain("without a user name");
  });

  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    [" ", undefined],
    ["5m", { keep_alive: "5m" }],
    [" 1h30m ", { keep_alive: "1h30m" }],
    ["-1s", { keep_alive: "-1s" }],
    ["-1", { keep_alive: -1 }],
    ["300", { keep_alive: 300 }],
    ["0", { keep_alive: 0 }],
    ["for ever", undefined],
    ["5 m", undefined],
    ["m", undefined],
    ["1m".repeat(60), undefined],
  ])("OLLAMA_KEEP_ALIVE=%s says how long Ollama keeps a model, and no one else", (written, extra) => {
    const env = { OLLAMA_KEEP_ALIVE: written };
    const extraOf = (ref: string) => {
      const resolution = resolveEndpoint(ref, env, {
        compatible: { gpu: { url: "http://h", wire: "ollama" } },
      });
      return resolution.ok ? resolution.endpoint.dialect.extra : resolution.reason;
    };
    expect(extraOf("ollama/m")).toEqual(extra);
    expect(extraOf("lmstudio/m")).toBeUndefined();
    expect(extraOf("compatible/gpu/m")).toBeUndefined();
  });
});

describe("the wire of a reference", () => {
  const wireOf = (
    ref: string,
    env: Variables = { OPENAI_API_KEY: "k", XAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" },
  ) => {
    const resolution = resolveEndpoint(ref, env, {
      compatible: { box: { url: "http://h/v1", wire: "responses" } },
    });
    if (!resolution.ok) return resolution.reason;
    const { wire, model } = resolution.endpoint;
    return `${Object.entries(wires).find(([, one]) => one === wire)?.[0]} ${model}`;
  };

  it.each([
    ["openai/gpt-5", "openai gpt-5"],
    ["openai/gpt-5-mini", "openai gpt-5-mini"],
    ["openai/gpt-5-pro", "responses gpt-5-pro"],
    ["openai/gpt-5.2-pro-2025-12-11", "responses gpt-5.2-pro-2025-12-11"],
    ["openai/o1-pro", "responses o1-pro"],
    ["openai/o3-pro-2025-06-10", "responses o3-pro-2025-06-10"],
    ["openai/gpt-5.1-codex-max", "responses gpt-5.1-codex-max"],
    ["openai/codex-mini-latest", "responses codex-mini-latest"],
    ["openai/o4-mini-deep-research", "responses o4-mini-deep-research"],
    ["openai/my-product", "openai my-product"],
    ["openai/gpt-4.1?wire=responses", "responses gpt-4.1"],
    ["openai/o3-pro?wire=openai", "openai o3-pro"],
    ["compatible/box/ada?skill=1&wire=openai", "openai ada?skill=1"],
    ["compatible/box/ada?wire=openai&skill=1", "openai ada?skill=1"],
    [
      "openai/gpt-5?reasoning=high",
      '"gpt-5?reasoning=high" asks for "reasoning", which is no option of a model (there are effort and wire)',
    ],
    ["xai/grok-4?wire=responses", "responses grok-4"],
    ["xai/grok-4-pro", "openai grok-4-pro"],
    ["compatible/box/m", "responses m"],
    ["compatible/box/m?wire=openai", "openai m"],
    ["openai/m?wire=soap", 'openai has no such API as "soap" (it has openai or responses)'],
    ["anthropic/m?wire=responses", 'anthropic has no such API as "responses" (it has anthropic)'],
  ])("%s is %s", (ref, expected) => {
    expect(wireOf(ref)).toBe(expected);
  });
});
