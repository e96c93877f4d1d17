import type { ModelList, ModelRow } from "../contract/figures.ts";
import { bareReference, familyOf, type Call, type ModelRef, type Models } from "../kernel/index.ts";
import { providers, type Provider } from "../models/index.ts";
import { agentPrograms } from "../models/programs.ts";
import type { AppContext } from "./context.ts";
import { FREE } from "./listed-models.ts";
import { installedPrograms } from "./subscriptions.ts";
import { factsAtHome, MAX_ASKED, reachable } from "./reachable.ts";

/** Lists the available models, and how to make the `missing` providers available. It queries local servers, but does not test keys. */
export async function modelTable(context: AppContext): Promise<ModelList> {
  const { settings, catalog, env } = context;
  const places = await reachable(context);
  const priceOf = (ref: string): ModelRow["price"] => {
    if (FREE.test(ref)) return "free";
    if (agentPrograms.has(ref.split("/")[0] ?? "")) return "subscription";
    const price = catalog.price(ref);
    return price && { in: price.in, out: price.out, date: price.date, source: price.source };
  };
  const factsOf = async (ref: string, at: number) => {
    const [, endpoint = ""] = bareReference(ref).split("/");
    const own = ref.startsWith("compatible/") ? settings.compatible[endpoint]?.context : undefined;
    const facts = { ...catalog.facts(ref), ...(at < MAX_ASKED ? await factsAtHome(ref, env) : {}) };
    const { context: listed = null, output = null, pictures, documents, tools, thinks: thinking } = facts;
    const known = { pictures, documents, tools, thinking, search: context.models.facts?.(ref).searches };
    const names = Object.keys(known) as (keyof typeof known)[];
    const those = (which: boolean) => names.filter((name) => known[name] === which);
    return { context: own ?? listed, output, can: those(true), cannot: those(false) };
  };
  type Found = Pick<ModelRow, "ref" | "reachable" | "how">;
  const row = async ({ ref, ...state }: Found, at: number): Promise<ModelRow> => {
    const family = familyOf(ref, settings.families);
    return { ref, family, ...(await factsOf(ref, at)), price: priceOf(ref), ...state };
  };
  const offered = catalog.models();
  const found = places.flatMap(({ provider, state, how, models, all = [] }) => {
    const there = [...models, ...all];
    const refs = there.length > 0 ? there.map((model) => `${provider}/${model}`) : [provider];
    const more = offered.filter((model) => model.startsWith(`${provider}/`));
    return [...refs, ...more].map((ref): Found => ({ ref, reachable: state, how }));
  });
  const known = new Map(found.map((one) => [one.ref, one.reachable]));
  const configured = await Promise.all(
    settings.models.map(async (ref): Promise<Found> => {
      const state = known.get(bareReference(ref)) ?? ((await context.checkModel(ref)) ? "no" : "configured");
      return { ref, reachable: state, how: "it is configured as a member" };
    }),
  );
  const reached = new Set(places.map(({ provider }) => provider));
  const missing = Object.entries(providers).flatMap(([provider, row]: [string, Provider]) => {
    if (reached.has(provider)) return [];
    const next = row.local ? "start it on this machine" : `set ${row.keyVariables.join(" or ")}`;
    return [{ provider, next }];
  });
  const programs = installedPrograms(env).map(({ ref, title }): Found => {
    return { ref, reachable: "installed", how: `${title} is installed; its login is not tested` };
  });
  const ref = "sim/ada?skill=0.9&seed=1";
  const simulated: Found = { ref, reachable: "simulated", how: "simulated, always available" };
  const unique = new Map<string, Found>();
  for (const one of [...configured, ...found, ...programs, simulated])
    if (!unique.has(one.ref)) unique.set(one.ref, one);
  return { models: await Promise.all([...unique.values()].map(row)), missing };
}

const QUESTION = "Reply with one short sentence: who are you?";
const TIMEOUT_MS = 60_000;

export type ModelTest = Pick<Call, "latencyMs" | "tokens" | "cost"> & { readonly model: string } & (
    { readonly ok: true; readonly reply: string } | Pick<Extract<Call, { ok: false }>, "ok" | "failure">
  );

/** Makes one request to a model, with a short question. `maxOutputTokens` bounds its reply, hidden reasoning included. */
export async function testModel(
  models: Pick<Models, "complete">,
  model: ModelRef,
  { signal, maxOutputTokens }: { readonly signal: AbortSignal; readonly maxOutputTokens: number },
): Promise<ModelTest> {
  const call = await models.complete(
    { model, messages: [{ role: "user", text: QUESTION }], maxOutputTokens },
    { signal, timeoutMs: TIMEOUT_MS, attempts: 1 },
  );
  const { latencyMs, tokens, cost } = call;
  const spent = { model, latencyMs, tokens, cost };
  return call.ok ? { ...spent, ok: true, reply: call.reply } : { ...spent, ok: false, failure: call.failure };
}
