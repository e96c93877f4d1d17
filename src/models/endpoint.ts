import { bareReference, hasSecretInQuery, readReference, REFERENCE_OPTIONS } from "../kernel/index.ts";
import type { Reference, RequestOptions, WireName } from "../kernel/index.ts";
import { refuseEffort } from "./effort.ts";
import { ollamaProgram, findProvider, providers, SDK } from "./providers.ts";
import type { Program, Provider, SearchForm } from "./providers.ts";
import { agentPrograms } from "./programs.ts";
import { wires } from "./wires/index.ts";
import type { Dialect, Wire } from "./wires/wire.ts";
import type { Variables } from "./proxy.ts";

/** A duration as Go writes it: `5m`, `1h30m`, `-1s`. */
const duration = /^-?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;

/**
 * How long a model stays in memory after a reply, in the form that Ollama's `keep_alive` takes: a duration as text, or
 * seconds as a number; below 0 is for good. `written` is what `OLLAMA_KEEP_ALIVE` holds; null where that is neither, which
 * Ollama itself passes over as well.
 */
function readKeepAlive(written: string | undefined): string | number | null {
  const text = written?.trim() ?? "";
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return text.length <= 100 && duration.test(text) ? text : null;
}

/** A count as a program's own variable says it; null where it says none, and for 0, with which the program decides itself. */
function readCount(written: string | undefined): number | null {
  const text = written?.trim() ?? "";
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : null;
}

/** Where and how calls for one reference go. Holds a key: never log, record or throw it. */
export type Endpoint = {
  /** What limits are counted by: the provider, or `compatible/NAME`. */
  readonly provider: string;
  /** The model's name as the other side knows it. */
  readonly model: string;
  readonly wire: Wire;
  readonly wireName: WireName | "gemini";
  /** How much the reference asks the model to think. */
  readonly effort: string | null;
  /** Whether the model is known to think, also where nothing is asked of it. */
  readonly thinks?: boolean | undefined;
  /** What every request is sent with. */
  readonly options: RequestOptions;
  readonly url: string;
  readonly key: string | null;
  /** Where the key goes, if not where the wire has it. */
  readonly auth: KeyHeader | null;
  readonly dialect: Dialect;
  /** How it searches the web itself; null where it does not. */
  readonly search: SearchForm | null;
  readonly local: boolean;
  /** What answers there, where users start it themselves. */
  readonly program: Program | null;
  readonly router: boolean;
  readonly maxConcurrency: number | null;
  /** Different models that it may have at work at once. */
  readonly maxModels: number | null;
};

/** A header that holds the key, after a scheme (`Bearer`) where there is one: Azure's `api-key`. */
export type KeyHeader = { readonly header: string; readonly scheme?: string | undefined };

/** The headers that let requests in. Never log, record or throw them. */
export function keyHeaders({ auth, key, wire }: Pick<Endpoint, "auth" | "key" | "wire">): {
  readonly [name: string]: string;
} {
  if (key === null) return {};
  if (auth === null) return wire.authorize(key);
  return { [auth.header.toLowerCase()]: auth.scheme === undefined ? key : `${auth.scheme} ${key}` };
}

/** Where requests go that a wire sends to `path`, from an endpoint's base URL. */
export function urlAt(endpoint: Pick<Endpoint, "url">, path: string): URL {
  const url = new URL(endpoint.url);
  const [own = "", query] = path.split("?");
  url.pathname = url.pathname.replace(/\/+$/, "") + own;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url;
}

/** The endpoint as it is asked to search: some providers do that over another of their APIs. */
export async function searchingEndpoint(endpoint: Endpoint): Promise<Endpoint> {
  const { over } = endpoint.search ?? {};
  if (over === undefined) return endpoint;
  const { maxTokensField: _name, ...dialect } = endpoint.dialect;
  // The compatible API stands below Gemini's own.
  const url = over === "gemini" ? endpoint.url.replace(/\/openai$/, "") : endpoint.url;
  const wire = over === "gemini" ? (await import("./wires/gemini.ts")).gemini : wires[over];
  return { ...endpoint, url, dialect, wireName: over, wire };
}

/** What an endpoint's requests are sent with. */
export type EndpointExtras = RequestOptions & { readonly auth?: KeyHeader | undefined };

/** By provider: `openai`, `openrouter`. */
export type ProviderExtras = { readonly [provider: string]: EndpointExtras };

/** A server that speaks one of the wires, under a name of the user's choice: `compatible/NAME` or `compatible/NAME/MODEL`. */
export type CompatibleEntry = EndpointExtras & {
  readonly url: string;
  readonly wire?: WireName | undefined;
  /** The environment variable that holds the key; none where the server wants none. */
  readonly keyEnv?: string | undefined;
  /** The model to use where the reference names none. */
  readonly model?: string | undefined;
  /** It runs on the user's own machine and costs nothing. */
  readonly local?: boolean | undefined;
  /** Tokens of prompt and reply together. */
  readonly context?: number | undefined;
};

export type Compatible = { readonly [name: string]: CompatibleEntry };
/** `reason` says what is missing and what to do about it; `code` is how a call that was made all the same fails. */
export type Resolution =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | {
      readonly ok: false;
      readonly code: "unauthorised" | "refused";
      readonly reason: string;
      /** What to do about it, where that is more than to choose another model. */
      readonly next?: string;
      /** The provider whose key is missing. */
      readonly needsKeyOf?: string;
    };

function refuse(reason: string, next?: string): Resolution {
  return { ok: false, code: "refused", reason, ...(next === undefined ? {} : { next }) };
}
function refuseKey(reason: string, needsKeyOf?: string): Resolution {
  return { ok: false, code: "unauthorised", reason, ...(needsKeyOf === undefined ? {} : { needsKeyOf }) };
}

function firstSet(env: Variables, names: readonly string[]): { name: string; value: string } | null {
  for (const name of names) {
    const value = env[name]?.trim() ?? "";
    if (value !== "") return { name, value };
  }
  return null;
}

/** What people write at the end of a base URL by habit, by wire; Ollama's has its compatible API at `/v1`. */
const URL_ENDINGS: { readonly [wire in WireName]: RegExp } = {
  openai: /\/(?:chat\/completions|responses)$/,
  responses: /\/(?:chat\/completions|responses)$/,
  anthropic: /\/v1(?:\/messages)?$/,
  ollama: /\/(?:v1(?:\/chat\/completions)?|api(?:\/chat)?)$/,
};

/** A base URL without what people add to it by habit, or null where it is none. */
function readUrl(text: string, wire: WireName): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  if (url.username !== "" || url.password !== "") return null;
  url.pathname = url.pathname.replace(/\/+$/, "").replace(URL_ENDINGS[wire], "");
  return url.href.replace(/\/$/, "");
}

/** A host as `OLLAMA_HOST` has it: `host`, `:port`, `host:port` or a URL. A server that listens on every address is called on this machine's own. */
function hostUrl(host: string, fallback: string): string {
  const standard = new URL(fallback);
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(host);
  const withScheme = hasScheme ? host : `http://${host.startsWith(":") ? `127.0.0.1${host}` : host}`;
  if (!URL.canParse(withScheme)) return host;
  const url = new URL(withScheme);
  if (["0.0.0.0", "[::]"].includes(url.hostname)) url.hostname = "127.0.0.1";
  const namesPort = /:\d+\/?$/.test(host);
  if (url.port === "" && !namesPort && !hasScheme) url.port = standard.port;
  if (url.pathname === "/") url.pathname = standard.pathname;
  return url.href;
}

/** A base URL that stops within the path of the provider's own (`https://host`, `https://host/v1beta`) goes on as that does. */
function completePath(written: string, { url, completesPath }: Provider): string {
  if (completesPath !== true || !URL.canParse(written)) return written;
  const given = new URL(written);
  const { pathname } = new URL(url);
  const begun = given.pathname.replace(/\/+$/, "");
  if (pathname.startsWith(`${begun}/`)) given.pathname = pathname;
  return given.href;
}

/** OpenAI's models that the Responses API has alone: `gpt-5-pro`, `o3-pro`, `gpt-5-codex`, `o3-deep-research`. */
const RESPONSES_ONLY = /(?:^|-)(?:codex|deep-research)(?:-|$)|^(?:gpt|o)[\d.a-z-]*-pro(?:-|$)/;

/** A reference as lists of models have it: `ai-sdk/openai/gpt-5?effort=high` is `openai/gpt-5`. */
export function listedRef(ref: string): string {
  return bareReference(ref.startsWith(`${SDK}/`) ? ref.slice(SDK.length + 1) : ref);
}

type NamedWire = { readonly provider: string; readonly model: string; readonly wire: string | undefined };

/** The wire that a reference's model is called over: the one that it names, the only one that it has, or its provider's. */
function wireFor({ provider, model, wire: named }: NamedWire, usual: WireName): WireName | null {
  if (named === undefined)
    return provider === "openai" && RESPONSES_ONLY.test(model.replace(/\?.*$/s, "")) ? "responses" : usual;
  const speaksOpenAi = usual === "openai" || usual === "responses";
  return speaksOpenAi && (named === "openai" || named === "responses") ? named : null;
}

type ModelAsked = EndpointExtras &
  Omit<Reference, "model"> & { readonly name: string; readonly model: string; readonly place?: string };

/** A row's endpoint. `place` is what holds its URL where no variable does, as an error calls it. */
function resolveProvider(
  { name, model, effort, wire: named, place = name, auth, ...options }: ModelAsked,
  row: Provider,
  env: Variables,
): Resolution {
  const wire = wireFor({ provider: name, model, wire: named }, row.wire);
  if (wire === null) {
    const usual = row.wire === "openai" || row.wire === "responses" ? "openai or responses" : row.wire;
    return refuse(`${name} has no such API as "${named ?? ""}" (it has ${usual})`);
  }
  const local = row.local === true;
  const unknown = effort === undefined ? null : refuseEffort(effort, { provider: name, wire, local });
  if (unknown !== null) return refuse(unknown, "name one of these, or none");
  const given = firstSet(env, row.urlVariables ?? []);
  const [, query] = /\?([^=&?]*)/.exec(model) ?? [];
  if (query !== undefined && given === null && place === name) return refuseOption(query, model);
  const written = given === null ? row.url : row.local === true ? hostUrl(given.value, row.url) : given.value;
  const holder = given?.name ?? place;
  if (hasSecretInQuery(written)) {
    const [variable] = row.keyVariables;
    const next = variable === undefined ? "name its variable under key-env" : `put it into ${variable}`;
    return refuseKey(`${holder} holds a key or a password, which would be sent with every address; ${next}`);
  }
  const url = readUrl(given === null ? written : completePath(written, row), row.wire);
  if (url === null) {
    const next = place === name ? "correct or unset it" : "correct it";
    return refuse(`${holder} is not an http or https URL without a user name; ${next}`);
  }
  const key = firstSet(env, row.keyVariables);
  // At home, and behind a URL of the user's own, there may be a server that wants no key.
  const needsKey = row.keyVariables.length > 0 && given === null && row.local !== true;
  if (key === null && needsKey)
    return refuseKey(`${name} needs a key; set ${row.keyVariables.join(" or ")}`, name);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key.value))
    return refuseKey(`${key.name} holds characters that no key has; set it anew`);
  const { maxTokensField, ...plain } = row.dialect ?? {};
  const keepAlive = row.keepAliveVariable === undefined ? null : readKeepAlive(env[row.keepAliveVariable]);
  const dialect: Dialect = {
    without: new Set(),
    ...plain,
    ...(maxTokensField !== undefined && url === row.url ? { maxTokensField } : {}),
    ...(keepAlive === null ? {} : { extra: { ...plain.extra, keep_alive: keepAlive } }),
  };
  return {
    ok: true,
    endpoint: {
      provider: name,
      model,
      wire: wires[wire],
      wireName: wire,
      effort: effort ?? null,
      options,
      url,
      key: key?.value ?? null,
      auth: auth ?? null,
      dialect,
      search: row.search ?? null,
      local,
      program: row.program ?? null,
      router: row.router === true,
      maxConcurrency: row.maxConcurrency ?? null,
      maxModels: readCount(env[row.maxModelsVariable ?? ""]),
    },
  };
}

function refuseOption(option: string, written: string): Resolution {
  const there = REFERENCE_OPTIONS.join(" and ");
  return refuse(
    `"${written.slice(0, 100)}" asks for "${option.slice(0, 40)}", which is no option of a model (there are ${there})`,
    option === "temperature" ? "set it beside the model (setting: temperatures)" : "leave it out",
  );
}

function resolveCompatible(
  path: string,
  env: Variables,
  { compatible, ...asked }: Omit<Reference, "model"> & { readonly compatible: Compatible },
): Resolution {
  const [name = "", ...rest] = path.split("/");
  const entry = Object.hasOwn(compatible, name) ? compatible[name] : undefined;
  if (entry === undefined) {
    const known = Object.keys(compatible).join(", ") || "none is configured";
    return refuse(
      `there is no compatible endpoint "${name}" (${known}); add it to the configuration with its url`,
    );
  }
  const model = rest.length > 0 ? rest.join("/") : (entry.model ?? "");
  if (model === "")
    return refuse(
      `compatible/${name} names no model; write compatible/${name}/MODEL or give the entry a model`,
    );
  const { url, wire = "openai", keyEnv, local = false, auth, body, headers } = entry;
  const row: Provider = {
    ...{ wire, url, keyVariables: keyEnv === undefined ? [] : [keyEnv] },
    ...(local && { local, maxConcurrency: 16 }),
    ...(wire === "ollama" && { program: ollamaProgram }),
  };
  const of = {
    ...{ ...asked, auth, body, headers, model },
    ...{ name: `compatible/${name}`, place: `the url of compatible/${name}` },
  };
  return resolveProvider(of, row, env);
}

/** What is configured of endpoints: the user's own, and what requests to providers are sent with. */
export type Configured = {
  readonly compatible?: Compatible | undefined;
  readonly providers?: ProviderExtras | undefined;
};

/** Where calls for `ref` go with these variables and this configuration. Reads neither files nor the process's environment. */
export function resolveEndpoint(
  ref: string,
  env: Variables,
  { compatible = {}, providers: extras = {} }: Configured = {},
): Resolution {
  const { model: bare, ...asked } = readReference(ref);
  const slash = bare.indexOf("/");
  const name = slash < 0 ? bare : bare.slice(0, slash);
  const rest = slash < 0 ? "" : bare.slice(slash + 1);
  if (name === "compatible") return resolveCompatible(rest, env, { ...asked, compatible });
  const row = findProvider(name);
  if (row === null) {
    const known = [
      ...Object.keys(providers),
      ...agentPrograms.keys(),
      SDK,
      "compatible",
      "recorded",
      "sim",
    ].join(", ");
    return refuse(`there is no provider "${name}" (there are ${known}); write provider/model`);
  }
  if (rest === "") return refuse(`"${ref}" names no model; write ${name}/MODEL`);
  const own = Object.hasOwn(extras, name) ? extras[name] : undefined;
  return resolveProvider({ ...own, ...asked, name, model: rest }, row, env);
}
