import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { recordedBench } from "../support/recorded-bench.ts";
import { testServer, type Json, type TestServer } from "../support/server.ts";

const browser = inBrowser("the screen of benches");
const WAIT = { timeout: 20_000 };

let server: TestServer;
let page: Page;
let seen: readonly string[];
let id = "";
let report: Json;

describe.skipIf(browser.isMissing)("the screen of benches", () => {
  beforeAll(async () => {
    server = await testServer({ page: PAGE });
    const context = await browser.get().newContext({ bypassCSP: true });
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    await page.goto(server.link);
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const at = (name: string): string | null => new URL(page.url()).searchParams.get(name);
  const linkTo = (query: string) => page.locator(`main a[href*="${query}"]`);

  it("says what fills it, and lists what is on record", async () => {
    await page.getByRole("link", { name: "Bench", exact: true }).click();
    await page.locator(".empty").waitFor(WAIT);
    expect(await page.locator(".empty").textContent()).toContain("parley bench tasks.jsonl");
    const bench = await recordedBench(server, { tasks: 24, arms: ["single", "majority", "ask", "council"] });
    id = bench.id;
    report = bench.report;
    await page.reload();
    const row = page.locator("ul.benches li");
    await row.waitFor(WAIT);
    expect(await row.textContent()).toContain("100 of 100 finished");
    await row.locator("a").click();
    await page.waitForURL(`**/bench/${id}`, WAIT);
    await page.locator("h1", { hasText: "tasks.jsonl" }).waitFor(WAIT);
  }, 60_000);

  it("shows the figures of the report, a point for each arm", async () => {
    const rows = page.getByRole("group", { name: "Arms", exact: true }).locator("tbody tr");
    expect(await rows.count()).toBe(4);
    for (const [nth, { name, accuracy }] of (report.arms as Json[]).entries()) {
      const text = await rows.nth(nth).textContent();
      expect([text, text?.includes(name)]).toEqual([text, true]);
      expect(text).toContain(`${(accuracy.value * 100).toFixed(1)}%`);
      expect(text).toContain(`${(accuracy.high * 100).toFixed(1)}%`);
    }
    expect(await page.locator("svg.accuracy a").count()).toBe(4);
    const pairs = page.getByRole("group", { name: "Between arms" }).locator("tbody tr");
    expect(await pairs.count()).toBe(6);
  });

  it("leads by keyboard from a point to the runs of its arm", async () => {
    await page.locator("svg.accuracy a").nth(3).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => at("arm"), WAIT).toBe("council");
    await expect
      .poll(() => page.evaluate("document.activeElement.textContent"), WAIT)
      .toBe("Runs of council");
    const runs = page.getByRole("group", { name: "Runs of council" }).locator("tbody tr");
    expect(await runs.count()).toBe(25);
  });

  it("leads from a number of flips to these runs alone, and from there to the deliberation", async () => {
    const change = ["none-right", "wrong-right", "right-wrong", "right-none"].find(
      (one) => flipsOf(report, one).length > 0,
    );
    if (change === undefined) throw new Error("no arm has changed anything: take other seeds");
    const [{ arm }] = flipsOf(report, change) as [Json];
    await linkTo(`arm=${arm}&change=${change}`).first().click();
    await expect.poll(() => [at("arm"), at("change")], WAIT).toEqual([arm, change]);
    const links = page.getByRole("group", { name: `Runs of ${arm}` }).locator("tbody a");
    const flipped = flipsOf(report, change).filter((row) => row.arm === arm);
    await expect.poll(() => links.count(), WAIT).toBe(flipped.length);
    const runs = flipped.map(({ deliberations }) => `d/${deliberations.at(-1)}`);
    const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
    expect(hrefs.map((href) => href.slice(1))).toEqual(runs);
    await links.first().click();
    await page.waitForURL(`**/${runs[0]}`, WAIT);
    expect(seen).toEqual([]);
  });

  it.each([
    { width: 1_400, colorScheme: "light" },
    { width: 390, colorScheme: "dark" },
    { width: 320, colorScheme: "light" },
  ] as const)("breaks no rule of axe, and fits: $width px, $colorScheme", async ({ width, colorScheme }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto(`${server.url}bench/${id}?arm=council`);
    await page.getByRole("group", { name: "Runs of council" }).waitFor(WAIT);
    await page.evaluate(axe.source);
    const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults;
    const told = found.violations.map(({ id: rule, nodes }) => [
      rule,
      nodes.slice(0, 3).map(({ html }) => html),
    ]);
    expect(told).toEqual([]);
    const { scrollWidth, clientWidth } = await page
      .locator("html")
      .evaluate((root) => ({ scrollWidth: root.scrollWidth, clientWidth: root.clientWidth }));
    expect(scrollWidth).toBe(clientWidth);
  });
});

/** The rows of a report whose verdict is another than that on the drafts, as the report counts them. */
function flipsOf({ rows }: Json, change: string): Json[] {
  const verdict = ({ answer, right }: Json) => (right ? "right" : answer === null ? "none" : "wrong");
  const deliberates = ["ask", "council"];
  return (rows as Json[]).filter(
    (row) =>
      deliberates.includes(row.arm) &&
      row.control !== null &&
      `${verdict(row.control)}-${verdict(row)}` === change,
  );
}
