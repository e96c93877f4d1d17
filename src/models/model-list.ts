import { readFileSync } from "node:fs";
import * as z from "zod";
import { ModelRef, type ModelFacts } from "../kernel/model.ts";
import { listedRef } from "./endpoint.ts";
import { parseJson } from "./loose.ts";
import type { Price } from "./prices.ts";

/** US dollars per million tokens, or for a search; a list with more than any known price is in other units. */
const usd = z.number().nonnegative().max(10_000);
const length = z.int().positive().max(100_000_000).optional();
const fact = z.boolean().optional();
const RATES = { in: usd, out: usd, cached: usd.optional(), written: usd.optional() };

/** What a list says about one model; what it does not say is unknown. A price is both of `in` and `out`, or none. */
export const ListedRow = z
  .object({
    model: ModelRef.and(z.string().regex(/^[!-~]{3,200}$/)),
    ...{ ...RATES, in: usd.optional(), out: usd.optional(), search: usd.optional() },
    long: z.object({ above: z.int().positive(), ...RATES }).optional(),
    ...{ context: length, output: length },
    ...{ pictures: fact, documents: fact, tools: fact, thinks: fact },
  })
  .readonly();
export type ListedRow = Readonly<z.input<typeof ListedRow>>;

/** What one source said on one day. */
export const PriceList = z.object({
  source: z.string().max(200),
  /** `2026-11-18`; `declared` for what the user's settings say, which does not age. */
  date: z.iso.date(),
  /** The path or the address that the user took it from. */
  from: z.string().optional(),
  models: z.array(ListedRow),
});
export type PriceList = Readonly<z.input<typeof PriceList>>;

/** Lists in the form of `model-list.json`; undefined for any other text. */
export const readModelLists = (text: string): readonly PriceList[] | undefined =>
  z.array(PriceList).safeParse(parseJson(text)).data;

/** The list that comes with Parley; its rows are tested, and so not read one by one. */
export function builtInLists(): readonly PriceList[] {
  return JSON.parse(readFileSync(new URL("./model-list.json", import.meta.url), "utf8")) as PriceList[];
}

/** What a provider appends to a model's name to tell its versions apart: a date, a month, or `latest`. */
const VERSION = /-(?:latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$/;

/** Models that cost nothing, and of which no list knows: their runs read none. */
const UNLISTED = /^(?:sim|recorded|human|ollama|lmstudio)\//;

const FACTS = ["context", "output", "pictures", "documents", "tools", "thinks"] as const;

type RowOfList = { readonly row: ListedRow; readonly list: PriceList };
type Layer = ReadonlyMap<string, RowOfList>;

const MAX_LOOKED_UP = 1_000;

/** Rows by their models; of two the later counts. */
function layerOf(lists: readonly PriceList[]): Layer {
  const layer = new Map<string, RowOfList>();
  for (const list of lists) for (const row of list.models) layer.set(row.model, { row, list });
  return layer;
}

export type ModelCatalog = {
  /**
   * null where no list has one. A router's price for a model is not its maker's, so `openrouter/…` is only what a row says of
   * it; `ai-sdk/openai/gpt-5`, dated versions and references with options cost what the model does.
   */
  price(ref: string): Price | null;
  facts(ref: string): ModelFacts;
  /** All listed models, in the order of the last list, then of those before it. */
  models(): readonly string[];
};

/** Lists over each other: what the newest says of a model counts, of one day the first. Each is read when something is first asked. */
export function createCatalog(layers: readonly (() => readonly PriceList[])[]): ModelCatalog {
  let opened: readonly Layer[] | undefined;
  const open = () => (opened ??= layers.map((lists) => layerOf(lists())));
  const lookedUp = new Map<string, readonly RowOfList[]>();
  const found = (ref: string): readonly RowOfList[] => {
    if (UNLISTED.test(ref)) return [];
    const known = lookedUp.get(ref);
    if (known) return known;
    const listed = listedRef(ref);
    const rows = open()
      .flatMap((layer) => layer.get(listed) ?? layer.get(listed.replace(VERSION, "")) ?? [])
      // A declared one comes before every date.
      .sort(
        ({ list: one }, { list: other }) => Number(one.date < other.date) - Number(one.date > other.date),
      );
    // A name comes from outside: a process meets few, and keeps no more.
    if (lookedUp.size < MAX_LOOKED_UP) lookedUp.set(ref, rows);
    return rows;
  };
  return {
    price(ref) {
      const rows = found(ref);
      // A list of token prices may say nothing of searches.
      const search = rows.find(({ row }) => row.search !== undefined)?.row.search;
      for (const { row, list } of rows) {
        const { model, in: input, out, cached, written, long } = row;
        if (input === undefined || out === undefined) continue;
        const { date, source } = list;
        return { model, in: input, out, cached, written, long, search, date, source };
      }
      return null;
    },
    facts(ref) {
      const rows = found(ref).toReversed();
      const known = rows.flatMap(({ row }) => FACTS.map((name) => [name, row[name]] as const));
      return Object.fromEntries(known.filter(([, value]) => value !== undefined)); // of one row, and so each of its type
    },
    models: () => [
      ...new Set(
        open()
          .toReversed()
          .flatMap((layer) => [...layer.keys()]),
      ),
    ],
  };
}
