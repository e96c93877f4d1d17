import { providers, type Provider } from "../models/index.ts";
import { look, namesIn } from "./look.ts";
import { ollamaModels } from "./ollama-models.ts";
import type { Parley } from "./parley.ts";

/** A provider that can be asked now, and models of it that Parley would ask. */
export type Reachable = {
  readonly provider: string;
  readonly how: string;
  readonly models: readonly string[];
};

/** A local model for something else than answering. */
const NOT_A_SPEAKER = /embed|bge-|minilm|rerank|prometheus|whisper|clip/i;

/** What to ask first of a provider of which only the key is known. */
const USUAL: { readonly [provider: string]: readonly string[] } = {
  openai: ["gpt-5-mini"],
  anthropic: ["claude-sonnet-4-5"],
  google: ["gemini-2.5-flash"],
  openrouter: ["openai/gpt-5-mini", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash"],
  mistral: ["mistral-large-latest"],
  groq: ["llama-3.3-70b-versatile"],
  deepseek: ["deepseek-chat"],
  xai: ["grok-4"],
  together: ["meta-llama/Llama-3.3-70B-Instruct-Turbo"],
};

/** Local servers that answer, then providers whose key is set, in the order of the provider table. */
export async function reachable({
  env,
  settings,
}: Pick<Parley, "env" | "settings">): Promise<readonly Reachable[]> {
  const [ollama, lmstudio] = await Promise.all([
    ollamaModels(env),
    openaiModels(env["LMSTUDIO_HOST"] ?? providers.lmstudio.url),
  ]);
  const local = [
    { provider: "ollama", how: "it answers", models: speakers(ollama ?? []) },
    { provider: "lmstudio", how: "it answers", models: lmstudio },
  ];
  const configured = Object.entries(settings.compatible).map(([name, entry]) => ({
    provider: `compatible/${name}`,
    how: "it is configured",
    models: entry.model === undefined ? [] : [entry.model],
  }));
  const remote = await Promise.all(Object.entries(providers).map((row) => remoteOf(row, env)));
  return [...local.filter(({ models }) => models.length > 0), ...configured, ...remote.flat()];
}

/** A provider elsewhere: reached by its key, or by a URL of the user's own, which is asked what it has. */
async function remoteOf(
  [provider, { keyVariables, urlVariables, ...row }]: readonly [string, Provider],
  env: Parley["env"],
): Promise<Reachable[]> {
  if (row.local) return [];
  const set = (names: readonly string[]) => names.find((name) => (env[name] ?? "").trim() !== "");
  const [key, url] = [set(keyVariables), set(urlVariables)];
  const variable = key ?? url;
  if (variable === undefined) return [];
  const there = url === undefined ? [] : await openaiModels(env[url] ?? "");
  return [
    {
      provider,
      how: `${variable} is set`,
      models: there.length > 0 ? there.slice(0, 3) : (USUAL[provider] ?? []),
    },
  ];
}

const openaiModels = async (host: string): Promise<string[]> => {
  const url = host.includes("://") ? host : `http://${host}`;
  return speakers(namesIn(await look(`${url.replace(/\/(v1)?\/?$/, "")}/v1/models`), "data", "id"));
};

const speakers = (names: readonly string[]): string[] => names.filter((name) => !NOT_A_SPEAKER.test(name));
