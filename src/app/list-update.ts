import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { toAbsolute, type FileContext } from "../config/paths.ts";
import { loadSettings } from "../config/sources.ts";
import { replaceFile, toReadFault } from "../config/text-file.ts";
import { hasSecretInQuery, refusal } from "../kernel/index.ts";
import { fetchPublic } from "../models/fetch.ts";
import { builtInLists, createCatalog, type ModelCatalog, type PriceList } from "../models/model-list.ts";
import type { Price } from "../models/prices.ts";
import { readPublicList, type SkippedRow } from "../models/public-lists.ts";
import { readTakenLists, takenListFile } from "./listed-models.ts";

/** Where the two lists are that can be read, by their own documentation. */
const ADDRESSES = [
  "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
  "https://models.dev/api.json",
];
/** Ten times what either has. */
const MAX_BYTES = 20_000_000;
const TIMEOUT_MS = 60_000;

/** A figure of a model that a new list changes; null is unknown. */
export type ListChange = {
  readonly model: string;
  readonly field: string;
  readonly from: number | null;
  readonly to: number | null;
};

/** What taking a list changes, or would change. */
export type ListUpdate = Pick<PriceList, "source" | "date"> & {
  /** The absolute path or the address that it was read from. */
  readonly from: string;
  /** The file that it is kept in; null where nothing was written. */
  readonly path: string | null;
  readonly models: number;
  readonly added: readonly string[];
  readonly changed: readonly ListChange[];
  /** Models of the list before that are not in this one. */
  readonly gone: readonly string[];
  readonly skipped: readonly SkippedRow[];
};

export type UpdateRequest = {
  /** A path or an address; the one before, if absent. */
  readonly from?: string | undefined;
  /** Whether to write nothing. */
  readonly isDry: boolean;
  readonly now: number;
  readonly signal: AbortSignal;
};

/** Takes a public list of models beside the built-in one. Nothing is changed unless the whole of it could be read. @throws Fault `configuration` */
export async function updateModelList(
  place: Pick<FileContext, "cwd" | "env">,
  { from, isDry, now, signal }: UpdateRequest,
): Promise<ListUpdate> {
  const { lists: before } = readTakenLists(place);
  const named = from ?? before[0]?.from;
  if (named === undefined)
    throw refusal(
      "no list of models has been taken yet, and none is fetched unasked",
      `name a file or an address: ${ADDRESSES.join(" or ")}`,
    );
  const read = /^https?:/i.test(named) ? await fetchText(named, place, signal) : readText(named, place);
  const list = readPublicList(read.text);
  if (!list || list.models.length === 0)
    throw refusal(
      `${read.from} is no list of models that can be read`,
      `take LiteLLM's model_prices_and_context_window.json or models.dev's api.json: ${ADDRESSES.join(" or ")}`,
    );
  const date = new Date(Math.min(read.atMs, now)).toISOString().slice(0, 10);
  const { source, models, skipped } = list;
  const taken: PriceList = { source, date, from: read.from, models };
  const path = takenListFile(place);
  if (!isDry) writeList(path, taken);
  return {
    ...{ source, date, from: read.from, path: isDry ? null : path, models: models.length },
    ...compare(before, taken),
    skipped,
  };
}

function writeList(path: string, list: PriceList): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw toReadFault(error, path);
  }
  replaceFile(path, `${JSON.stringify([list])}\n`);
}

type ListText = { readonly from: string; readonly text: string; readonly atMs: number };

async function fetchText(
  address: string,
  { cwd, env }: Pick<FileContext, "cwd" | "env">,
  signal: AbortSignal,
): Promise<ListText> {
  const next = "save the list as a file, and name that";
  if (!URL.canParse(address) || new URL(address).username !== "" || hasSecretInQuery(address))
    throw refusal("the address of a list may hold no user name, key or password", next);
  const { settings } = loadSettings({ flags: {}, env, cwd });
  const got = await fetchPublic(address, {
    ...{ env, signal, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, allowsPrivate: settings.fetchPrivate },
  });
  if (!got.ok) {
    const allow = got.isPrivate ? "set fetch-private: true if you mean it, or " : "";
    throw refusal(`${address} is not fetched: ${got.reason}`, `${allow}${next}`);
  }
  const modified = Date.parse(got.lastModified);
  const text = Buffer.from(got.bytes).toString("utf8");
  return { from: new URL(address).href, text, atMs: Number.isNaN(modified) ? Infinity : modified };
}

function readText(written: string, place: Pick<FileContext, "cwd" | "env">): ListText {
  const path = toAbsolute(written, place);
  try {
    const { size, mtimeMs } = statSync(path);
    if (size > MAX_BYTES) throw refusal(`${path} has more than ${MAX_BYTES / 1e6} MB`, "check the path");
    return { from: path, text: readFileSync(path, "utf8"), atMs: mtimeMs };
  } catch (error) {
    throw toReadFault(error, path);
  }
}

/** What is known of a model, as figures. A list has the whole of a price, so that what it leaves out is unknown again. */
function figuresOf(catalog: ModelCatalog, model: string) {
  const { in: input, out, cached, written, search, long }: Partial<Price> = catalog.price(model) ?? {};
  const { context, output } = catalog.facts(model);
  const price = { in: input, out, cached, written, search, "long in": long?.in, "long out": long?.out };
  return Object.entries({ ...price, context, output });
}

function compare(
  before: readonly PriceList[],
  taken: PriceList,
): Pick<ListUpdate, "added" | "changed" | "gone"> {
  const names = taken.models.map(({ model }) => model);
  const old = createCatalog([() => before, builtInLists]);
  const now = createCatalog([() => [taken], builtInLists]);
  const had = new Set(old.models());
  const added = names.filter((model) => !had.has(model));
  const changed = names
    .filter((model) => had.has(model))
    .flatMap((model): ListChange[] => {
      const is = new Map(figuresOf(now, model));
      return figuresOf(old, model).flatMap(([field, was]) => {
        const [from, to] = [was ?? null, is.get(field) ?? null];
        return from === to ? [] : [{ model, field, from, to }];
      });
    });
  const gone = before.flatMap((list) =>
    list.models.map(({ model }) => model).filter((model) => !names.includes(model)),
  );
  return { added, changed, gone };
}
