import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium, type Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readRunScreen } from "../src/app/export.ts";
import type { Entry } from "../src/kernel/index.ts";
import { deliberationHtml } from "../src/reports/deliberation.ts";
import { HOSTILE_TEXTS } from "./support/hostile-texts.ts";
import { elementsOf, textOf } from "./support/parsed-page.ts";
import { degradedCouncil } from "./support/sample-council.ts";
import { shownPanel } from "./support/shown.ts";

// An exported page in a browser: from a disk, with the network closed.

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
if (executablePath === undefined) process.stderr.write("The file is not tried in a browser: no Chromium\n");

const folder = mkdtempSync(join(tmpdir(), "parley-file-"));
const web = join(folder, "web");
let browser: Browser | undefined;

beforeAll(async () => {
  const configFile = fileURLToPath(new URL("../vite.file.config.ts", import.meta.url));
  await build({ configFile, logLevel: "warn", build: { outDir: web } });
  if (executablePath !== undefined)
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const exported = (entries: readonly Entry[]): string =>
  deliberationHtml(entries, shownPanel(entries), readRunScreen(web));

/** Opens a page from the disk, and keeps what it complains of, asks for and shows as a dialog. */
async function opened(html: string, { javaScriptEnabled = true, width = 1200 } = {}) {
  if (!browser) throw new Error("there is no browser");
  const place = join(folder, "run.html");
  writeFileSync(place, html);
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width, height: 900 } });
  await context.setOffline(true);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const url = pathToFileURL(place).href;
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url) problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { context, page, problems };
}

it("takes along little beside the run, and nothing that ends the script", () => {
  const screen = readRunScreen(web);
  expect(gzipSync((screen?.script ?? "") + (screen?.style ?? "")).length).toBeLessThan(150_000);
  expect(screen?.script.length).toBeLessThan(330_000);
  expect(screen?.script).not.toMatch(/<\/?script|<!--|\bimport\s*[({*]|EventSource|BroadcastChannel/i);
  expect(screen?.style).not.toMatch(/<|@import|url\(/);
  expect(readRunScreen(join(folder, "none"))).toBeUndefined();
});

it("holds the journal whole, whatever stands in it", () => {
  for (const text of [...HOSTILE_TEXTS, "</script><script>alert(1)</script>", "<!--<script>"]) {
    const { entries } = degradedCouncil({ answer: text || "x" });
    const scripts = elementsOf(exported(entries)).filter(({ tagName }) => tagName === "script");
    expect(scripts.map(({ attrs }) => attrs.find(({ name }) => name === "type")?.value)).toEqual([
      ...["application/json", "module"],
    ]);
    const [journal] = scripts;
    expect(journal && JSON.parse(textOf(journal))).toEqual(JSON.parse(JSON.stringify(entries)));
  }
});

it.skipIf(executablePath === undefined)(
  "shows the run, its views and every moment of it without a network",
  { timeout: 60_000 },
  async () => {
    const { entries } = degradedCouncil({ answer: `It is **391**.\n\n${HOSTILE_TEXTS.join("\n\n")}` });
    const { context, page, problems } = await opened(exported(entries));
    const answer = page.getByRole("region", { name: "Answer" });
    expect(await answer.locator("strong").first().textContent()).toBe("391");
    expect(await page.locator("body > main").isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: /Stop|Follow up|helpful/i }).count()).toBe(0);
    expect(await page.locator("details.export").count()).toBe(0);

    const slider = page.getByRole("slider");
    const last = Number(await slider.getAttribute("max"));
    expect(last).toBe(entries.at(-1)?.seq);
    await slider.fill("3");
    expect(await page.locator(".where").textContent()).toContain("3");
    expect(new URL(page.url()).hash).toContain("at=3");
    expect(await answer.textContent()).not.toContain("391");
    await slider.fill(String(last));
    expect(await answer.textContent()).toContain("391");

    const views = page.locator("nav.tabs a");
    for (let index = 0; index < (await views.count()); index += 1) {
      await views.nth(index).click();
      await expect.poll(() => views.nth(index).getAttribute("aria-current")).toBe("page");
      await expect
        .poll(async () => ((await page.locator("section.view").textContent()) ?? "").length)
        .toBeGreaterThan(20);
    }
    await page.goBack();
    expect(await views.nth((await views.count()) - 1).getAttribute("aria-current")).toBeNull();
    await page.reload();
    expect(await page.locator("nav.tabs a[aria-current]").count()).toBe(1);
    expect(await page.locator("#page :is(script, iframe, img, object, embed, form)").count()).toBe(0);
    expect(problems).toEqual([]);

    await page.emulateMedia({ media: "print" });
    expect(await page.locator("body > main").isVisible()).toBe(true);
    expect(await page.locator("#page").isVisible()).toBe(false);
    await context.close();
  },
);

it.skipIf(executablePath === undefined)(
  "is the document where no script runs, and fits a phone where one does",
  { timeout: 60_000 },
  async () => {
    const { entries } = degradedCouncil({ answer: "It is **391**." });
    const html = exported(entries);
    const still = await opened(html, { javaScriptEnabled: false });
    expect(await still.page.locator("body > main").isVisible()).toBe(true);
    expect(await still.page.locator("#page").count()).toBe(0);
    expect(await still.page.locator("body > main .answer strong").textContent()).toBe("391");
    expect(still.problems).toEqual([]);
    await still.context.close();

    const small = await opened(html, { width: 320 });
    expect(await small.page.getByRole("region", { name: "Answer" }).isVisible()).toBe(true);
    expect(await small.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    expect(small.problems).toEqual([]);
    await small.context.close();
  },
);
