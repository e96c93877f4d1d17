import type { ModelRow } from "../contract/figures.ts";
import {
  providers,
  resolveEndpoint,
  urlAt,
  type Provider,
  ollamaProgram,
  pullCommand,
} from "../models/index.ts";
import type { AppContext } from "./context.ts";
import { refusal } from "../kernel/index.ts";
import { oneLine } from "../reports/printable.ts";

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

const PROBE_TIMEOUT_MS = 700;

/** Returns the strings at `name` of the rows at `list` in the JSON at this URL; undefined if the server does not answer in time. */
export async function probeNames(url: URL, list: string, name: string): Promise<string[] | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return response.ok ? readNames(await response.json(), list, name) : undefined;
  } catch {
    return undefined; // no server, or a timeout
  }
}

/** No names if the JSON has another shape. */
function readNames(found: unknown, list: string, name: string): string[] {
  if (typeof found !== "object" || found === null || !(list in found)) return [];
  const rows: unknown = Reflect.get(found, list);
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const value: unknown = typeof row === "object" && row !== null ? Reflect.get(row, name) : undefined;
    return typeof value === "string" ? [value] : [];
  });
}

const PROVIDER = "ollama/";

/** The endpoint that `OLLAMA_HOST` names. */
const place = (env: AppContext["env"]) => resolveEndpoint(`${PROVIDER}any`, env);

/** Returns Ollama's installed models by name (`gemma3:27b`); undefined if it does not answer in time. */
export async function ollamaModels(env: AppContext["env"]): Promise<readonly string[] | undefined> {
  const found = place(env);
  return found.ok ? modelsAt(found.endpoint.url) : undefined;
}

const modelsAt = (url: string) => probeNames(urlAt({ url }, "/api/tags"), "models", "name");

/** The normalized name: lower case, with the tag `latest` by default. */
function fullName(name: string): string {
  const tagged = name.lastIndexOf(":") > name.lastIndexOf("/");
  return (tagged ? name : `${name}:latest`).toLowerCase();
}

/** The unique Ollama model names among these references. */
export const ollamaNames = (refs: readonly string[]): readonly string[] => [
  ...new Set(refs.flatMap((ref) => (ref.startsWith(PROVIDER) ? [ref.slice(PROVIDER.length)] : []))),
];

/**
 * Checks that Ollama has all of these models, by its list.
 * @throws Fault `configuration` if it does not answer or a model is missing
 */
export async function checkOllamaModels(names: readonly string[], env: AppContext["env"]): Promise<string> {
  const found = place(env);
  if (!found.ok) {
    const [why = "", next = ""] = found.reason.split("; ");
    throw refusal(why, next);
  }
  const { url } = found.endpoint;
  const there = await modelsAt(url);
  if (there === undefined) {
    const why = `it does not answer at ${url}`;
    throw refusal(why, `start it there with: ${ollamaProgram.start}`);
  }
  const known = new Set(there.map(fullName));
  const missing = names.filter((name) => !known.has(fullName(name)));
  if (missing.length === 0) return `it has ${oneLine(names.join(", "))}`;
  const commands = missing.flatMap((name) => pullCommand(name) ?? []);
  throw refusal(
    `it has no ${oneLine(missing.join(", "))}`,
    commands.length > 0 ? `pull it with: ${commands.join(" && ")}` : "correct the name",
  );
}
