import { readdirSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE } from "../support/browser.ts";
import { SIMS, SUM, testServer, type TestServer } from "../support/server.ts";

const browser = inBrowser("the page in German");
const WAIT = { timeout: 20_000 };

const source = new URL("../../src/", import.meta.url);
const files = (language: "en" | "de") =>
  readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) =>
    new RegExp(`/words(?:-more)?/${language}\\.json$`).test(path),
  );
const catalogue = (language: "en" | "de"): unknown =>
  files(language).map((path) => JSON.parse(readFileSync(new URL(path, source), "utf8")));
/** Texts that are shown as they stand. */
const textsIn = (node: unknown): readonly string[] =>
  typeof node === "string"
    ? node.includes("{")
      ? []
      : [node]
    : typeof node === "object" && node !== null
      ? Object.values(node).flatMap(textsIn)
      : [];

/** A provider, protocols, a strategy, a participant, personas and a setting, which have their names in every language. */
const NAMES = ["together", "persona", "none", "Chair", "chair", "judge", "respondent", "skeptic", "tools"];

let server: TestServer;
let english: ReadonlySet<string>;
let german: ReadonlySet<string>;
let [council, debate] = ["", ""];
const questions = ["one", "two", "three"].map((name) => `${SUM} (${name})`);

describe.skipIf(browser.isMissing)("the page for who reads German, and who has no mouse", () => {
  beforeAll(async () => {
    const both = [textsIn(catalogue("en")), textsIn(catalogue("de"))] as const;
    german = new Set(both[1]);
    english = new Set(both[0].filter((text) => !german.has(text) && !NAMES.includes(text)));
    server = await testServer({ page: PAGE });
    for (const question of questions) council = (await server.ask({ question })).id;
    debate = (await server.ask({ protocol: "debate", rounds: 1, models: SIMS.slice(0, 2) })).id;
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  async function openIn(locale: string): Promise<Page> {
    const context = await browser.get().newContext({ locale });
    await context.addCookies([await server.newSession()]);
    return context.newPage();
  }

  /** Whole texts of elements, and the words that stand in their attributes. */
  const textsOn = async (page: Page) => (await page.evaluate(TEXTS)) as readonly string[]; // an expression of this file

  it("says everything in German to a browser that prefers it, and nothing of the catalogue in English", async () => {
    expect(english.size).toBeGreaterThan(400);
    const page = await openIn("de-AT");
    const found: unknown[] = [];
    const views = ["room", "reviews", "contributions", "steps", "events", "fork"];
    for (const path of [
      ...["", "runs", "inbox", "league", "contributions", "votes", "costs", "memory", "personas"],
      ...["library", "forest", "workers", "bus", "settings", "compare", "nothing-here", "d/none"],
      ...["personas/skeptic", "library/strategies/balanced", "memory?view=facts", "memory?view=models"],
      ...views.map((view) => `d/${council}?view=${view}`),
      ...["room", "debate", "steps"].map((view) => `d/${debate}?view=${view}`),
    ]) {
      await page.goto(`${server.url}${path}`);
      await page.locator("h1").waitFor(WAIT);
      await expect.poll(() => page.locator("main .quiet", { hasText: "Wird geladen" }).count(), WAIT).toBe(0);
      if (path.includes("view=") && path.startsWith("d/"))
        await page.locator(".view > *").first().waitFor(WAIT);
      const texts = await textsOn(page);
      const left = texts.filter((text) => english.has(text));
      if (left.length > 0) found.push([path, left]);
      // The navigation alone has fourteen.
      const own = texts.filter((text) => german.has(text));
      if (own.length < 15) found.push([path, `only ${own.length} texts are German`]);
    }
    expect(found).toEqual([]);
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    // Seats and kinds of work stand among names, and are German as well.
    await page.goto(`${server.url}d/${council}`);
    const column = page.locator(".column").first();
    await expect.poll(() => column.textContent(), WAIT).toContain("Mitglied · ");
    expect(await column.textContent()).toContain("Entwurf");
    await page.context().close();
  }, 120_000);

  it("speaks English to others, and keeps the language that is chosen", async () => {
    const page = await openIn("fr");
    await page.goto(`${server.url}runs`);
    await page.locator("h1").waitFor(WAIT);
    expect(await page.evaluate("document.documentElement.lang")).toBe("en");
    await page.locator(".language select").selectOption("de");
    await page.locator("h1", { hasText: "Läufe" }).waitFor(WAIT);
    await page.goto(`${server.url}costs`);
    await page.locator("h1", { hasText: "Kosten" }).waitFor(WAIT);
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    await page.context().close();
  }, 60_000);

  it("goes through the runs by j and k, opens one by Enter, and types both into the search", async () => {
    const page = await openIn("en");
    await page.goto(`${server.url}runs`);
    const links = page.locator("a.run-link");
    await expect.poll(() => links.count(), WAIT).toBe(4);
    const focused = () =>
      page.evaluate("[...document.querySelectorAll('a.run-link')].indexOf(document.activeElement)");
    const places: unknown[] = [];
    for (const key of ["j", "j", "j", "k", "j", "j", "j", "k", "k", "k", "k"]) {
      await page.keyboard.press(key);
      places.push(await focused());
    }
    expect(places).toEqual([0, 1, 2, 1, 2, 3, 3, 2, 1, 0, 0]);
    await page.keyboard.press("j");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
    const question = (await links.nth(1).textContent()) ?? "";
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("h1.question").textContent(), WAIT).toBe(question);
    // Without a search of its own, the screen leads to the runs.
    await page.keyboard.press("/");
    await page.locator("input[type=search]").waitFor(WAIT);
    await page.keyboard.press("/");
    await page.keyboard.type("jk (two)");
    expect(await page.locator("input[type=search]").inputValue()).toBe("jk (two)");
    await page.context().close();
  }, 60_000);

  it("scrubs by arrows in steps of one and of ten, plays by space, and stops by space", async () => {
    const page = await openIn("en");
    await page.goto(`${server.url}d/${council}`);
    await page.locator(".replay").waitFor(WAIT);
    const at = () => Number(new URL(page.url()).searchParams.get("at") ?? "0");
    await page.keyboard.press("Home");
    await expect.poll(at, WAIT).toBe(1);
    const { length: last } = (await server.get(`deliberations/${council}/events`)).json.data;
    let seq = 1;
    for (const [key, by] of [
      ["ArrowRight", 1],
      ["ArrowRight", 1],
      ["Shift+ArrowRight", 10],
      ["ArrowLeft", -1],
      ["Shift+ArrowLeft", -10],
      ["Shift+ArrowLeft", -10],
    ] as const) {
      await page.keyboard.press(key);
      seq = Math.min(last, Math.max(1, seq + by));
      await expect.poll(at, WAIT).toBe(seq === last ? 0 : seq); // the newest is what an address without a seq shows
    }
    await page.keyboard.press(" ");
    await expect.poll(at, WAIT).toBeGreaterThan(1);
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play" }).waitFor(WAIT);
    await page.context().close();
  }, 60_000);
});

/** What stands in elements that have words of their own alone, and in what names them. */
const TEXTS = `(() => {
  const all = [...document.querySelectorAll("body *")].filter((one) => one.closest(".text, .question, .run-link, .live, pre") === null);
  const words = all.filter((one) => one.childElementCount === 0).map((one) => one.textContent.trim());
  const pieces = all.flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()));
  const named = all.flatMap((one) => ["aria-label", "placeholder", "title"].map((name) => one.getAttribute(name) ?? ""));
  return [...new Set([...words, ...pieces, ...named])].filter((text) => text.length > 1);
})()`;
