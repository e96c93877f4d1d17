import type { ModelRow } from "../contract/figures.ts";
import { keyHeaders, urlAt } from "../models/endpoint.ts";
import { ollamaProgram, providers, pullCommand, resolveEndpoint, type Provider } from "../models/index.ts";
import type { AppContext } from "./context.ts";
import { openCatalog } from "./listed-models.ts";
import { proposeModels, speakers } from "./proposal.ts";
import { refusal, type ModelFacts } from "../kernel/index.ts";
import { objectAt, toCount, toItems, toObject, toText } from "../models/loose.ts";
import { oneLine } from "../reports/printable.ts";

/** An available provider, and the models of it that Parley would choose. */
export type Reachable = {
  readonly provider: string;
  /** What is known: that its server answers, or only what is set. */
  readonly state: Exclude<ModelRow["reachable"], "installed" | "simulated" | "no">;
  readonly how: string;
  readonly models: readonly string[];
  /** All chat models that it lists, where that was asked and these are more. */
  readonly all?: readonly string[];
};

/** Returns local servers that answer, configured endpoints, then providers with a key, in the order of the table. */
export async function reachable({
  env,
  settings,
}: Pick<AppContext, "env" | "settings">): Promise<readonly Reachable[]> {
  const rows: [string, Provider][] = Object.entries(providers);
  const localRow = async ([provider, { wire }]: readonly [string, Provider]): Promise<Reachable> => {
    const found =
      wire === "ollama" ? speakers((await ollamaModels(env)) ?? []) : await openaiModels(provider, env);
    return { provider, state: "answers", how: "it answers", models: found };
  };
  const [local, remote] = await Promise.all([
    Promise.all(rows.filter(([, row]) => row.local === true).map(localRow)),
    Promise.all(rows.filter(([, row]) => row.local !== true).map((row) => remoteOf(row, { env, settings }))),
  ]);
  const configured = Object.entries(settings.compatible).map(([name, entry]) => ({
    provider: `compatible/${name}`,
    state: "configured" as const,
    how: "it is configured",
    models: entry.model === undefined ? [] : [entry.model],
  }));
  return [...local.filter(({ models }) => models.length > 0), ...configured, ...remote.flat()];
}

/** A remote provider with a key, or with a URL of the user's, whose models are queried. */
async function remoteOf(
  [provider, { keyVariables, urlVariables = [], usual = [] }]: readonly [string, Provider],
  { env, settings }: Pick<AppContext, "env" | "settings">,
): Promise<Reachable[]> {
  const set = (names: readonly string[]) => names.find((name) => (env[name] ?? "").trim() !== "");
  const [key, url] = [set(keyVariables), set(urlVariables)];
  const variable = key ?? url;
  if (variable === undefined) return [];
  const there = url === undefined ? [] : await openaiModels(provider, env);
  const how = `${variable} is set`;
  if (there.length === 0)
    return [{ provider, state: key === undefined ? "URL set" : "key set", how, models: usual }];
  const catalog = openCatalog(settings, { env, cwd: process.cwd() });
  const models = proposeModels(there, { catalog, families: settings.families });
  return [{ provider, state: "answers", how, models, all: there }];
}

/** The chat models that a server lists, which is asked with the key that its calls have. */
async function openaiModels(provider: string, env: AppContext["env"]): Promise<string[]> {
  const found = resolveEndpoint(`${provider}/any`, env);
  if (!found.ok) return [];
  const { endpoint } = found;
  const path = /\/v1$/.test(new URL(endpoint.url).pathname) ? "/models" : "/v1/models";
  const asked = { list: "data", name: "id", headers: keyHeaders(endpoint) };
  return speakers((await probeNames(urlAt(endpoint, path), asked)) ?? []);
}

const PROBE_TIMEOUT_MS = 2_000;

/** The JSON that a server answers with in time. */
async function probe(url: URL, init: RequestInit): Promise<unknown> {
  try {
    // A key goes to no other host.
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { ...init, signal, redirect: "manual" });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined; // no server, or a timeout
  }
}

type NameProbe = { readonly list: string; readonly name: string; readonly headers?: Record<string, string> };

/** Returns the strings at `name` of the rows at `list` in the JSON at this URL; undefined if the server does not answer in time. */
async function probeNames(url: URL, { list, name, headers = {} }: NameProbe): Promise<string[] | undefined> {
  const found = await probe(url, { headers });
  if (found === undefined) return undefined;
  return toItems(toObject(found)[list]).flatMap((row) => toText(toObject(row)[name]) || []);
}

type Ask = (path: string, body?: object) => Promise<unknown>;

const factsOf = (context: unknown, can: ModelFacts) => ({ ...can, context: toCount(context) || undefined });

const rowOf = async (asked: Promise<unknown>, model: string) =>
  toItems(toObject(await asked)["data"])
    .map(toObject)
    .find(({ id }) => id === model);

/** How servers at home are asked for what one of their models can, each by its own API. */
const AT_HOME: { readonly [provider: string]: (ask: Ask, model: string) => Promise<ModelFacts> } = {
  ollama: async (ask, model) => {
    const { capabilities, model_info: info } = toObject(await ask("/api/show", { model }));
    if (!Array.isArray(capabilities)) return {};
    const can = (name: string) => capabilities.includes(name);
    const [, context] = Object.entries(toObject(info)).find(([key]) => key.endsWith(".context_length")) ?? [];
    return factsOf(context, { pictures: can("vision"), tools: can("tools"), thinks: can("thinking") });
  },
  lmstudio: async (ask, model) => {
    const row = await rowOf(ask("/api/v0/models"), model);
    const context = row?.["loaded_context_length"] ?? row?.["max_context_length"];
    return row ? factsOf(context, { pictures: row["type"] === "vlm" }) : {};
  },
  vllm: async (ask, model) => factsOf((await rowOf(ask("/v1/models"), model))?.["max_model_len"], {}),
  llamacpp: async (ask) => {
    const props = await ask("/props");
    const { vision } = objectAt(props, "modalities");
    const { n_ctx: context } = objectAt(props, "default_generation_settings");
    return factsOf(context, typeof vision === "boolean" ? { pictures: vision } : {});
  },
};

/** Of so many models servers at home are asked what they can: one may list thousands. */
export const MAX_ASKED = 50;

/** What a server at home says of one of its models; nothing where it does not answer in time, and of all others. */
export async function factsAtHome(ref: string, env: AppContext["env"]): Promise<ModelFacts> {
  const [, read] = Object.entries(AT_HOME).find(([provider]) => ref.startsWith(`${provider}/`)) ?? [];
  const found = read && resolveEndpoint(ref, env);
  if (!read || !found?.ok) return {};
  const { url, model } = found.endpoint;
  const headers = keyHeaders(found.endpoint);
  return read((path, body) => {
    const init = body ? { method: "POST", body: JSON.stringify(body), headers } : { headers };
    return probe(urlAt({ url: url.replace(/\/v1$/, "") }, path), init);
  }, model);
}

const PROVIDER = "ollama/";

/** The endpoint that `OLLAMA_HOST` names. */
const place = (env: AppContext["env"]) => resolveEndpoint(`${PROVIDER}any`, env);

/** Returns Ollama's installed models by name (`gemma3:27b`); undefined if it does not answer in time. */
export async function ollamaModels(env: AppContext["env"]): Promise<readonly string[] | undefined> {
  const found = place(env);
  return found.ok ? modelsAt(found.endpoint.url) : undefined;
}

const modelsAt = (url: string) => probeNames(urlAt({ url }, "/api/tags"), { list: "models", name: "name" });

/** The normalized name: lower case, with the tag `latest` by default. */
function fullName(name: string): string {
  const tagged = name.lastIndexOf(":") > name.lastIndexOf("/");
  return (tagged ? name : `${name}:latest`).toLowerCase();
}

/** The unique Ollama model names among these references. */
export const ollamaNames = (refs: readonly string[]): readonly string[] => [
  ...new Set(refs.flatMap((ref) => (ref.startsWith(PROVIDER) ? [ref.slice(PROVIDER.length)] : []))),
];

/** Checks that Ollama has all of these models, by its list. @throws Fault `configuration` if it does not answer or a model is missing */
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
