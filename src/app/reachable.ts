import type { ModelRow } from "../contract/figures.ts";
import { providers, resolveEndpoint, urlAt, type Provider } from "../models/index.ts";
import { probeNames } from "./probe.ts";
import { ollamaModels } from "./ollama-models.ts";
import type { AppContext } from "./context.ts";

/** An available provider, and the models of it that Parley would choose. */
export type Reachable = {
  readonly provider: string;
  /** What is known: that its server answers, or only what is set. */
  readonly state: Exclude<ModelRow["reachable"], "simulated" | "no">;
  readonly how: string;
  readonly models: readonly string[];
};

/** Matches local models that are not chat models. */
const NOT_A_SPEAKER = /embed|bge-|minilm|rerank|prometheus|whisper|clip/i;

/** Returns local servers that answer, configured endpoints, then providers with a key, in the order of the table. */
export async function reachable({
  env,
  settings,
}: Pick<AppContext, "env" | "settings">): Promise<readonly Reachable[]> {
  const [ollama, lmstudio] = await Promise.all([ollamaModels(env), openaiModels("lmstudio", env)]);
  const local = [
    { provider: "ollama", state: "answers" as const, how: "it answers", models: speakers(ollama ?? []) },
    { provider: "lmstudio", state: "answers" as const, how: "it answers", models: lmstudio },
  ];
  const configured = Object.entries(settings.compatible).map(([name, entry]) => ({
    provider: `compatible/${name}`,
    state: "configured" as const,
    how: "it is configured",
    models: entry.model === undefined ? [] : [entry.model],
  }));
  const remote = await Promise.all(Object.entries(providers).map((row) => remoteOf(row, env)));
  return [...local.filter(({ models }) => models.length > 0), ...configured, ...remote.flat()];
}

/** A remote provider with a key, or with a URL of the user's, whose models are queried. */
async function remoteOf(
  [provider, { keyVariables, urlVariables = [], ...row }]: readonly [string, Provider],
  env: AppContext["env"],
): Promise<Reachable[]> {
  if (row.local) return [];
  const set = (names: readonly string[]) => names.find((name) => (env[name] ?? "").trim() !== "");
  const [key, url] = [set(keyVariables), set(urlVariables)];
  const variable = key ?? url;
  if (variable === undefined) return [];
  const there = url === undefined ? [] : await openaiModels(provider, env);
  return [
    {
      provider,
      state: there.length > 0 ? "answers" : key === undefined ? "URL set" : "key set",
      how: `${variable} is set`,
      models: there.length > 0 ? there.slice(0, 3) : (row.usual ?? []),
    },
  ];
}

const openaiModels = async (provider: string, env: AppContext["env"]): Promise<string[]> => {
  const found = resolveEndpoint(`${provider}/any`, env);
  if (!found.ok) return [];
  const path = /\/v1$/.test(new URL(found.endpoint.url).pathname) ? "/models" : "/v1/models";
  return speakers((await probeNames(urlAt(found.endpoint, path), "data", "id")) ?? []);
};

const speakers = (names: readonly string[]): string[] => names.filter((name) => !NOT_A_SPEAKER.test(name));
