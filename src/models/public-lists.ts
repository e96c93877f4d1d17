// Two public lists of models, as they stood in 2026: LiteLLM's `model_prices_and_context_window.json`, one object a model with
// dollars a token, and models.dev's `api.json`, one object a provider with dollars a million tokens. Both are foreign text.

import { ListedRow } from "./model-list.ts";
import { isObject, objectAt, parseJson, toItems, toObject, toText, type LooseObject } from "./loose.ts";

export type SkippedRow = { readonly model: string; readonly why: string };

export type PublicList = {
  readonly source: "LiteLLM" | "models.dev";
  readonly models: ListedRow[];
  readonly skipped: readonly SkippedRow[];
};

/** The providers that are taken, by the names that the lists have for them: those of references, and of AI SDK packages. */
const SAME =
  "openai anthropic openrouter mistral groq deepseek xai zai deepinfra google moonshotai alibaba cohere cerebras perplexity";
const PROVIDERS = new Map([
  ...SAME.split(" ").map((name) => [name, name] as const),
  ...Object.entries({ gemini: "google", together_ai: "together", togetherai: "together" }),
  ...Object.entries({ moonshot: "moonshotai", dashscope: "alibaba", cohere_chat: "cohere" }),
  ...Object.entries({ fireworks_ai: "fireworks", "fireworks-ai": "fireworks" }),
]);

/** What a list says of a model, in the fields of a row. */
type FieldsOf = readonly [model: string, fields: LooseObject];

/** A list in either form; undefined for any other text. */
export function readPublicList(text: string): PublicList | undefined {
  const list = parseJson(text);
  if (!isObject(list) || Array.isArray(list)) return undefined;
  const rows = Object.entries(list).map(([name, value]): FieldsOf => [name, toObject(value)]);
  if (rows.some(([, value]) => typeof value["litellm_provider"] === "string"))
    return { source: "LiteLLM", ...readEntries(rows.flatMap(fromLiteLlm)) };
  if (!rows.some(([, value]) => isObject(value["models"]))) return undefined;
  return { source: "models.dev", ...readEntries(rows.flatMap(fromModelsDev)) };
}

/** The first row of a model counts. */
function readEntries(entries: readonly FieldsOf[]): Omit<PublicList, "source"> {
  const models = new Map<string, ListedRow>();
  const skipped: SkippedRow[] = [];
  for (const [model, fields] of entries) {
    const present = Object.entries({ ...fields, model }).filter(([, value]) => (value ?? null) !== null);
    const read = ListedRow.safeParse(Object.fromEntries(present));
    if (read.success) models.set(model, models.get(model) ?? read.data);
    else {
      const [issue] = read.error.issues;
      skipped.push({
        model: model.slice(0, 200),
        why: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
      });
    }
  }
  return { models: [...models.values()], skipped };
}

const asNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
/** A cache that costs nothing is a rate that the list does not know. */
const orUnknown = (rate: unknown): unknown => (rate === 0 ? undefined : rate);
/** What costs nothing at a provider that is paid is a price that the list does not know, unless the name says so. */
const isUnknown = (model: string, ...rates: readonly unknown[]): boolean =>
  rates.every((rate) => (rate ?? 0) === 0) && !model.endsWith(":free");

const LONG = /^input_cost_per_token_above_(\d{1,6})k_tokens$/;

function fromLiteLlm([name, row]: FieldsOf): FieldsOf[] {
  const own = toText(row["litellm_provider"]);
  const provider = PROVIDERS.get(own);
  if (provider === undefined || (row["mode"] !== "chat" && row["mode"] !== "responses")) return [];
  /** Dollars a token, without what dividing by a million left behind the twelfth digit. */
  const rate = (key: string): number | undefined => {
    const usd = asNumber(row[key]);
    return usd === undefined ? undefined : Number((usd * 1e6).toPrecision(12));
  };
  const rates = (suffix: string) => ({
    in: rate(`input_cost_per_token${suffix}`),
    out: rate(`output_cost_per_token${suffix}`),
    cached: orUnknown(rate(`cache_read_input_token_cost${suffix}`)),
    written: orUnknown(rate(`cache_creation_input_token_cost${suffix}`)),
  });
  const thousands = Object.keys(row).flatMap((key) => LONG.exec(key)?.[1] ?? []);
  const tiers = thousands.map((k) => ({ above: Number(k) * 1_000, ...rates(`_above_${k}k_tokens`) }));
  const model = `${provider}/${name.startsWith(`${own}/`) ? name.slice(own.length + 1) : name}`;
  const short = rates("");
  const price = isUnknown(model, short.in, short.out)
    ? {}
    : {
        ...short,
        long: dearest(tiers),
        search: objectAt(row, "search_context_cost_per_query")["search_context_size_medium"],
      };
  const fields = {
    ...{ context: row["max_input_tokens"], output: row["max_output_tokens"] },
    ...{ pictures: row["supports_vision"], documents: row["supports_pdf_input"] },
    ...{ tools: row["supports_function_calling"], thinks: row["supports_reasoning"] },
  };
  return [[model, { ...price, ...fields }]];
}

function fromModelsDev([id, row]: FieldsOf): FieldsOf[] {
  const provider = PROVIDERS.get(id);
  if (provider === undefined) return [];
  return Object.entries(toObject(row["models"])).flatMap(([name, value]): FieldsOf[] => {
    const [model, cost] = [`${provider}/${name}`, objectAt(value, "cost")];
    const [limit, modalities] = [objectAt(value, "limit"), objectAt(value, "modalities")];
    const taken = Array.isArray(modalities["input"]) ? toItems(modalities["input"]) : undefined;
    if (!toItems(modalities["output"] ?? ["text"]).includes("text")) return [];
    const rates = ({ input, output, cache_read: cached, cache_write: written }: LooseObject) => {
      return { in: input, out: output, cached: orUnknown(cached), written: orUnknown(written) };
    };
    const over = objectAt(cost, "context_over_200k");
    const tiers = toItems(cost["tiers"]).map(toObject);
    const all = [
      ...tiers.map((tier) => ({ above: objectAt(tier, "tier")["size"], ...rates(tier) })),
      ...(tiers.length === 0 && over["input"] !== undefined ? [{ above: 200_000, ...rates(over) }] : []),
    ];
    const fields = {
      ...(isUnknown(model, cost["input"], cost["output"]) ? {} : { ...rates(cost), long: dearest(all) }),
      // A length of 0 is one that the list does not know.
      ...{ context: limit["context"] || undefined, output: limit["output"] || undefined },
      ...{ pictures: taken?.includes("image"), documents: taken?.includes("pdf") },
      ...{ tools: toObject(value)["tool_call"], thinks: toObject(value)["reasoning"] },
    };
    return [[model, fields]];
  });
}

/** Of several rates for long prompts the highest from the shortest of these on: a limit is not passed by what one row cannot say. */
function dearest(tiers: readonly LooseObject[]): LooseObject | undefined {
  const [most] = tiers.toSorted((one, other) => (asNumber(other["in"]) ?? 0) - (asNumber(one["in"]) ?? 0));
  if (most === undefined) return undefined;
  const above = Math.min(...tiers.map((tier) => asNumber(tier["above"]) ?? 0));
  return Object.fromEntries(
    Object.entries({ ...most, above }).filter(([, value]) => (value ?? null) !== null),
  );
}
