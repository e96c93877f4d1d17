import { chromium } from "playwright-core";

export const CHROMIUM = "/usr/bin/chromium";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ readyMs: number, apiBytes: () => Promise<number>, heapMb: () => Promise<number>, cdp: import("playwright-core").CDPSession }} Meters */

/** Nothing comes and nothing goes for so long: the page has what it needs. */
const IDLE_MS = 400;

/** A browser that is signed in; every visit is one with an empty cache. @param {string} link */
export async function openBrowser(link) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--enable-precise-memory-info",
      "--disable-background-networking",
    ],
  });
  const signing = await browser.newContext();
  await (await signing.newPage()).goto(link);
  const state = await signing.storageState();
  await signing.close();
  const base = new URL("/", link).href;

  /**
   * Does something in a page that has shown `selector`. What came over the wire is counted from the first request on.
   *
   * @template T
   * @param {string} path @param {(page: Page, meters: Meters) => Promise<T>} act
   * @param {{ selector?: string, quiet?: boolean }} options `quiet`: waits until nothing is loaded any more
   * @returns {Promise<T>}
   */
  async function inPage(path, act, { selector = "main > *:not(.connection)", quiet = true } = {}) {
    const context = await browser.newContext({
      storageState: state,
      viewport: { width: 1_280, height: 900 },
    });
    try {
      const page = await context.newPage();
      /** @type {string[]} */
      const errors = [];
      page.on("pageerror", (error) => errors.push(error.message));
      const cdp = await context.newCDPSession(page);
      await cdp.send("Network.enable");
      await cdp.send("Performance.enable");
      let apiBytes = 0;
      /** @type {Set<string>} */
      const calls = new Set();
      cdp.on("Network.requestWillBeSent", ({ requestId, request }) => {
        if (new URL(request.url).pathname.includes("/api/")) calls.add(requestId);
      });
      let changedMs = performance.now();
      cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        if (calls.has(requestId)) apiBytes += encodedDataLength;
        changedMs = performance.now();
      });
      await page.addInitScript(watchPaint);
      const startMs = performance.now();
      await page.goto(new URL(path, base).href, { waitUntil: "commit" });
      await page.waitForSelector(selector, { timeout: 30_000 });
      const readyMs = performance.now() - startMs;
      while (quiet && performance.now() - changedMs < IDLE_MS) await page.waitForTimeout(50);
      const acted = await act(page, {
        ...{ readyMs, cdp },
        apiBytes: async () => apiBytes,
        heapMb: async () => {
          await cdp.send("HeapProfiler.collectGarbage");
          const { metrics } = await cdp.send("Performance.getMetrics");
          return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN) / 1_048_576;
        },
      });
      if (errors.length > 0) throw new Error(`/${path}: ${errors.join("; ")}`);
      return acted;
    } finally {
      await context.close();
    }
  }

  return {
    base,
    inPage,
    /** What a page of this path loads, when its largest part is painted, and how far its parts move. @param {string} path */
    visit: (path) =>
      inPage(path, async (page) => {
        const { lcpMs, cls, names } = await page.evaluate(() => ({
          .../** @type {{ lcpMs: number, cls: number }} */ (Reflect.get(globalThis, "painted")),
          names: performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1) ?? ""),
        }));
        const ending = (/** @type {string} */ end) => [
          ...new Set(names.filter((name) => name.endsWith(end))),
        ];
        return { lcpMs, cls, scripts: ending(".js"), styles: ending(".css") };
      }),
    state,
    close: () => browser.close(),
  };
}

/** In the page, before anything else. */
function watchPaint() {
  const painted = { lcpMs: Number.NaN, cls: 0, longest: 0 };
  Reflect.set(globalThis, "painted", painted);
  const watch = (/** @type {any} */ type, /** @type {(entry: any) => void} */ take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch("largest-contentful-paint", ({ startTime }) => (painted.lcpMs = startTime));
  watch("layout-shift", ({ value, hadRecentInput }) => (painted.cls += hadRecentInput ? 0 : value));
  watch("longtask", ({ duration }) => (painted.longest = Math.max(painted.longest, duration)));
}
