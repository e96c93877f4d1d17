import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder, SETTINGS_FILE, type FileContext } from "../config/paths.ts";
import type { LoadedSettings } from "../config/sources.ts";
import type { SeatedParticipant } from "../engine/opening-part.ts";
import { bareReference, Fault, isFault, personOf, type ModelRef, type Models } from "../kernel/index.ts";
import {
  builtInLists,
  createCatalog,
  readModelLists,
  type ModelCatalog,
  type PriceList,
} from "../models/model-list.ts";

type DeclaredPrices = LoadedSettings["settings"]["prices"];

/** References to models that cost nothing. */
export const FREE = /^(?:ollama|lmstudio|llamacpp|vllm|jan|recorded|sim)\//;
/** Prices of lists change within months. */
const MAX_PRICE_AGE_DAYS = 90;
const DAY_MS = 86_400_000;

/** Whether a list's date was more than 90 days ago. What the user's settings say does not age. */
export const isOldPrice = (date: string, now: number): boolean =>
  now - Date.parse(date) > MAX_PRICE_AGE_DAYS * DAY_MS; // "declared" is no date, and so never old

export const takenListFile = (place: FileContext): string => join(dataFolder(place), "model-list.json");

/** The lists that the user took; `problem` where there is a file that cannot be read as such. */
export function readTakenLists(place: FileContext): {
  readonly lists: readonly PriceList[];
  readonly problem?: string;
} {
  let path: string;
  let text: string;
  try {
    path = takenListFile(place);
    text = readFileSync(path, "utf8");
  } catch (error) {
    const isAbsent = isFault(error) || (error instanceof Error && "code" in error && error.code === "ENOENT");
    return { lists: [], ...(isAbsent ? {} : { problem: "the list of models that you took cannot be read" }) };
  }
  const lists = readModelLists(text);
  return lists ? { lists } : { lists: [], problem: `${path} is no list of models` };
}

/** The user's settings, over the newer of the list that the user took and the built-in one. */
export const openCatalog = (
  { prices }: { readonly prices: DeclaredPrices },
  place: Pick<FileContext, "cwd" | "env">,
): ModelCatalog =>
  createCatalog([() => declaredLists(prices), () => readTakenLists(place).lists, builtInLists]);

const declaredLists = (prices: DeclaredPrices): PriceList[] => [
  {
    ...{ source: "your settings", date: "declared" },
    models: Object.entries(prices).map(([model, price]) => ({ model, ...price })),
  },
];

/** Which lists the prices of these models are from, as an opening records it; undefined where none has one. */
export function pricesUsed(
  catalog: ModelCatalog,
  models: readonly string[],
): { source: string; date: string | null }[] | undefined {
  const used = new Map<string, { source: string; date: string | null }>();
  for (const model of models) {
    const price = catalog.price(model);
    if (!price) continue;
    const date = price.date === "declared" ? null : price.date;
    used.set(`${price.source} ${date}`, { source: price.source, date });
  }
  return used.size === 0 ? undefined : [...used.values()];
}

/** @throws Fault `budget` where what a model or its searches cost is unknown, because a cost limit could not be enforced */
export function refuseUnknownPrices(
  { models }: { readonly models: Models },
  participants: readonly Pick<SeatedParticipant, "model" | "search">[],
): void {
  const isUnknown = (model: ModelRef, search?: number): boolean =>
    models.quote({ model, messages: [{ role: "user", text: "" }], maxOutputTokens: 1, search }).usd === null;
  // Settings that declare the prices, ready to be pasted. A name is quoted as JSON, which YAML reads too.
  const lines = new Map<string, string>();
  for (const { model, search } of participants) {
    const searches = search === "own";
    if (personOf(model) !== undefined || !isUnknown(model, searches ? 1 : undefined)) continue;
    const rates = `{ in: 1.25, out: 10${searches ? ", search: 0.01" : ""} }`;
    lines.set(bareReference(model), `  ${JSON.stringify(bareReference(model))}: ${rates}`);
  }
  if (lines.size === 0) return;
  const isForSearch = participants.every(({ model }) => personOf(model) !== undefined || !isUnknown(model));
  throw new Fault("budget", {
    why: `${isForSearch ? "what a search costs with" : "the price of"} ${[...lines.keys()].join(", ")} is unknown, so a limit in USD cannot be enforced`,
    next: `another model, a limit on tokens, or in ${SETTINGS_FILE} what its provider takes for a million tokens${isForSearch ? " and for a search" : ""}:\nprices:\n${[...lines.values()].join("\n")}`,
    isUnpriced: true,
  });
}
