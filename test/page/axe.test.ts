import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE } from "../support/browser.ts";
import { SIMS, testServer, type TestServer } from "../support/server.ts";

const browser = inBrowser("whether the page is accessible");
/** All screens of src/web/app.tsx. */
const SCREENS = [
  ...["", "runs", "inbox", "league", "contributions", "votes", "costs", "memory", "personas"],
  ...["library", "forest", "bench", "workers", "bus", "settings", "compare"],
] as const;
const VIEWS = ["room", "reviews", "contributions", "steps", "record", "events", "fork"] as const;
const isLong = process.env["LONG"] === "1";
/** How it is looked at: narrow, dark and without a run; LONG=1 adds runs, and every other way. */
const LOOKS = [
  { colorScheme: "dark", viewport: { width: 390, height: 800 }, over: "empty" },
  ...(isLong
    ? ([
        { colorScheme: "light", viewport: { width: 1_400, height: 900 }, over: "empty" },
        { colorScheme: "light", viewport: { width: 1_400, height: 900 }, over: "full" },
        { colorScheme: "dark", viewport: { width: 390, height: 800 }, over: "full" },
      ] as const)
    : []),
] as const;

type State = Exclude<BrowserContextOptions["storageState"], string | undefined>;
/** A server, and what a browser keeps of its session. */
type Place = { readonly server: TestServer; readonly session: State };

let [empty, full]: (Place | undefined)[] = [];
let council = "";
let debate = "";

async function openPlace(): Promise<Place> {
  const server = await testServer({ page: PAGE });
  const context = await browser.get().newContext();
  const page = await context.newPage();
  await page.goto(server.link);
  const session = await context.storageState();
  await context.close();
  return { server, session };
}

/** A page of its own at an address, settled. */
async function pageAt(
  place: Place | undefined,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  if (!place) throw new Error("the servers are started before the tests of a file");
  // The policy would keep axe out as it keeps out everything else.
  const context = await browser
    .get()
    .newContext({ bypassCSP: true, storageState: place.session, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await go(page, place, path);
  return page;
}

async function go(page: Page, { server }: Place, path: string): Promise<void> {
  await page.goto(`${server.url}${path}`);
  await page.locator("main > :not(.connection)").first().waitFor({ state: "attached", timeout: 20_000 });
  await page.waitForLoadState("networkidle", { timeout: 500 }).catch(() => undefined); // a feed stays open
}

async function violationsOn(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(axe.source);
  // `source` defines it in the page.
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => [
    id,
    nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)),
  ]);
}

const widthOver = (page: Page) =>
  page.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)");

describe.skipIf(browser.isMissing)("the page for everybody", () => {
  beforeAll(async () => {
    [empty, full] = [await openPlace(), await openPlace()];
    const { server } = full;
    council = (await server.ask()).id;
    debate = (await server.ask({ protocol: "debate", rounds: 1, models: SIMS.slice(0, 2) })).id;
  }, 60_000);
  afterAll(async () => {
    for (const place of [empty, full]) await place?.server[Symbol.asyncDispose]();
  });

  it.each(LOOKS)(
    "breaks no rule of axe on any screen and view: $over, $colorScheme, $viewport.width px",
    async ({ over, ...look }) => {
      const found: unknown[] = [];
      const views = VIEWS.map((view) => `d/${council}?view=${view}`);
      const runs = [...views, `d/${debate}?view=debate`, `d/${council}?at=5`, "d/missing"];
      const place = over === "full" ? full : empty;
      const page = await pageAt(place, "", look);
      for (const path of over === "full" ? [...SCREENS, ...runs] : SCREENS) {
        if (place) await go(page, place, path);
        const violations = await violationsOn(page);
        if (violations.length > 0) found.push([path, violations]);
        if ((await widthOver(page)) !== 0) found.push([path, "is too wide"]);
      }
      await page.context().close();
      expect(found).toEqual([]);
    },
    240_000,
  );

  it("fits 320 px, and reads from right to left", async () => {
    const page = await pageAt(full, "", { viewport: { width: 320, height: 640 } });
    const wide: unknown[] = [];
    for (const path of [...SCREENS, `d/${council}`]) {
      if (full) await go(page, full, path);
      for (const direction of ["ltr", "rtl"]) {
        await page.evaluate(`document.documentElement.dir = "${direction}"`);
        if ((await widthOver(page)) !== 0) wide.push([path, direction]);
      }
    }
    expect(wide).toEqual([]);
    await page.context().close();
  }, 120_000);

  it("prints the answer, without what is only for the screen", async () => {
    const page = await pageAt(full, `d/${council}`);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".answer-text").isVisible()).toBe(true);
    for (const place of ["header.bar nav", ".replay", ".actions"])
      expect([place, await page.locator(place).isVisible()]).toEqual([place, false]);
    await page.context().close();
  }, 60_000);

  it("goes by keyboard: search, the skip link, arrows and space over the recording", async () => {
    const page = await pageAt(full, "runs");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
    if (full) await go(page, full, `d/${council}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("skip");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => new URL(page.url()).searchParams.get("at")).toMatch(/^\d+$/);
    const at = Number(new URL(page.url()).searchParams.get("at"));
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => new URL(page.url()).searchParams.get("at")).toBe(String(at - 1));
    await page.keyboard.press("End");
    await expect.poll(() => new URL(page.url()).searchParams.get("at")).toBeNull();
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause" }).waitFor({ timeout: 5_000 });
    await page.context().close();
  }, 60_000);
});
