import { describe, expect, it } from "vitest";
import { builtInLists, createCatalog, ListedRow, PriceList, readModelLists } from "./model-list.ts";
import { createModels } from "./models.ts";

const lists = builtInLists();
const catalog = createCatalog([() => lists]);

describe("the built-in list", () => {
  it("has a date and a source in every row, sane figures, and each model once", () => {
    const models = lists.flatMap((list) => list.models.map(({ model }) => model));
    expect(new Set(models).size).toBe(models.length);
    for (const list of lists) {
      expect(PriceList.parse(list)).toEqual(list);
      expect(list).toMatchObject({
        source: expect.stringMatching(/./),
        date: expect.stringMatching(/^2026-/),
      });
      for (const row of list.models) {
        expect(ListedRow.parse(row), row.model).toEqual(row);
        expect(row.out ?? 0, row.model).toBeGreaterThanOrEqual(row.in ?? 0);
        expect(row.cached ?? 0, row.model).toBeLessThanOrEqual(row.in ?? 0);
        expect(row.output ?? 0, row.model).toBeLessThanOrEqual(row.context ?? Infinity);
        expect(row.long?.in ?? Infinity, row.model).toBeGreaterThan(row.in ?? 0);
      }
    }
  });

  it("has a price and facts of the models that Parley chooses by itself", async () => {
    const { providers } = await import("./providers.ts");
    for (const [provider, row] of Object.entries(providers))
      for (const model of "usual" in row ? row.usual : []) {
        const ref = `${provider}/${model}`;
        expect(catalog.price(ref), ref).not.toBeNull();
        expect(catalog.facts(ref), ref).toMatchObject({
          context: expect.any(Number),
          tools: expect.any(Boolean),
        });
      }
  });

  it("has lately seen the price of what is chosen by a maker's key, so that no run of it speaks of old prices", async () => {
    const { providers } = await import("./providers.ts");
    const newest = Math.max(...lists.map(({ date }) => Date.parse(date)));
    for (const maker of ["openai", "anthropic", "google", "deepseek", "xai"] as const)
      for (const model of providers[maker].usual) {
        const date = catalog.price(`${maker}/${model}`)?.date ?? "";
        expect(newest - Date.parse(date), `${maker}/${model} of ${date}`).toBeLessThan(60 * 86_400_000);
      }
  });
});

describe("what a list says of a model", () => {
  it("is found for its dated versions, its options and packages, and for no other model", () => {
    expect(catalog.price("openai/gpt-4o")?.model).toBe("openai/gpt-4o");
    expect(catalog.price("openai/gpt-4o-2024-08-06")?.model).toBe("openai/gpt-4o");
    expect(catalog.price("anthropic/claude-sonnet-4-5-20250929")?.model).toBe("anthropic/claude-sonnet-4-5");
    expect(catalog.price("openai/gpt-4o-mini")?.model).toBe("openai/gpt-4o-mini");
    expect(catalog.price("openai/gpt-6.2-sol?effort=high&wire=responses")?.out).toBe(10);
    expect(catalog.price("ai-sdk/openai/gpt-6.2-sol?effort=high")?.out).toBe(10);
    expect(catalog.facts("ai-sdk/openai/gpt-6.2-sol-2026-11-17?effort=high")).toMatchObject({
      ...{ context: 1_050_000, output: 128_000, thinks: true },
    });
    for (const ref of [
      "openai/gpt-4o-audio-preview",
      "openai/gpt-4",
      "compatible/box/gpt-4o",
      "openai/__proto__",
    ]) {
      expect(catalog.price(ref), ref).toBeNull();
      expect(catalog.facts(ref), ref).toEqual({});
    }
  });

  it("is not looked for where no list can have it", () => {
    const never = createCatalog([
      () => {
        throw new Error("a list was read");
      },
    ]);
    for (const ref of ["sim/ada?skill=1", "ollama/gemma4", "recorded/a", "human/ana", "lmstudio/x"]) {
      expect(never.price(ref)).toBeNull();
      expect(never.facts(ref)).toEqual({});
    }
    expect(() => never.price("openai/gpt-5")).toThrow("a list was read");
  });

  it("is what the first list says of it; what that leaves out the next one says, but never half a price", () => {
    const layered = createCatalog([
      () => [{ source: "mine", date: "declared", models: [{ model: "a/b", in: 1, out: 2 }] }],
      () => [
        {
          ...{ source: "taken", date: "2026-12-01" },
          models: [
            { model: "a/b", in: 3, out: 4, cached: 0.1, search: 0.01, tools: false },
            { model: "a/c", output: 9 },
          ],
        },
      ],
      () => [
        {
          source: "old",
          date: "2026-01-01",
          models: [{ model: "a/c", in: 5, out: 6, output: 8, context: 7 }],
        },
      ],
    ]);
    expect(layered.price("a/b")).toMatchObject({
      in: 1,
      out: 2,
      cached: undefined,
      search: 0.01,
      source: "mine",
    });
    expect(layered.facts("a/b")).toEqual({ tools: false });
    expect(layered.price("a/c")).toMatchObject({ in: 5, source: "old", date: "2026-01-01" });
    expect(layered.facts("a/c")).toEqual({ output: 9, context: 7 });
    expect(layered.models()).toEqual(["a/c", "a/b"]);
  });

  it("is what the newer of two lists says, in whichever order they stand, but for what is declared", () => {
    const listOf = (date: string, ...models: PriceList["models"]) => [{ source: date, date, models }];
    const lists = [
      () => listOf("declared", { model: "a/mine", in: 1, out: 1 }),
      () => listOf("2026-03-01", ...["a/mine", "a/b"].map((model) => ({ model, in: 2, out: 2, output: 2 }))),
      () => listOf("2026-11-01", ...["a/mine", "a/b"].map((model) => ({ model, in: 3, out: 3, context: 3 }))),
    ];
    for (const order of [lists, lists.toReversed()]) {
      const newest = createCatalog(order);
      expect(newest.price("a/mine")).toMatchObject({ in: 1, date: "declared" });
      expect(newest.price("a/b")).toMatchObject({ in: 3, date: "2026-11-01" });
      expect(newest.facts("a/b")).toEqual({ output: 2, context: 3 });
    }
    const sameDay = createCatalog([
      () => listOf("2026-03-01", { model: "a/b", in: 4, out: 4 }),
      () => listOf("2026-03-01", { model: "a/b", in: 5, out: 5 }),
    ]);
    expect(sameDay.price("a/b")).toMatchObject({ in: 4 });
  });

  it("is told of models, and over it what the settings say of an endpoint", async () => {
    const models = createModels({
      env: {},
      compatible: { lab: { url: "http://localhost:1", context: 32_768 } },
    });
    expect(models.facts?.("compatible/lab/any")).toEqual({ context: 32_768 });
    expect(models.facts?.("google/gemini-2.5-pro")).toMatchObject({ pictures: true, documents: true });
    await models.close();
  });
});

it.each([
  "",
  "{}",
  "[1]",
  '[{"source":"x","date":"soon","models":[]}]',
  '[{"models":[{"model":"a/b","in":-1}]}]',
])("is not read from %j", (text) => expect(readModelLists(text)).toBeUndefined());
