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
  /** Its server answered, and does not take the key. */
  readonly refused?: true;
};

/** Where models are looked for. */
export type Searched = Pick<AppContext, "env" | "settings">;

/**
 * Returns local servers that answer, configured endpoints, then providers with a key, in the order of the table. Endpoints and
 * providers at a URL of the user's are asked for their lists; a project's file that names one was trusted before. (TRUST-1)
 */
export async function reachable(at: Searched): Promise<readonly Reachable[]> {
  const rows: [string, Provider][] = Object.entries(providers);
  const atHome = rows.flatMap(([provider, { local }]) =>
    local ? askedFor({ provider, state: "answers", how: "it answers", models: [] }, at) : [],
  );
  const configured = Object.entries(at.settings.compatible).map(([name, { model = [] }]) => {
    const [provider, models] = [`compatible/${name}`, [model].flat()];
    return askedFor({ provider, state: "configured", how: "it is configured", models }, at);
  });
  const remote = rows.flatMap((row) => (row[1].local ? [] : remoteOf(row, at)));
  const all = await Promise.all([...atHome, ...configured, ...remote]);
  return all.filter(({ state, models }) => state !== "answers" || models.length > 0);
}

/** A remote provider with a key, or with a URL of the user's, whose models are queried. */
function remoteOf(
  [provider, { keyVariables, urlVariables = [], usual = [] }]: readonly [string, Provider],
  at: Searched,
): (Reachable | Promise<Reachable>)[] {
  const set = (names: readonly string[]) => names.find((name) => (at.env[name] ?? "").trim() !== "");
  const [key, url] = [set(keyVariables), set(urlVariables)];
  const variable = key ?? url;
  if (variable === undefined) return [];
  const state = key === undefined ? "URL set" : "key set";
  const known = { provider, state, how: `${variable} is set`, models: usual } as const;
  return [url === undefined ? known : askedFor(known, at)];
}

/** What is known of a server, with the chat models that it lists where it answers. */
async function askedFor(known: Reachable, { env, settings }: Searched): Promise<Reachable> {
  const { provider, state, how, models: named } = known;
  const there = await listedBy(provider, { env, settings });
  if (there === REFUSED) return { ...known, how: `${how}, but its server refuses the key`, refused: true };
  const all = speakers(there ?? []);
  if (all.length === 0) return known;
  if (state === "answers") return { ...known, models: all };
  const catalog = openCatalog(settings, { env, cwd: process.cwd() });
  const isNamed = state === "configured" && named.length > 0;
  const models = isNamed ? named : proposeModels(all, { catalog, families: settings.families });
  return { ...known, state: "answers", models, all };
}

/** The models that a server lists, which is asked with the key that its calls have. */
async function listedBy(provider: string, { env, settings }: Searched): Promise<Names> {
  const found = resolveEndpoint(`${provider}/any`, env, settings);
  if (!found.ok) return undefined;
  const { endpoint } = found;
  if (endpoint.wireName === "ollama") return modelsAt(endpoint.url);
  const path = /\/v1$/.test(new URL(endpoint.url).pathname) ? "/models" : "/v1/models";
  const headers = { ...endpoint.options.headers, ...keyHeaders(endpoint) };
  return probeNames(urlAt(endpoint, path), { list: "data", name: "id", headers });
}

const PROBE_TIMEOUT_MS = 2_000;
const REFUSED = "refused";

/** The JSON that a server answers with in time, or that it takes no such key. */
async function probe(url: URL, init: RequestInit): Promise<unknown> {
  try {
    // A key goes to no other host.
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { ...init, signal, redirect: "manual" });
    if (response.ok) return await response.json();
    return response.status === 401 || response.status === 403 ? REFUSED : undefined;
  } catch {
    return undefined; // no server, or a timeout
  }
}

type Names = string[] | typeof REFUSED | undefined;
type NameProbe = { readonly list: string; readonly name: string; readonly headers?: Record<string, string> };

/** Returns the strings at `name` of the rows at `list` in the JSON at this URL; undefined if the server does not answer in time. */
async function probeNames(url: URL, { list, name, headers = {} }: NameProbe): Promise<Names> {
  const found = await probe(url, { headers });
  if (found === undefined || found === REFUSED) return found;
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

async function modelsAt(url: string): Promise<string[] | undefined> {
  const names = await probeNames(urlAt({ url }, "/api/tags"), { list: "models", name: "name" });
  return names === REFUSED ? undefined : names;
}

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
