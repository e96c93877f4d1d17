import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { openFakeServer, type FakeServer } from "../support/fake-server.ts";
import { SIMS, SUM, testServer, type TestServer } from "../support/server.ts";

const browser = inBrowser("watching runs");
const MODELS = ["ada", "bo", "cy"].map((name) => `sim/${name}?family=${name}&latency=800`);
const COLORS = { 5: "#22c55e", 4: "#22c55e", 3: "#f59e0b", 2: "#ef4444", 1: "#ef4444" } as const;
const WAIT = { timeout: 20_000 };

let judge: FakeServer;
let server: TestServer;
let page: Page;
let seen: readonly string[];
/** What the judge says next, and how late. */
let verdict = { score: 5, afterMs: 0 };

/** The letters and digits of a text, however it is marked up. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();

describe.skipIf(browser.isMissing)("a run that is watched from the question to the badge", () => {
  beforeAll(async () => {
    judge = await openFakeServer(async (response) => {
      await new Promise((resolve) => setTimeout(resolve, verdict.afterMs));
      const content = `Feedback: It says <b>what</b> it should. [RESULT] ${verdict.score}`;
      const message = { role: "assistant", content };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], model: "judge" }));
    });
    const env = { LMSTUDIO_HOST: new URL(judge.url).host, PARLEY_JUDGE: "lmstudio/judge" };
    server = await testServer({ page: PAGE, env });
    const context = await browser.get().newContext();
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    await page.goto(server.link);
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await judge[Symbol.asyncDispose]();
  });

  /** Asks on the screen, and gives the id of the run that opened. */
  async function ask(query: Readonly<Record<string, string>>, question = SUM): Promise<string> {
    await page.goto(`${server.url}?${new URLSearchParams(query).toString()}`);
    await page.locator("#question").fill(question);
    await page.locator("form.ask button[type=submit]").click();
    await page.waitForURL(/\/d\/[^/?]+/, WAIT);
    return new URL(page.url()).pathname.split("/").at(-1) ?? "";
  }
  /** Where the answer begins, in pixels from the beginning of the page. */
  const topOf = () =>
    page.locator(".answer-text").evaluate("(one) => one.getBoundingClientRect().y + scrollY");
  const stepsTold = async (id: string) => (await server.get(`deliberations/${id}/events`)).json.data.length;

  it.each(["council", "debate", "respond"])(
    "%s: text comes before its step is recorded, then the answer, and a badge once it is judged",
    async (protocol) => {
      verdict = { score: 5, afterMs: 3_000 };
      const models = protocol === "respond" ? MODELS.slice(0, 1) : MODELS;
      const id = await ask({ protocol, models: models.join(","), rounds: "1" });
      const live = page.locator(".column .live pre").first();
      await expect.poll(() => live.textContent().catch(() => ""), WAIT).not.toBe("");
      const told = (await server.get(`deliberations/${id}/events`)).json.data as { type: string }[];
      expect(told.map(({ type }) => type)).not.toContain("deliberation-closed");
      const answer = page.locator(".answer-text");
      await answer.waitFor(WAIT);
      expect(await answer.textContent()).toContain("391");
      // The judge takes its time: the answer stands there without a badge first, and stays where it is.
      const badge = page.locator(".answer .answer-foot .badge");
      expect(await badge.count()).toBe(0);
      const words = await answer.innerText();
      const top = await topOf();
      await badge.waitFor(WAIT);
      expect(await badge.textContent()).toContain("5/5");
      expect([await answer.innerText(), await topOf()]).toEqual([words, top]);
      await expect.poll(() => page.locator(".kicker .state").textContent(), WAIT).not.toContain("unning");
      expect(await stepsTold(id)).toBeGreaterThan(told.length);
      expect(seen).toEqual([]);
    },
    60_000,
  );

  it.each([1, 2, 3, 4, 5] as const)(
    "a score of %i has its color, under the answer, and its words by keyboard",
    async (score) => {
      verdict = { score, afterMs: 0 };
      await ask({ protocol: "respond", models: "sim/ada" }, `What is 17 * ${20 + score}?`);
      const badge = page.locator(".answer .answer-foot .badge");
      await badge.waitFor(WAIT);
      expect(await badge.textContent()).toContain(`${score}/5`);
      expect(await badge.getAttribute("aria-label")).toBe(`Score ${score} of 5`);
      const rgb = await page.evaluate("getComputedStyle(document.querySelector('.badge span')).color");
      const hex = `#${[...String(rgb).matchAll(/\d+/g)].map(([part]) => Number(part).toString(16).padStart(2, "0")).join("")}`;
      expect(hex).toBe(COLORS[score]);
      const below = await page.locator(".answer-text").boundingBox();
      const box = await badge.boundingBox();
      expect(box?.y ?? 0).toBeGreaterThanOrEqual((below?.y ?? 0) + (below?.height ?? 0) - 1);
      const words = page.locator(".badge-words");
      expect(await words.isVisible()).toBe(false);
      await badge.focus();
      await page.keyboard.press("Enter");
      await words.waitFor(WAIT);
      expect(await words.textContent()).toContain("<b>what</b>");
      expect(seen).toEqual([]);
    },
    60_000,
  );

  it.each(["council", "debate", "respond"])(
    "%s: shows no badge where the judge gives no score",
    async (protocol) => {
      verdict = { score: Number.NaN, afterMs: 0 };
      const models = protocol === "respond" ? "sim/ada" : SIMS.join(",");
      const id = await ask({ protocol, models, rounds: "1" }, "What is 19 * 21?");
      await page.locator(".answer-text").waitFor(WAIT);
      await (
        await server.sse(`deliberations/${id}/events`)
      ).ended;
      expect((await server.get(`deliberations/${id}`)).json.grade?.score ?? null).toBeNull();
      await page.reload();
      await page.locator(".answer-text").waitFor(WAIT);
      expect(await page.locator(".badge").count()).toBe(0);
    },
    60_000,
  );

  it("switches between what the chair wrote and the winner's draft, and names who contributed", async () => {
    const id = await ask(
      { protocol: "council", models: SIMS.join(","), chair: "sim/ada" },
      "What is 31 * 3?",
    );
    const shown = page.locator(".answer-text");
    await shown.waitFor(WAIT);
    await page.locator(".switch").waitFor(WAIT);
    const { answer, participants, section } = (await server.get(`deliberations/${id}`)).json;
    const given = await shown.innerText();
    const [first, second] = [page.locator(".switch button").first(), page.locator(".switch button").last()];
    expect(await shown.getAttribute("data-answer")).toBe("given");
    await second.click();
    await expect.poll(() => shown.getAttribute("data-answer")).toBe("vote");
    expect(page.url()).toContain("answer=vote");
    const winner = participants.find(({ id: one }: { id: string }) => one === section.standing[0].id);
    expect(await shown.innerText()).not.toBe(given);
    expect(plain(await shown.innerText())).toBe(plain(winner.answer));
    expect(await second.getAttribute("aria-pressed")).toBe("true");
    // What is said of the chair's answer stands under no draft.
    expect(await page.locator(".synthesized, .answer-foot").count()).toBe(0);
    await first.click();
    await expect.poll(() => shown.getAttribute("data-answer")).toBe("given");
    expect([await shown.innerText(), plain(given)]).toEqual([given, plain(answer)]);
    expect(answer).toContain("93");
    const contributors = section.contributions.claimed.filter(({ weight }: { weight: number }) => weight > 0);
    expect(contributors.length).toBeGreaterThan(0);
    const footer = await page.locator(".answer-foot .synthesized").textContent();
    for (const one of contributors)
      expect(footer).toContain(participants.find(({ id: by }: { id: string }) => by === one.id).name);
  }, 60_000);

  it("stops after asking once, from another tab", async () => {
    const id = await ask({ protocol: "council", models: MODELS.map((one) => `${one}0`).join(",") });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Stop", exact: true }).click();
    const sure = other.getByRole("alertdialog");
    await sure.waitFor(WAIT);
    expect((await server.get(`deliberations/${id}`)).json.status).toBe("open");
    await sure.getByRole("button", { name: "Stop it" }).click();
    for (const tab of [page, other])
      await expect.poll(() => tab.getByRole("button", { name: "Stop" }).count(), WAIT).toBe(0);
    expect((await server.get(`deliberations/${id}`)).json.status).toBe("cancelled");
    await other.close();
    expect(seen).toEqual([]);
  }, 60_000);
});
