import type { Call, Failure, ModelFacts, ModelRequest, Models } from "../kernel/model.ts";
import { familyOf, type Families } from "../kernel/families.ts";
import { bareReference, readReference } from "../kernel/model-options.ts";
import type { Transport } from "../kernel/transport.ts";
import type { Dispatcher } from "undici";
import { Caller, type CallServices, type Route } from "./caller.ts";
import { systemClock, type Clock, createWatches } from "./clock.ts";
import type { Variables } from "./proxy.ts";
import { resolveEndpoint, type Configured, type Endpoint } from "./endpoint.ts";
import { createHttp } from "./http.ts";
import { createHttpTransport } from "./http-transport.ts";
import { createLimiter, type ConcurrencyLimits, type RateKey } from "./limiter.ts";
import { builtInLists, createCatalog, type ModelCatalog } from "./model-list.ts";
import { quoteRequest, roomForReply } from "./prices.ts";
import { agentPrograms } from "./programs.ts";
import { findProvider } from "./providers.ts";
import { hasAttachments, withSight, type Blindness } from "./attachments.ts";
import type { WireFeature } from "./wires/wire.ts";

/** A number for each provider, or one for those that are named. */
export type ByProvider = number | { readonly [provider: string]: number };

/** What it says of a provider: of `compatible/lab` also under `lab`. */
function numberFor(provider: string, all: ByProvider): number | undefined {
  if (typeof all === "number") return all;
  const [name] = [provider, provider.replace(/^compatible\//, "")].filter((one) => Object.hasOwn(all, one));
  return name === undefined ? undefined : all[name];
}

export type CallLimits = {
  /** Calls in flight with one provider, and with one of its models; a provider's own row may say less. */
  readonly concurrency: ConcurrencyLimits;
  /** Instead of `caps`, by provider (`ollama`, `compatible/NAME`). */
  readonly concurrencyByProvider: { readonly [provider: string]: ConcurrencyLimits };
  /** Calls in flight, of any provider or by provider, in place of the two above. */
  readonly callsAtOnce: ByProvider;
  /** Requests and tokens that a minute may have, of any provider or by provider; without limit where nothing is said. */
  readonly requestsPerMinute: ByProvider;
  readonly tokensPerMinute: ByProvider;
  /** Attempts at one call at most, the first included. */
  readonly attempts: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** The deadline of a call whose options give none. */
  readonly timeoutMs: number;
  /** How long one attempt may wait for the first byte of its reply. */
  readonly firstByteMs: number;
};

const DEFAULT_LIMITS: CallLimits = {
  concurrency: { provider: 128, model: 64, first: { provider: 16, model: 8 } },
  concurrencyByProvider: {},
  ...{ callsAtOnce: {}, requestsPerMinute: {}, tokensPerMinute: {} },
  attempts: 4,
  backoffBaseMs: 500,
  backoffCapMs: 20_000,
  timeoutMs: 600_000,
  firstByteMs: 300_000,
};

/** Stands in for time, chance and the network. */
export type Substitutes = {
  readonly clock?: Clock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly dispatcher?: Dispatcher;
};

export type ModelsOptions = Configured & {
  /** Where keys and URLs are looked up. Values are read when a model is first called. */
  readonly env: Variables;
  /** OpenRouter's routing preferences, under their names with hyphens: `{ only: ["deepinfra"], "data-collection": "deny" }`. */
  readonly openrouter?: { readonly [preference: string]: unknown } | undefined;
  /** Providers that answer inside this process, such as `sim`; they cost nothing. Limits and retries hold for them too. */
  readonly locals?: { readonly [provider: string]: Transport } | undefined;
  /** Providers whose calls leave this process by code of their own; prices hold for them. */
  readonly remotes?: { readonly [provider: string]: Transport } | undefined;
  /** Answers for programs of agents that are installed here, on their user's subscription. */
  readonly programs?: Transport | undefined;
  readonly families?: Families | undefined;
  /** Prices and what else is known of models; by default the built-in list. */
  readonly catalog?: ModelCatalog | undefined;
  /** Says what the server of a model at home tells of it; asked before the model is sent a picture, which some servers drop silently. */
  readonly atHome?: ((ref: string) => Promise<ModelFacts>) | undefined;
  readonly limits?: Partial<CallLimits> | undefined;
  readonly substitutes?: Substitutes | undefined;
};

/** A door that can be shut: `close` cancels the calls under way and closes every connection. */
export type ClosableModels = Models & { close(): Promise<void> };

/** Calls of one program of an agent at once: each is a process of some hundred megabytes, and plans count them. */
const PROGRAMS_AT_ONCE = 2;

function unsentCall(request: ModelRequest, family: string | null, failure: Failure): Call {
  return {
    ok: false,
    failure,
    model: request.model,
    family,
    tokens: { in: null, out: null, cached: null, reasoning: null },
    cost: { source: "unknown", usd: null },
    latencyMs: 0,
    attempts: 0,
  };
}

/** What an endpoint says of itself: calls at once, and models at work at once. */
type Capped = { readonly cap?: number; readonly models?: number | undefined };

type Routed =
  { readonly ok: true; readonly route: Route } | { readonly ok: false; readonly failure: Failure };

/**
 * The same route with places of its own, half as many: what is called in the background takes no answer's place, and a 429
 * of its own slows only itself.
 */
function backgroundRoute(route: Route): Route {
  const { provider, limits: own } = route.key;
  // Where one call or so many models are all that there may be, there is nothing to share out.
  if (own.provider === 1 || own.models !== undefined) return route;
  const half = (cap: number) => Math.max(1, Math.floor(cap / 2));
  return {
    ...route,
    key: {
      ...route.key,
      provider: `${provider} in the background`,
      limits: { ...own, provider: half(own.provider), model: half(own.model) },
    },
  };
}

/** OpenRouter is told which of the providers behind it may answer; its fields have underscores. */
function withRouting(endpoint: Endpoint, preferences: ModelsOptions["openrouter"]): Endpoint {
  if (endpoint.provider !== "openrouter" || preferences === undefined) return endpoint;
  const provider = Object.fromEntries(
    Object.entries(preferences).map(([name, value]) => [name.replaceAll("-", "_"), value]),
  );
  const { dialect } = endpoint;
  return { ...endpoint, dialect: { ...dialect, extra: { ...dialect.extra, provider } } };
}

export function createModels(options: ModelsOptions): ClosableModels {
  const { env, locals = {}, remotes = {}, families = {}, substitutes = {} } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const clock = substitutes.clock ?? systemClock;
  const http = createHttp({ own: substitutes.dispatcher, env });
  const catalog = options.catalog ?? createCatalog([builtInLists]);
  const learned = new Map<string, Set<WireFeature>>();
  const marksEndAlone = new Set<string>();
  const unseen: Blindness = new Map();
  const routes = new Map<string, Routed>();
  const watches = createWatches(clock);
  const services: CallServices = {
    clock,
    random: substitutes.random ?? Math.random,
    limiter: createLimiter(clock),
    persistence: { attempts: limits.attempts, baseMs: limits.backoffBaseMs, capMs: limits.backoffCapMs },
  };

  const limitsFor = (provider: string, cap: number): ConcurrencyLimits => {
    const { callsAtOnce, concurrency } = limits;
    const chosen = numberFor(provider, callsAtOnce);
    // A number for all is not meant for a server at home that makes a few at a time, or the others wait within it.
    const most = typeof callsAtOnce === "number" ? Math.min(cap, callsAtOnce) : chosen;
    if (most !== undefined) return { provider: most, model: most };
    const own = limits.concurrencyByProvider[provider] ?? concurrency;
    return { ...own, provider: Math.min(cap, own.provider), model: Math.min(cap, own.model) };
  };

  const keyOf = (
    { provider, model }: Pick<RateKey, "provider" | "model">,
    { cap = Infinity, models, router = true }: Partial<Pick<RateKey, "router">> & Capped = {},
  ): RateKey => {
    const requests = numberFor(provider, limits.requestsPerMinute);
    const tokens = numberFor(provider, limits.tokensPerMinute);
    const rates = { account: provider, requests, tokens };
    return {
      provider,
      model: bareReference(model),
      limits: { ...limitsFor(provider, cap), models },
      rates,
      router,
    };
  };

  const routeOf = (ref: string): Routed => {
    const family = familyOf(ref, families);
    const name = ref.slice(0, ref.indexOf("/"));
    const transport = Object.hasOwn(locals, name) ? locals[name] : undefined;
    if (transport !== undefined) {
      const key = keyOf({ provider: name, model: ref });
      return { ok: true, route: { transport, key, family, price: "free" } };
    }
    if (options.programs !== undefined && agentPrograms.has(name)) {
      const key = keyOf({ provider: name, model: ref }, { cap: PROGRAMS_AT_ONCE, router: false });
      return { ok: true, route: { transport: options.programs, key, family, price: "subscription" } };
    }
    const remote = Object.hasOwn(remotes, name) ? remotes[name] : undefined;
    if (remote !== undefined) {
      const provider = ref.slice(0, ref.lastIndexOf("/"));
      const key = keyOf({ provider, model: ref });
      return { ok: true, route: { transport: remote, key, family, price: catalog.price(ref) } };
    }
    const known = routes.get(ref);
    if (known !== undefined) return known;
    const resolution = resolveEndpoint(ref, env, options);
    if (!resolution.ok) return { ok: false, failure: { code: resolution.code, message: resolution.reason } };
    const { thinks } = factsOf(ref);
    const endpoint = withRouting({ ...resolution.endpoint, thinks }, options.openrouter);
    const { provider, router, maxConcurrency, maxModels } = endpoint;
    const caps = { cap: maxConcurrency ?? Infinity, models: maxModels ?? undefined };
    const routed: Routed = {
      ok: true,
      route: {
        transport: createHttpTransport(endpoint, {
          ...{ http, clock, firstByteMs: limits.firstByteMs },
          ...{ learned, marksEndAlone },
        }),
        key: keyOf({ provider, model: ref }, { ...caps, router }),
        ...(endpoint.local ? { loaded: { atMs: -Infinity } } : {}),
        family,
        price: endpoint.local ? "free" : catalog.price(ref),
      },
    };
    routes.set(ref, routed);
    return routed;
  };

  const factsOf = (model: string): ModelFacts => {
    if (model.startsWith("sim/")) return { pictures: false, documents: false, searches: true };
    const { model: bare, effort } = readReference(model);
    const [provider = "", name = ""] = bare.split("/");
    if (agentPrograms.has(provider)) return { pictures: false, documents: false, tools: false };
    const { compatible = {} } = options;
    const own = provider === "compatible" && Object.hasOwn(compatible, name) ? compatible[name] : undefined;
    return {
      ...catalog.facts(model),
      ...(own?.context === undefined ? {} : { context: own.context }),
      // Its wire has no form for a document.
      ...(provider === "ollama" ? { documents: false } : {}),
      ...(findProvider(provider)?.search ? { searches: true } : {}),
      ...(effort === undefined ? {} : { thinks: effort !== "none" }),
    };
  };

  const told = new Map<string, ModelFacts>();
  /** What a server at home says of a model: asked until it says anything. */
  const toldOf = async (model: string): Promise<ModelFacts> => {
    const facts = told.get(model) ?? (await options.atHome?.(model)) ?? {};
    if (Object.keys(facts).length > 0) told.set(model, facts);
    return facts;
  };

  return {
    complete: async (request, given) => {
      const { signal, timeoutMs = limits.timeoutMs, withinMs, background, bytesOf, limit = Infinity } = given;
      const routed = routeOf(request.model);
      if (!routed.ok) return unsentCall(request, familyOf(request.model, families), routed.failure);
      const usual = background === true ? backgroundRoute(routed.route) : routed.route;
      const facts = factsOf(request.model);
      const sees = hasAttachments(request) && { ...facts, ...(await toldOf(request.model)) };
      const route = sees
        ? { ...usual, transport: withSight(usual.transport, { ...sees, learned: unseen, bytesOf }) }
        : usual;
      const room = { limit: Math.min(limit, roomForReply(request, facts)), most: facts.output };
      return watches.run({ signal, timeoutMs, withinMs }, (watch) =>
        new Caller({ ...given, request, route, watch, ...room }, given, services).run(),
      );
    },
    quote: (request) => {
      const routed = routeOf(request.model);
      const price = routed.ok ? routed.route.price : catalog.price(request.model);
      return quoteRequest(request, price, factsOf(request.model));
    },
    facts: factsOf,
    check: (model) => {
      const routed = routeOf(model);
      return routed.ok ? undefined : routed.failure;
    },
    close: async () => {
      watches.close();
      await http.close();
    },
  };
}
