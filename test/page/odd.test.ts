import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeliberationId, type NewEvent } from "../../src/kernel/index.ts";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { degradedCouncil, sampleMember, type Sample } from "../support/sample-council.ts";
import { serverPlace, SIMS, SUM, testServer, type TestServer } from "../support/server.ts";

// Journals, readers and servers that are unlike most: the page says what is the matter, and the rest of it works.

const browser = inBrowser("odd journals");
const WAIT = { timeout: 20_000 };
const VIEWS = ["room", "reviews", "contributions", "steps", "record", "events"] as const;
const PHONE = { width: 390, height: 800 };
const MEMBERS = 26;
const LONG_LINE = "x".repeat(100_000);
const MEGABYTE = "word ".repeat(200_000);

const NAMES = ["المحلل", "الباني", "المشكك", "الرئيس"] as const;
const named = (id: string, name: string, seat: "member" | "chair" = "member") =>
  sampleMember(id, { seat, persona: { ...sampleMember(id).persona, name } });

/** By the ids under which they are recorded. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  arabic: degradedCouncil(
    { answer: "الجواب هو **391**، كما وجد اثنان.", reason: "الحساب" },
    {
      question: "ما هو ناتج 17 * 23؟",
      participants: [
        named("analyst", NAMES[0]),
        named("builder", NAMES[1]),
        named("skeptic", NAMES[2]),
        named("chair", NAMES[3], "chair"),
      ],
    },
  ),
  unknown: degradedCouncil(),
  newer: degradedCouncil({}, { question: "A question to a newer version" }),
  backwards: degradedCouncil(),
  large: degradedCouncil({ answer: MEGABYTE, draft: LONG_LINE, dissent: LONG_LINE, strength: LONG_LINE }),
};

/** A clock that the page would have to show as a negative time. */
const NEGATIVE = /(?<![\p{L}\d])[-−–]\s?\d[\d.,]*\s?(?:ms|sec|s|min|hr|h)\b/u;

const place = serverPlace();
let server: TestServer;
let context: BrowserContext;
let seen: readonly string[];

/** Records samples, as a server that drives nothing; then changes what stands in the database, as no version of Parley would. */
async function recordSamples(): Promise<void> {
  const recorder = await testServer({ maxDrives: 0 }, place);
  const { store } = recorder.parley.context({}, { principal: recorder.principal });
  for (const [id, { entries }] of Object.entries(SAMPLES))
    for (const { type, data, origin } of entries)
      await store.append(DeliberationId.parse(id), [{ type, data } as NewEvent], origin); // a sample has no unknown event
  await recorder.stop();
  const database = new Database(join(place.home, "parley", "parley.db"));
  const change = (set: string, where: string) =>
    expect(database.prepare(`update event set ${set} where ${where}`).run().changes).toBeGreaterThan(0);
  change("type = 'star-danced'", "deliberation = 'unknown' and seq = 8");
  change("schema = 99", "deliberation = 'newer' and seq = 3");
  change("at = '2026-01-02T03:04:' || (40 - seq) || '.000Z'", "deliberation = 'backwards'");
  database.close();
}

async function openPage(options: { readonly viewport?: typeof PHONE } = {}): Promise<Page> {
  const page = await context.newPage();
  if (options.viewport) await page.setViewportSize(options.viewport);
  return page;
}

/** Opens a view of a run, and waits for what stands in it. */
async function openView(page: Page, id: string, view: string): Promise<void> {
  await page.goto(`${server.url}d/${id}?view=${view}`);
  await page.locator(".view > *").first().waitFor(WAIT);
}

const textOf = (page: Page) => page.locator("main").innerText();
const widthOver = (page: Page) =>
  page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)");

describe.skipIf(browser.isMissing)("the page with what is odd", () => {
  beforeAll(async () => {
    await recordSamples();
    server = await testServer({ page: PAGE }, place);
    context = await browser.get().newContext();
    seen = await watchContext(context, new URL(server.url).origin);
    const page = await context.newPage();
    await page.goto(server.link);
    await page.close();
  }, 120_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  it(`shows a council of ${MEMBERS} in every view, on a desk and on a phone`, async () => {
    const models = Array.from({ length: MEMBERS }, (_, at) => `sim/m${at}?family=f${at}&seed=${at}`);
    const { json } = await server.post(
      "deliberations",
      { question: SUM, models, protocol: "council", reactions: false },
      { headers: { prefer: "wait=60" } },
    );
    expect(json.participants.filter(({ seat }: { seat: string }) => seat !== "chair")).toHaveLength(MEMBERS);
    const page = await openPage();
    for (const viewport of [{ width: 1_400, height: 900 }, PHONE]) {
      await page.setViewportSize(viewport);
      for (const view of VIEWS) {
        await openView(page, json.id, view);
        expect([viewport.width, view, await widthOver(page)]).toEqual([viewport.width, view, 0]);
      }
    }
    // A table that is wider than a phone is scrolled by the keys that scrub elsewhere.
    await openView(page, json.id, "reviews");
    const matrix = page.locator(".view [tabindex='0']").first();
    await matrix.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => matrix.evaluate(({ scrollLeft }) => scrollLeft), WAIT).toBeGreaterThan(0);
    expect(new URL(page.url()).searchParams.get("at")).toBeNull();
    await openView(page, json.id, "room");
    // They are made a block a picture.
    await expect.poll(() => page.locator(".column").count(), WAIT).toBe(json.participants.length);
    const headings = await page.locator(".column h3").allTextContents();
    expect(headings).toEqual(json.participants.map(({ name }: { name: string }) => name));
    await page.close();
    expect(seen).toEqual([]);
  }, 120_000);

  it("keeps Arabic names apart from what stands around them", async () => {
    const page = await openPage({ viewport: PHONE });
    for (const view of VIEWS) {
      await openView(page, "arabic", view);
      expect([view, await widthOver(page)]).toEqual([view, 0]);
      if (view === "record" || view === "events") continue; // a document, and what is recorded
      expect([view, await page.evaluate(MIXED)]).toEqual([view, []]);
    }
    await openView(page, "arabic", "room");
    expect(await page.locator(".column h3").allTextContents()).toEqual([...NAMES]);
    const directions = await page.evaluate(
      `[".question", ".answer-text p", ".column h3", ".kicker"].map((one) => getComputedStyle(document.querySelector(one)).direction)`,
    );
    expect(directions).toEqual(["rtl", "rtl", "rtl", "ltr"]);
    expect(await page.locator(".synthesized").textContent()).toContain(`\u2068${NAMES[0]}\u2069`);
    await page.close();
    expect(seen).toEqual([]);
  }, 60_000);

  it("shows an event of an unknown type as it is, and everything else without it", async () => {
    const page = await openPage();
    for (const view of VIEWS) {
      await openView(page, "unknown", view);
      expect(await page.locator(".answer-text").innerText()).toContain("391");
    }
    const row = page.locator(".events li").nth(7);
    await row.locator("summary").click();
    expect(await row.locator("strong").textContent()).toBe("star-danced");
    expect(await row.locator("pre").textContent()).toContain("connection reset");
    await expect.poll(() => page.locator(".view .notice").textContent(), WAIT).toContain("1 event");
    expect(await page.locator(".events .seq").allTextContents()).toEqual(
      Array.from({ length: 11 }, (_, at) => String(at + 1)),
    );
    await page.locator(".events .seq").nth(7).click();
    await expect.poll(() => page.locator(".where").textContent(), WAIT).toContain("star-danced");
    await page.close();
    expect(seen).toEqual([]);
  }, 60_000);

  it("says of a journal of a newer schema what is the matter, and shows everything else", async () => {
    const page = await openPage();
    await page.goto(`${server.url}d/newer`);
    await expect.poll(() => textOf(page), WAIT).toContain("schema 99");
    expect(await textOf(page)).toContain("install a newer Parley");
    expect(await page.locator("h1").count()).toBe(1);
    await page.goto(`${server.url}runs`);
    await page.getByRole("link", { name: "A question to a newer version" }).waitFor(WAIT);
    for (const screen of ["league", "contributions", "votes", "costs", "memory", "workers", "bus", "inbox"]) {
      await page.goto(`${server.url}${screen}`);
      await page.locator("h1").waitFor(WAIT);
      await expect.poll(() => page.locator("main .quiet", { hasText: "Loading" }).count(), WAIT).toBe(0);
      expect([screen, await page.getByRole("alert").allTextContents()]).toEqual([screen, []]);
    }
    await page.goto(`${server.url}compare?a=unknown&b=newer`);
    await expect.poll(() => textOf(page), WAIT).toContain("schema 99");
    await openView(page, "unknown", "room");
    await page.close();
    expect(seen).toEqual([]);
  }, 60_000);

  it("shows no negative time where clocks ran backwards, and the order of the journal", async () => {
    const page = await openPage();
    for (const view of VIEWS) {
      await openView(page, "backwards", view);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
      const text = await textOf(page);
      expect([view, NEGATIVE.exec(text)]).toEqual([view, null]);
      expect(text).not.toMatch(/NaN|Invalid Date|Infinity/);
    }
    expect(await page.locator(".events .seq").allTextContents()).toEqual(
      Array.from({ length: 11 }, (_, at) => String(at + 1)),
    );
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor(WAIT);
    await page.getByRole("button", { name: "Play" }).waitFor(WAIT); // it reaches the end
    await expect.poll(() => new URL(page.url()).searchParams.get("at"), WAIT).toBeNull();
    await page.goto(`${server.url}compare?a=unknown&b=backwards`);
    await page.locator("main table").first().waitFor(WAIT);
    expect(NEGATIVE.exec(await textOf(page))).toBeNull();
    await page.close();
    expect(seen).toEqual([]);
  }, 60_000);

  it("can be used with an answer of 1 MB and lines of 100,000 characters, on a phone", async () => {
    const page = await openPage({ viewport: PHONE });
    for (const view of VIEWS) {
      await openView(page, "large", view);
      expect((await page.locator(".answer-text").textContent())?.length).toBeGreaterThan(900_000);
      expect([view, await widthOver(page)]).toEqual([view, 0]);
    }
    await openView(page, "large", "room");
    await page.keyboard.press("Home");
    await expect.poll(() => new URL(page.url()).searchParams.get("at"), WAIT).toBe("1");
    await page.keyboard.press("End");
    await expect.poll(() => page.locator(".answer-text").count(), WAIT).toBe(1);
    const opened = page.locator(".column details.step").first();
    await opened.locator("summary").click();
    await page.close();
    expect(seen).toEqual([]);
  }, 120_000);

  it("lets a reader look, and refuses in a clear sentence what a reader may not do", async () => {
    const slow = SIMS.map((one) => `${one}&latency=60000`);
    const asked = { question: SUM, models: slow, protocol: "council", reactions: false };
    const open = (await server.post("deliberations", asked)).json.id;
    const reading = await browser.get().newContext();
    await reading.addCookies([await server.newSession(["read"])]);
    const page = await reading.newPage();
    /** What was refused, once it is. */
    const refusal = async () => {
      const alert = page.getByRole("alert");
      await alert.waitFor(WAIT);
      expect(await alert.textContent()).toMatch(
        /^You may only read here\. the credential may not (write|manage)/,
      );
    };
    await page.goto(`${server.url}?q=Why&models=sim/ada`);
    await page.locator("form.ask button[type=submit]").click();
    await refusal();
    expect(new URL(page.url()).pathname).toBe("/");
    await page.goto(`${server.url}d/${open}`);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop it" }).click();
    await refusal();
    expect((await server.get(`deliberations/${open}`)).json.status).toBe("open");
    await page.goto(`${server.url}d/unknown`);
    await page.locator(".thumbs [aria-pressed]").first().click();
    await refusal();
    expect(await page.locator(".thumbs [aria-pressed=true]").count()).toBe(0);
    await page.goto(`${server.url}library/strategies/balanced`);
    await page.locator("textarea").fill("name: balanced\n");
    await page.getByRole("button", { name: "Save" }).click();
    await refusal();
    expect((await server.post(`deliberations/${open}/cancel`)).status).toBeLessThan(300);
    await reading.close();
  }, 60_000);

  it("offers to load itself anew where its server returns as another version", async () => {
    const own = serverPlace();
    const [older, newer] = [join(own.home, "older"), join(own.home, "newer")];
    for (const folder of [older, newer]) cpSync(PAGE, folder, { recursive: true });
    const index = join(newer, "index.html");
    writeFileSync(index, readFileSync(index, "utf8").replace("<title>Parley", "<title>Newer"));
    let one = await testServer({ page: older }, own);
    const { port } = one;
    const { id } = await one.ask();
    const open = (
      await one.post("deliberations", {
        question: SUM,
        models: SIMS.map((sim) => `${sim}&latency=60000`),
        protocol: "council",
        reactions: false,
      })
    ).json.id;
    const visiting = await browser.get().newContext();
    const page = await visiting.newPage();
    await page.goto(one.link);
    const other = await visiting.newPage();
    await page.goto(`${one.url}d/${open}`);
    await page.locator(".column").first().waitFor(WAIT);
    await other.goto(`${one.url}d/${id}`);
    await other.locator(".answer-text").waitFor(WAIT);
    await one.stop(0);
    // The same version says nothing, and one that differs says it to whoever follows a run, without being asked.
    one = await testServer({ page: older, port }, own);
    await expect.poll(() => page.locator(".connection .notice").count(), WAIT).toBe(0);
    expect(await page.getByRole("button", { name: "Reload" }).count()).toBe(0);
    await one.stop(0);
    one = await testServer({ page: newer, port }, own);
    await page.getByRole("button", { name: "Reload" }).waitFor(WAIT);
    await other.getByRole("button", { name: "Reload" }).waitFor(WAIT);
    expect(await page.title()).not.toContain("Newer");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.locator(".column").first().waitFor(WAIT);
    expect(await page.locator("meta[name=parley-build]").getAttribute("content")).toBe(
      (await one.get("/healthz")).headers["parley-build"],
    );
    await expect.poll(() => page.getByRole("button", { name: "Reload" }).count(), WAIT).toBe(0);
    await visiting.close();
    await one.stop(0);
    own[Symbol.dispose]();
  }, 90_000);
});

/** Texts in which a name of another direction could move what stands around it. */
const MIXED = `(() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode.data.replaceAll(/\\u2068[^\\u2068\\u2069]*\\u2069/gu, "");
    const parent = walker.currentNode.parentElement;
    const isApart = parent.closest("[dir=auto], .text, option") !== null;
    if (/\\p{Script=Arabic}/u.test(text) && !isApart && text !== parent.textContent) found.push(parent.outerHTML.slice(0, 160));
    else if (/\\p{Script=Arabic}/u.test(text) && !isApart && /[\\p{Script=Latin}\\d]/u.test(text)) found.push(parent.outerHTML.slice(0, 160));
  }
  return found;
})()`;
