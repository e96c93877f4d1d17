import type { ModelList, ModelRow } from "../contract/figures.ts";
import { bareReference, familyOf, type Call, type ModelRef, type Models } from "../kernel/index.ts";
import { contextLength, findPrice, listedRef, prices, providers } from "../models/index.ts";
import { declaredPrices, type AppContext } from "./context.ts";
import { reachable } from "./reachable.ts";

const LOCAL = new Set(["ollama", "lmstudio", "recorded", "sim"]);

/** Lists the available models, and how to make the `missing` providers available. It queries local servers, but does not test keys. */
export async function modelTable(context: AppContext): Promise<ModelList> {
  const { settings } = context;
  const places = await reachable(context);
  const table = [...declaredPrices(settings), ...prices];
  const priceOf = (ref: string): ModelRow["price"] => {
    if (LOCAL.has(ref.split("/")[0] ?? "")) return "free";
    const price = findPrice(ref, table) ?? findPrice(listedRef(ref), table);
    return price && { in: price.in, out: price.out, date: price.date, source: price.source };
  };
  const contextOf = (ref: string): number | null => {
    const [, endpoint = ""] = ref.split("/");
    const declared = ref.startsWith("compatible/") ? settings.compatible[endpoint]?.context : undefined;
    return declared ?? contextLength(listedRef(ref));
  };
  const row = (ref: string, state: ModelRow["reachable"], how: string): ModelRow => ({
    ...{ ref, family: familyOf(ref, settings.families) },
    ...{ context: contextOf(bareReference(ref)), price: priceOf(bareReference(ref)) },
    ...{ reachable: state, how },
  });
  const found = places.flatMap(({ provider, state, how, models }) => {
    const listed = prices.filter(({ model }) => model.startsWith(`${provider}/`)).map(({ model }) => model);
    const refs = models.length > 0 ? models.map((model) => `${provider}/${model}`) : [provider];
    return [...new Set([...refs, ...listed])].map((ref) => row(ref, state, how));
  });
  const known = new Map(found.map((one) => [one.ref, one.reachable]));
  const configured = await Promise.all(
    settings.models.map(async (ref) => {
      const state = known.get(bareReference(ref)) ?? ((await context.checkModel(ref)) ? "no" : "configured");
      return row(ref, state, "it is configured as a member");
    }),
  );
  const reached = new Set(places.map(({ provider }) => provider));
  const missing = Object.entries(providers).flatMap(([provider, { keyVariables }]) => {
    if (reached.has(provider)) return [];
    const next = keyVariables.length > 0 ? `set ${keyVariables.join(" or ")}` : "start it on this machine";
    return [{ provider, next }];
  });
  const simulated = row("sim/ada?skill=0.9&seed=1", "simulated", "simulated, always available");
  const rows = [...configured, ...found, simulated];
  const unique = new Map<string, ModelRow>();
  for (const one of rows) if (!unique.has(one.ref)) unique.set(one.ref, one);
  return { models: [...unique.values()], missing };
}

const QUESTION = "Reply with one short sentence: who are you?";
const TIMEOUT_MS = 60_000;

/** What one call to a model came to. */
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
