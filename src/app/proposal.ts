import { familyOf, type Families } from "../kernel/index.ts";
import type { ModelCatalog } from "../models/model-list.ts";

/** Matches models that answer no questions. */
const NOT_A_SPEAKER =
  /embed|bge-|minilm|rerank|prometheus|whisper|clip|tts|speech|audio|transcri|realtime|image|dall-e|imagen|flux|diffusion|sora|veo|video|moderation|guard|ocr|babbage|davinci|-instruct-0914|search-api|\*/i;

export const speakers = (names: readonly string[]): string[] =>
  names.filter((name) => !NOT_A_SPEAKER.test(name) && !name.startsWith("parley/"));

/** How many models a provider's list is asked for. */
const PROPOSED = 3;

/**
 * Models of a list to ask first: of each family the one of its middle price, families of which a price is known before the
 * others, and of no family two while there is another.
 */
export function proposeModels(
  names: readonly string[],
  { catalog, families }: { readonly catalog: ModelCatalog; readonly families: Families },
): string[] {
  const priceOf = pricesByName(catalog);
  const byFamily = new Map<string, string[]>();
  for (const name of speakers(names)) {
    const family = familyOf(`compatible/gateway/${name}`, families) ?? name;
    byFamily.set(family, [...(byFamily.get(family) ?? []), name]);
  }
  const ranked = [...byFamily.values()].map((own) => {
    const priced = own
      .flatMap((name) => {
        const price = priceOf(name);
        return price === undefined ? [] : [{ name, price }];
      })
      .sort((one, other) => one.price - other.price);
    const middle = priced[Math.floor(priced.length / 2)]?.name;
    const rest = own.filter((name) => name !== middle);
    return { isPriced: middle !== undefined, names: middle === undefined ? rest : [middle, ...rest] };
  });
  const order = [...ranked.filter(({ isPriced }) => isPriced), ...ranked.filter(({ isPriced }) => !isPriced)];
  const rounds = Math.max(0, ...order.map((one) => one.names.length));
  return Array.from({ length: rounds }, (_, at) => order.flatMap((one) => one.names[at] ?? []))
    .flat()
    .slice(0, PROPOSED);
}

/** What a model's output costs, by its name however a gateway writes the maker before it. */
function pricesByName(catalog: ModelCatalog): (name: string) => number | undefined {
  const known = new Map<string, number>();
  for (const ref of catalog.models()) {
    const name = ref.slice(ref.lastIndexOf("/") + 1).toLowerCase();
    const price = known.has(name) ? undefined : catalog.price(ref);
    if (price) known.set(name, price.out);
  }
  return (name) => {
    const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
    return known.get(last) ?? known.get(last.replace(/-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/, ""));
  };
}
