import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE } from "../support/browser.ts";
import { SIMS, testServer, type TestServer } from "../support/server.ts";
import { isLong } from "../support/long.ts";

const browser = inBrowser("whether the page is accessible");
/** All screens of src/web/app.tsx, and an address that none of them has. */
const SCREENS = [
  ...["", "runs", "inbox", "league", "contributions", "votes", "costs", "memory", "personas"],
  ...["library", "forest", "bench", "workers", "bus", "settings", "compare", "nothing-here"],
] as const;
/** Screens of one thing, and of one that there is not. */
const ENTRIES = [
  ...["personas/skeptic", "personas/skeptic?view=file", "personas/skeptic?view=lineage", "personas/none"],
  ...["library/strategies/balanced", "library/packs/none", "library/prompts/council~1fchair"],
  ...["memory/none", "forest/none", "d/none", "memory?view=facts", "memory?view=models"],
] as const;
const VIEWS = ["room", "reviews", "contributions", "steps", "record", "events", "fork"] as const;
const [DESK, PHONE] = [
  { width: 1_400, height: 900 },
  { width: 390, height: 800 },
];
/** How it is looked at: without runs on a dark phone, and with runs on a light desk; LONG=1 adds every other way. */
const LOOKS = [
  { over: "empty", colorScheme: "dark", viewport: PHONE, locale: "en" },
  { over: "full", colorScheme: "light", viewport: DESK, locale: "en" },
  ...(isLong
    ? ([
        { over: "empty", colorScheme: "light", viewport: DESK, locale: "en" },
        { over: "empty", colorScheme: "dark", viewport: DESK, locale: "en" },
        { over: "empty", colorScheme: "light", viewport: PHONE, locale: "en" },
        { over: "full", colorScheme: "dark", viewport: DESK, locale: "en" },
        { over: "full", colorScheme: "light", viewport: PHONE, locale: "en" },
        { over: "full", colorScheme: "dark", viewport: PHONE, locale: "en" },
        { over: "full", colorScheme: "light", viewport: PHONE, locale: "de" },
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
  await page.waitForFunction(SETTLED, undefined, { timeout: 20_000 });
}

/** Whether the screen and its view stand there, and nothing of them is being fetched. */
const SETTLED = `(() => {
  const main = document.querySelector("main");
  const view = main?.querySelector(".view");
  const isLoading = [...(main?.querySelectorAll(".quiet") ?? [])].some((one) => /^(Loading|Wird geladen) …$/.test(one.textContent));
  return main !== null && main.childElementCount > 1 && !isLoading && view?.childElementCount !== 0;
})()`;

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

/** The elements that reach beyond the page, the innermost of them. */
const WIDEST = `(() => {
  const width = document.documentElement.clientWidth;
  const over = [...document.querySelectorAll("body *")].filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    return left < -1 || right > width + 1;
  });
  return over.filter((one) => !over.some((other) => other !== one && one.contains(other))).slice(0, 3).map((one) => one.outerHTML.slice(0, 160));
})()`;

/** How many pixels of the height are kept by what does not scroll away. */
const STUCK = `[...document.querySelectorAll("body *")]
  .filter((one) => ["fixed", "sticky"].includes(getComputedStyle(one).position) && !one.matches(".skip"))
  .reduce((sum, one) => sum + one.getBoundingClientRect().height, 0)`;

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

  /** All that the full server has to show. */
  const runs = () => [
    ...VIEWS.map((view) => `d/${council}?view=${view}`),
    ...["room", "debate", "steps", "record", "events"].map((view) => `d/${debate}?view=${view}`),
    `d/${council}?at=5`,
  ];

  it.each(LOOKS)(
    "breaks no rule of axe on any screen and view: $over, $colorScheme, $viewport.width px, $locale",
    async ({ over, ...look }) => {
      const found: unknown[] = [];
      const place = over === "full" ? full : empty;
      const page = await pageAt(place, "", look);
      const screens = over === "empty" || isLong ? SCREENS : [];
      const paths = over === "empty" ? screens : [...screens, ...(isLong ? ENTRIES : []), ...runs()];
      for (const path of paths) {
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

  it.each(isLong ? ["en", "de"] : ["de"])(
    "fits 320 px, and reads from right to left: %s",
    async (locale) => {
      const page = await pageAt(full, "", { viewport: { width: 320, height: 640 }, locale });
      const wide: unknown[] = [];
      for (const path of [...SCREENS, ...(isLong ? ENTRIES : []), ...runs()]) {
        if (full) await go(page, full, path);
        for (const direction of ["ltr", "rtl"]) {
          await page.evaluate(`document.documentElement.dir = "${direction}"`);
          if ((await widthOver(page)) !== 0) wide.push([path, direction, await page.evaluate(WIDEST)]);
        }
      }
      expect(wide).toEqual([]);
      await page.context().close();
    },
    180_000,
  );

  it("works at 200 % zoom: nothing is cut at the side, and most of the screen is left to read in", async () => {
    // A window of 1280 x 720 has half as many CSS pixels then.
    const zoomed = { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 };
    const page = await pageAt(full, "", zoomed);
    const found: unknown[] = [];
    for (const path of [...SCREENS, ...runs()]) {
      if (full) await go(page, full, path);
      if ((await widthOver(page)) !== 0) found.push([path, "is too wide", await page.evaluate(WIDEST)]);
      const stuck = Number(await page.evaluate(STUCK));
      if (stuck > 180) found.push([path, `${stuck} px of 360 stay where they are`]);
    }
    expect(found).toEqual([]);
    await page.context().close();
  }, 120_000);

  it("moves nothing for whoever asked for that", async () => {
    for (const [reducedMotion, seconds] of [
      ["reduce", "0s"],
      ["no-preference", "0.3s"],
    ] as const) {
      const page = await pageAt(full, `d/${council}`, { reducedMotion });
      await page.locator(".column").first().waitFor();
      const moving = await page.evaluate(
        `[...new Set([...document.querySelectorAll("*")].map((one) => getComputedStyle(one)).filter((style) => style.animationName !== "none" || style.transitionDuration !== "0s").map((style) => style.transitionDuration))]`,
      );
      expect([reducedMotion, moving]).toEqual([reducedMotion, seconds === "0s" ? [] : [seconds]]);
      await page.context().close();
    }
  }, 60_000);

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
