import type { Dialect } from "./wires/wire.ts";
import type { WireName } from "../kernel/index.ts";

/** A program that answers for models, and the command that starts it. */
export type Program = { readonly name: string; readonly start: string };

export const ollamaProgram: Program = { name: "Ollama", start: "ollama serve" };

/** What references to models of AI SDK provider packages begin with: `ai-sdk/mistral/mistral-large-latest`. */
export const SDK = "ai-sdk";

/** How a provider is asked to search the web itself. */
export type SearchForm = {
  /** The API that has it, where that is another one than the provider's usual one. */
  readonly over?: "responses" | "gemini";
  /** It stands among the tools of a request. `most`: how often it may search. */
  readonly tool: (most: number) => unknown;
  /** It goes with no other tools. */
  readonly isAlone?: true;
};

/** A service or program that answers for models: one row each. */
export type Provider = {
  readonly wire: WireName;
  /** Base URL as people write it in `urlVariables`; what the wire appends comes after it. */
  readonly url: string;
  /** Environment variables that may hold the key, in order. None: it needs no key. */
  readonly keyVariables: readonly string[];
  /** Environment variables that may replace `url`, in order. */
  readonly urlVariables?: readonly string[];
  /** Other programs add the beginning of `url`'s path themselves, so a base URL that stops within that path goes on as `url` does. */
  readonly completesPath?: true;
  /** It runs on the user's own machine, so that a call costs nothing. */
  readonly local?: true;
  /** What answers there, where users start it themselves. */
  readonly program?: Program;
  /** The environment variable that says how long a model stays in memory, in the program's own form. */
  readonly keepAliveVariable?: string;
  /** The environment variable that says how many models it holds in memory at once. */
  readonly maxModelsVariable?: string;
  /** It passes calls on to others, so that one model's rate limit says nothing about the rest. */
  readonly router?: true;
  readonly dialect?: Partial<Dialect>;
  readonly search?: SearchForm;
  /** Calls in flight at most, where the usual cap would be too many. */
  readonly maxConcurrency?: number;
  /** The models to ask first where only the key is known: none whose end its provider has announced. */
  readonly usual?: readonly string[];
  /** It is known to have no embedding models; where nothing is said, its answer tells. */
  readonly embeddings?: false;
};

function without(...left: readonly ("usage" | "reply")[]): Partial<Dialect> {
  return { without: new Set(left) };
}

export const providers = {
  openai: {
    wire: "openai",
    url: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    urlVariables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    dialect: { maxTokensField: "max_completion_tokens" },
    search: { over: "responses", tool: () => ({ type: "web_search" }) },
    usual: ["gpt-6.1-terra"],
  },
  anthropic: {
    wire: "anthropic",
    url: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    urlVariables: ["ANTHROPIC_BASE_URL"],
    usual: ["claude-sonnet-5-5"],
    search: { tool: (most) => ({ type: "web_search_20250305", name: "web_search", max_uses: most }) },
    embeddings: false,
  },
  google: {
    wire: "openai",
    url: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    urlVariables: ["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
    completesPath: true,
    usual: ["gemini-3.8-flash"],
    search: { over: "gemini", tool: () => ({ google_search: {} }), isAlone: true },
  },
  openrouter: {
    wire: "openai",
    url: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    urlVariables: ["OPENROUTER_BASE_URL"],
    completesPath: true,
    router: true,
    dialect: { extra: { usage: { include: true } } },
    search: {
      tool: (most) => ({ type: "openrouter:web_search", parameters: { max_total_results: 5 * most } }),
    },
    usual: ["openai/gpt-5.4-mini", "anthropic/claude-sonnet-5", "google/gemini-3.5-flash"],
  },
  mistral: {
    wire: "openai",
    url: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    urlVariables: ["MISTRAL_BASE_URL"],
    completesPath: true,
    // It reports usage unasked, and has refused fields that it does not know.
    dialect: without("usage"),
    usual: ["mistral-large-latest"],
  },
  groq: {
    wire: "openai",
    url: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    urlVariables: ["GROQ_BASE_URL"],
    completesPath: true,
    usual: ["openai/gpt-oss-120b"],
    embeddings: false,
  },
  deepseek: {
    wire: "openai",
    url: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    urlVariables: ["DEEPSEEK_BASE_URL"],
    // It has only `json_object`, which says nothing about a schema.
    dialect: without("reply"),
    usual: ["deepseek-flash"],
    embeddings: false,
  },
  xai: {
    wire: "openai",
    url: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    urlVariables: ["XAI_BASE_URL"],
    completesPath: true,
    usual: ["grok-4.7"],
    search: { over: "responses", tool: () => ({ type: "web_search" }) },
  },
  together: {
    wire: "openai",
    url: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY"],
    urlVariables: ["TOGETHER_BASE_URL"],
    completesPath: true,
    usual: ["openai/gpt-oss-120b"],
  },
  ollama: {
    wire: "ollama",
    url: "http://127.0.0.1:11434",
    keyVariables: [],
    urlVariables: ["OLLAMA_HOST"],
    local: true,
    program: ollamaProgram,
    keepAliveVariable: "OLLAMA_KEEP_ALIVE",
    maxModelsVariable: "OLLAMA_MAX_LOADED_MODELS",
    maxConcurrency: 4,
  },
  lmstudio: {
    wire: "openai",
    url: "http://127.0.0.1:1234/v1",
    keyVariables: [],
    urlVariables: ["LMSTUDIO_HOST"],
    local: true,
    program: { name: "LM Studio", start: "lms server start" },
    maxConcurrency: 4,
  },
  llamacpp: {
    wire: "openai",
    url: "http://127.0.0.1:8080/v1",
    keyVariables: ["LLAMA_API_KEY"],
    urlVariables: ["LLAMACPP_HOST"],
    local: true,
    program: { name: "llama.cpp", start: "llama-server -m MODEL.gguf" },
    maxConcurrency: 4,
  },
  vllm: {
    wire: "openai",
    url: "http://127.0.0.1:8000/v1",
    keyVariables: ["VLLM_API_KEY"],
    urlVariables: ["VLLM_HOST"],
    local: true,
    program: { name: "vLLM", start: "vllm serve MODEL" },
    maxConcurrency: 64,
  },
  jan: {
    wire: "openai",
    url: "http://127.0.0.1:1337/v1",
    keyVariables: ["JAN_API_KEY"],
    urlVariables: ["JAN_HOST"],
    local: true,
    program: { name: "Jan", start: "its Local API Server, in its settings" },
    maxConcurrency: 4,
  },
} as const satisfies { readonly [name: string]: Provider };

export function findProvider(name: string): Provider | null {
  const table: { readonly [name: string]: Provider } = providers;
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}
