import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { built, somewhere } from "../e2e/parley.ts";
import { call, freePort, newKey, served, type ServeProcess } from "../e2e/server.ts";
import { inBrowser } from "../support/browser.ts";
import { SIMS, SUM } from "../support/server.ts";
import { isLong } from "../support/long.ts";

built();
const browser = inBrowser("resuming over a killed server");
const WAIT = { timeout: 40_000 };
/** How often the server is killed while a run is watched. */
const KILLS = isLong ? 5 : 2;
const TABS = 8;

const rowsOf = async (page: Page) =>
  // A row's seq is its link's text.
  (await page.locator(".events .seq").allTextContents()).map(Number);

describe.skipIf(browser.isMissing)("a run that is watched over kill -9 of its server", () => {
  it(`shows every event once after ${KILLS} kills, and what was seen without a server`, async () => {
    await using place = somewhere();
    const port = await freePort();
    const key = await newKey(place);
    const args = ["--port", String(port)];
    const start = () => served(place, { args, key, mostMs: 150_000 });
    let server: ServeProcess = await start();
    const context = await browser.get().newContext({ viewport: { width: 1_200, height: 4_000 } });
    const page = await context.newPage();
    await page.goto(await server.link());
    // One draft takes longer than a server lives, so that the run is open at every kill.
    const models = SIMS.map((one, at) => `${one}&latency=${at === 0 ? 8_000 : 600}`);
    const body = { question: SUM, protocol: "council", models, reactions: false };
    const { json } = await call(`${server.url}api/v1/deliberations`, key, { body });
    await page.goto(`${server.url}d/${json.id}?view=events`);
    await expect.poll(async () => (await rowsOf(page)).length, WAIT).toBeGreaterThan(2);
    const status = async () =>
      (await call(`${server.url}api/v1/deliberations/${json.id}`, key)).json.status as string;
    const notice = page.locator(".connection .notice");
    for (let kill = 1; kill <= KILLS; kill += 1) {
      expect([kill, await status()]).toEqual([kill, "open"]);
      server.process.kill("SIGKILL");
      await server.process.ended;
      await expect.poll(() => notice.count(), WAIT).toBe(1);
      // What was seen can still be gone through.
      await page.locator("h1").click();
      await page.keyboard.press("Home");
      await expect.poll(() => new URL(page.url()).searchParams.get("at"), WAIT).toBe("1");
      await page.keyboard.press("End");
      if (kill === 1) {
        // A view that was not opened before says why it is not there.
        await page.getByRole("link", { name: "Steps", exact: true }).click();
        await expect.poll(() => page.locator(".view [role=alert]").count(), WAIT).toBe(1);
        await page.getByRole("link", { name: "Events", exact: true }).click();
      }
      server = await start();
      if (kill === 1) await page.reload();
      await expect.poll(() => notice.count(), WAIT).toBe(0);
    }
    const path = `${server.url}api/v1/deliberations/${json.id}`;
    await expect.poll(status, WAIT).toBe("answered");
    const seqs = ((await call(`${path}/events`, key)).json.data as { seq: number }[]).map(({ seq }) => seq);
    await expect.poll(() => rowsOf(page), WAIT).toEqual(seqs);
    expect(await page.locator(".answer-text").textContent()).toContain("391");
    await context.close();
  }, 150_000);

  it(`follows runs in ${TABS} tabs over one connection`, async () => {
    await using place = somewhere();
    const server = await served(place, { mostMs: 100_000 });
    const context = await browser.get().newContext();
    const first = await context.newPage();
    await first.goto(await server.link());
    const body = {
      ...{ question: SUM, protocol: "council", reactions: false },
      models: SIMS.map((one) => `${one}&latency=8000`),
    };
    const ids: string[] = [];
    for (let run = 0; run < 3; run += 1)
      ids.push((await call(`${server.url}api/v1/deliberations`, server.key, { body })).json.id);
    const tabs = [first];
    while (tabs.length < TABS) tabs.push(await context.newPage());
    let feeds = 0;
    context.on("request", (request) => void (feeds += request.url().includes("/feed?") ? 1 : 0));
    context.on("requestfailed", (request) => void (feeds -= request.url().includes("/feed?") ? 1 : 0));
    context.on("requestfinished", (request) => void (feeds -= request.url().includes("/feed?") ? 1 : 0));
    await Promise.all(tabs.map((tab, at) => tab.goto(`${server.url}d/${ids[at % ids.length]}`)));
    for (const tab of tabs)
      await expect
        .poll(() => tab.locator(".column .live pre, .column details.step").count(), WAIT)
        .toBeGreaterThan(0);
    await expect.poll(() => feeds, WAIT).toBe(1); // the one before ends when its own end is heard
    const texts = () => Promise.all(tabs.map((tab) => tab.locator(".columns").textContent()));
    const before = await texts();
    // Each shows something new.
    await expect
      .poll(async () => (await texts()).filter((text, at) => text === before[at]).length, WAIT)
      .toBe(0);
    // The tab that holds the connection goes, and the others go on.
    await first.close();
    tabs.shift();
    const later = await texts();
    await expect
      .poll(async () => (await texts()).filter((text, at) => text === later[at]).length, WAIT)
      .toBe(0);
    await expect.poll(() => feeds, WAIT).toBe(1); // the one before ends when its own end is heard
    await context.close();
  }, 100_000);
});
