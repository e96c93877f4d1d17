import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserContext } from "playwright-core";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { openFakeServer, type FakeServer } from "../support/fake-server.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { testServer, type TestServer } from "../support/server.ts";
import { isLong } from "../support/long.ts";

const browser = inBrowser("hostile answers");
const WAIT = { timeout: 20_000 };
/** How many answers are shown; LONG=1 shows a thousand. */
const ANSWERS = isLong ? 1_000 : 47;

const SPECIAL = [
  "[trusted](https://bank.test@evil.test/login)",
  "\u202eright to left\u202c \u2066isolated\u2069 \u001b[31mred\u001b[0m",
  "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= alert(1) %>",
  "<svg><animate onbegin=alert(1) attributeName=x></svg><math><mi xlink:href='javascript:alert(1)'>",
  "<div style='position:fixed;inset:0;z-index:99999'>over everything</div>",
  "x".repeat(100_000),
  "word ".repeat(200_000),
];
/** All of the corpus, then pairs of it. */
const TEXTS = Array.from({ length: ANSWERS }, (_, at) => {
  const known = [...SPECIAL, ...HOSTILE_TEXTS];
  const other = known[(at * 7 + Math.floor(at / known.length)) % known.length] ?? "";
  return at < known.length ? (known[at] ?? "") : `${known[at % known.length]}\n\n${other.slice(0, 2_000)}`;
});

let model: FakeServer;
let server: TestServer;
let context: BrowserContext;
let seen: readonly string[];

describe.skipIf(browser.isMissing)("the page with hostile answers", () => {
  beforeAll(async () => {
    let said = 0;
    model = await openFakeServer((response) => {
      const message = { role: "assistant", content: TEXTS[said++ % TEXTS.length] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], model: "m" }));
    });
    const env = { LMSTUDIO_HOST: new URL(model.url).host, PARLEY_CLIENT_MODELS: "lmstudio/m" };
    server = await testServer({ page: PAGE, env });
    context = await browser.get().newContext({ viewport: { width: 1_000, height: 800 } });
    seen = await watchContext(context, new URL(server.url).origin);
    const page = await context.newPage();
    await page.goto(server.link);
    await page.close();
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  it(
    `shows ${ANSWERS} of them: nothing runs, nothing is loaded, nothing leaves its place`,
    async () => {
      const page = await context.newPage();
      for (const [at, text] of TEXTS.entries()) {
        const body = {
          protocol: "respond",
          models: ["lmstudio/m"],
          question: `Question ${at}: ${text.slice(0, 200)}`,
        };
        const opened = await server.post("deliberations", body, { headers: { prefer: "wait=20" } });
        await page.goto(`${server.url}d/${opened.json.id}`);
        await page.locator(".run-head .question").waitFor(WAIT);
        await page.locator(".answer-text, .waiting-answer").first().waitFor(WAIT);
        // An expression of the page's own, of this form.
        const looked = (await page.evaluate(LOOK)) as {
          active: string[];
          hrefs: string[];
          wide: number;
          over: boolean;
        };
        expect([at, text.slice(0, 80), looked]).toEqual([
          at,
          text.slice(0, 80),
          { active: [], hrefs: [], wide: 0, over: false },
        ]);
        expect([at, text.slice(0, 80), seen]).toEqual([at, text.slice(0, 80), []]);
      }
      await page.close();
    },
    ANSWERS * 2_000 + 60_000,
  );

  it("says to which host a link leads", async () => {
    const body = { protocol: "respond", models: ["lmstudio/m"], question: "Where?" };
    let id = "";
    // The first of the corpus comes again after the last.
    for (let tries = 0; tries < TEXTS.length && id === ""; tries += 1) {
      const { json } = await server.post("deliberations", body, { headers: { prefer: "wait=20" } });
      if (String(json.answer).includes("bank.test@")) id = json.id;
    }
    const page = await context.newPage();
    await page.goto(`${server.url}d/${id}`);
    const answer = page.locator(".answer-text");
    await answer.waitFor(WAIT);
    expect(await answer.textContent()).toContain("evil.test");
    for (const link of await answer.locator("a").all())
      expect(await link.getAttribute("rel")).toMatch(/noopener|noreferrer/);
    await page.close();
  }, 60_000);

  it("offers to load itself anew where the server has become another version", async () => {
    const page = await context.newPage();
    await page.goto(server.url);
    await page.locator("#question").waitFor(WAIT);
    await page.route("**/assets/votes-*.js", (route) => route.fulfill({ status: 404, body: "gone" }));
    await page.locator("nav a[href$='/league']").click();
    const reload = page.getByRole("button", { name: "Reload" });
    await reload.waitFor(WAIT);
    await page.unroute("**/assets/votes-*.js");
    await reload.click();
    await expect.poll(() => reload.count(), WAIT).toBe(0);
    await page.locator("h1", { hasText: "League" }).waitFor(WAIT);
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.close();
  }, 60_000);
});

/** What a text must not have become: elements that act, links that lead elsewhere than the web, a page that is too wide, or a cover. */
const LOOK = `(() => {
  const main = document.querySelector("main");
  const all = [...main.querySelectorAll("*")];
  const acts = "script, iframe, object, embed, base, meta, link, math, style, foreignObject, animate";
  const bar = document.querySelector(".brand").getBoundingClientRect();
  const top = document.elementFromPoint(bar.x + bar.width / 2, bar.y + bar.height / 2);
  return {
    active: all.filter((one) => one.matches(acts) || [...one.attributes].some(({ name }) => name.startsWith("on"))).map((one) => one.outerHTML.slice(0, 200)),
    hrefs: [...main.querySelectorAll("a[href]")].map((one) => one.protocol).filter((one) => !/^(https?|mailto):$/.test(one)),
    wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    over: top === null || top.closest("header.bar") === null,
  };
})()`;
