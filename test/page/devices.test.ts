import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { SIMS, SUM, testServer, type TestServer } from "../support/server.ts";

const browser = inBrowser("a run on two devices");
const WAIT = { timeout: 20_000 };

let server: TestServer;
let seen: (readonly string[])[];
let [desk, phone]: (Page | undefined)[] = [];

/** A browser of its own: nothing is shared with another one, neither tabs nor a session. */
async function openDevice(
  session: (context: BrowserContext) => Promise<unknown>,
  viewport: { readonly width: number; readonly height: number },
): Promise<Page> {
  const context = await browser.get().newContext({ viewport });
  seen.push(await watchContext(context, new URL(server.url).origin));
  await session(context);
  return context.newPage();
}

function devices(): { readonly one: Page; readonly other: Page } {
  if (!desk || !phone) throw new Error("the devices are opened before the tests of a file");
  return { one: desk, other: phone };
}

describe.skipIf(browser.isMissing)("a run that is watched on two devices", () => {
  beforeAll(async () => {
    server = await testServer({ page: PAGE });
    seen = [];
    desk = await openDevice(async (context) => (await context.newPage()).goto(server.link), {
      width: 1_200,
      height: 900,
    });
    phone = await openDevice(async (context) => context.addCookies([await server.newSession()]), {
      width: 390,
      height: 800,
    });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const open = async (latencyMs: number): Promise<string> => {
    const models = SIMS.map((sim) => `${sim}&latency=${latencyMs}`);
    const body = { question: SUM, models, protocol: "council", reactions: false };
    return (await server.post("deliberations", body)).json.id;
  };
  const textsOf = (page: Page) => page.locator(".column .live pre").allTextContents();

  it("shows the same live text on both, and the same answer at its end", async () => {
    const { one, other } = devices();
    const id = await open(4_000);
    await one.goto(`${server.url}d/${id}`);
    await expect.poll(async () => (await textsOf(one)).join(""), WAIT).not.toBe("");
    // The other one comes late, and has what was written before; of a column out of sight, the first one may show a few letters.
    await other.goto(`${server.url}d/${id}`);
    const before = (await textsOf(one)).map((text) => text.slice(0, 20));
    await expect
      .poll(
        async () => (await textsOf(other)).map((text, index) => text.slice(0, before[index]?.length)),
        WAIT,
      )
      .toEqual(before);
    for (const page of [one, other]) await page.locator(".answer-text").waitFor(WAIT);
    expect(await other.locator(".answer-text").textContent()).toBe(
      await one.locator(".answer-text").textContent(),
    );
    const seqs = async (page: Page) => {
      await page.goto(`${server.url}d/${id}?view=events`);
      await page.locator(".events .seq").first().waitFor(WAIT);
      return page.locator(".events .seq").allTextContents();
    };
    expect(await seqs(other)).toEqual(await seqs(one));
    expect(seen).toEqual([[], []]);
  }, 90_000);

  it("stops from the other device: asked once, sent once, and shown on both", async () => {
    const { one, other } = devices();
    const id = await open(60_000);
    for (const page of [one, other]) {
      await page.goto(`${server.url}d/${id}`);
      await page.getByRole("button", { name: "Stop", exact: true }).waitFor(WAIT);
    }
    const sent: string[] = [];
    for (const page of [one, other])
      page.on(
        "request",
        (request) => void (request.url().endsWith("/cancel") && sent.push(request.method())),
      );
    const stop = other.getByRole("button", { name: "Stop", exact: true });
    await stop.click();
    const sure = other.getByRole("alertdialog");
    await sure.getByRole("button", { name: "Cancel" }).click();
    await stop.waitFor(WAIT); // whoever thinks better of it goes on
    expect([sent, (await server.get(`deliberations/${id}`)).json.status]).toEqual([[], "open"]);
    await stop.click();
    await sure.getByRole("button", { name: "Stop it" }).dblclick();
    for (const page of [one, other]) {
      await expect.poll(() => page.locator(".kicker .state").textContent(), WAIT).toBe("Cancelled");
      expect(await page.getByRole("button", { name: /^Stop/ }).count()).toBe(0);
      expect(await page.getByRole("alertdialog").count()).toBe(0);
      expect(await page.getByRole("alert").count()).toBe(0);
    }
    expect(sent).toEqual(["POST"]);
    const { data } = (await server.get(`deliberations/${id}/events`)).json;
    expect(data.filter(({ type }: { type: string }) => type === "deliberation-closed")).toHaveLength(1);
    expect(seen).toEqual([[], []]);
  }, 60_000);
});
