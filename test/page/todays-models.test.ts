import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { chatEnd, chunk, openFakeServer, refuse, stream, type FakeServer } from "../support/fake-server.ts";
import { pngOf } from "../support/media-samples.ts";
import { screenOf, WAIT, type Screen } from "../support/screen.ts";
import type { Scratch } from "../support/scratch.ts";
import { serverPlace, testServer, type TestServer } from "../support/server.ts";

// Models that think, wait and refuse: what the page shows of them while they run, and of what they were asked with and shown.

const browser = inBrowser("models that think");
const MODELS = ["thinker?effort=high", "limited", "stubborn?effort=low"].map(
  (name) => `compatible/box/${name}`,
);
const QUESTION = "What does it show?";
const THOUGHT = "It could be twelve or thirteen.";

const FOUND = [
  { url: "https://nodejs.org/en/about/releases", title: "Node.js <b>releases</b>" },
  { url: "https://example.org/paper?id=7" },
];

const thought = (text: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: text }, finish_reason: null }] })}\n\n`;
const usage = {
  ...{ prompt_tokens: 300, completion_tokens: 1_204 },
  completion_tokens_details: { reasoning_tokens: 980 },
  prompt_tokens_details: { cached_tokens: 128 },
};

let models: FakeServer;
let place: Scratch;
let server: TestServer;
let page: Page;
let screen: Screen;
let seen: readonly string[];
let isLimited = true;
/** Lets the thinker write. */
let release: () => void;
let released: Promise<void>;
const hold = (): void => {
  released = new Promise((resolve) => (release = resolve));
};

describe.skipIf(browser.isMissing)("models of today", () => {
  beforeAll(async () => {
    hold();
    models = await openFakeServer(async (response, { path, body }) => {
      if (path.endsWith("/models")) {
        response.setHeader("content-type", "application/json");
        return void response.end(JSON.stringify({ data: [{ id: "nameless" }] }));
      }
      if (path.endsWith("/responses")) {
        const annotations = FOUND.map((page) => ({ type: "url_citation", ...page }));
        const output = [
          { type: "message", content: [{ type: "output_text", text: "Take 24 [1].", annotations }] },
        ];
        const event = { type: "response.completed", response: { status: "completed", output } };
        return stream(response, `data: ${JSON.stringify(event)}\n\n`);
      }
      const { model, reasoning_effort: effort } = JSON.parse(body) as Record<string, string>;
      if (model === "limited" && isLimited) {
        isLimited = false;
        return refuse(response, { status: 429, message: "too many", headers: { "retry-after": "4" } });
      }
      if (model === "stubborn" && effort !== undefined)
        return refuse(response, { status: 400, message: "Unsupported parameter: 'reasoning_effort'" });
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (model === "thinker") response.write(thought(THOUGHT));
      if (model === "thinker") await released;
      response.end(chunk("A bar chart.\n\nFinal answer: 12") + chatEnd(usage));
    });
    const settings = `compatible:\n  box: {url: "${models.url}/v1", local: true, headers: {x-lab: bench-7}}\nmodels: [${MODELS.join(", ")}]\nclient-models: [openai/gpt-5.6]\n`;
    place = serverPlace({ "parley/parley.yaml": settings });
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${models.url}/v1` };
    server = await testServer({ page: PAGE, env }, place);
    // The policy would keep axe out.
    const context = await browser.get().newContext({ bypassCSP: true });
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    screen = screenOf(page, server);
    await page.goto(server.link);
  }, 60_000);
  // What one test left waiting keeps no other from its models.
  afterEach(() => release());
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await models[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  const asked = { protocol: "ask", effort: 1, question: QUESTION, reactions: false };
  const column = (nth: number) => page.locator(".column").nth(nth);
  const heightOf = async (nth: number) => (await column(nth).locator(".live pre").boundingBox())?.height;
  const kicker = () => page.locator(".kicker").innerText();

  it("says what each member does until it writes, takes no room for it, and breaks no rule of axe", async () => {
    const { id } = (await server.post("deliberations", asked)).json;
    await screen.open(`d/${id}`);
    const state = (nth: number) => column(nth).locator(".column-state").textContent();
    await expect.poll(() => state(0), WAIT).toMatch(/^thinking \d+ s$/);
    await expect.poll(() => state(1), WAIT).toMatch(/^rate limited, again in [1-4] s \(2 of \d\)$/);
    expect(await heightOf(0)).toBe(0);
    // What is under way is not told as unknown.
    await expect.poll(() => kicker(), WAIT).toContain("In progress");
    expect(await kicker()).not.toContain("unknown");
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults; // `source` defines it in the page
    expect(violations.map(({ id: rule }) => rule)).toEqual([]);
    release();
    await page.locator(".kicker .state.answered").waitFor(WAIT);
    expect(seen).toEqual([]);
  }, 60_000);

  it("shows the text in a place of its own once there is some", async () => {
    hold();
    const { id } = (await server.post("deliberations", { ...asked, models: MODELS.slice(0, 1) })).json;
    await screen.open(`d/${id}`);
    await expect.poll(() => heightOf(0), WAIT).toBe(0);
    const grown = page.waitForFunction("document.querySelector('.live pre')?.clientHeight > 100");
    // The recorded step takes its place: it is looked at as each picture is drawn.
    release();
    await grown;
    await page.locator(".kicker .state.answered").waitFor(WAIT);
  }, 60_000);

  it("tells of each member what it was asked with and without, and folds what it thought", async () => {
    const run = await server.parley.start(
      { ...asked, context: [{ name: "chart.png", base64: pngOf(1_200, 800).toString("base64") }] },
      { principal: server.principal },
    );
    await run.outcome();
    await screen.open(`d/${run.id}`);
    const [thinker, , stubborn] = [0, 1, 2].map((nth) => column(nth).locator("header"));
    await expect.poll(() => thinker?.innerText(), WAIT).toContain("compatible/box/thinker?effort=high");
    expect(await thinker?.innerText()).toContain(`asked with headers {"x-lab":"bench-7"}`);
    expect(await stubborn?.innerText()).toContain("asked without effort, which the provider does not take");
    expect(await thinker?.innerText()).not.toContain("asked without");
    expect(await column(0).locator("summary").first().innerText()).toContain(
      "1,204 tokens · 980 of them thinking",
    );
    expect(await page.locator("main").textContent()).not.toContain(THOUGHT);
    await column(0).getByText("Thinking", { exact: true }).click();
    await column(0).getByText(THOUGHT).waitFor(WAIT);
    // Beside the question is what went with it.
    const link = page.getByRole("list", { name: "Context" }).getByRole("link", { name: "chart.png" });
    expect(await link.getAttribute("href")).toContain("view=record");
    const width = "document.querySelector('ul.context img').naturalWidth";
    await expect.poll(() => page.evaluate(width), WAIT).toBe(1_200);
    // Every column of figures stands at its end, however many there are.
    await screen.open(`d/${run.id}?view=steps`);
    for (const label of ["Usage by participant", "Usage by kind of work"]) {
      const heads = screen.table(label).locator("thead th");
      await heads.first().waitFor(WAIT);
      const ends = await heads.evaluateAll((all) => all.map((one) => [one.textContent, one.className]));
      const from = ends.findIndex(([text]) => text === "Calls");
      expect(ends.map(([, name]) => name)).toEqual(ends.map((_, at) => (at < from ? "" : "figure-cell")));
      expect(ends.map(([text]) => text)).toContain("of these thinking");
    }
    expect(seen).toEqual([]);
  }, 60_000);

  it("lists what an answer rests on by its numbers, as links that lead out and tell nobody from where", async () => {
    const respond = { protocol: "respond", question: "Which Node?", models: ["openai/gpt-5.6"] };
    const run = await server.parley.start(
      { ...respond, search: true, reactions: false },
      { principal: server.principal },
    );
    await run.outcome();
    await screen.open(`d/${run.id}`);
    const sources = page.getByRole("region", { name: "Sources" });
    await expect
      .poll(() => sources.getByRole("listitem").allInnerTexts(), WAIT)
      .toEqual(["Node.js <b>releases</b> nodejs.org", "example.org/paper?id=7"]);
    for (const [nth, { url }] of FOUND.entries()) {
      const link = sources.getByRole("link").nth(nth);
      expect(await link.getAttribute("href")).toBe(url);
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    }
    expect(seen).toEqual([]);
  }, 60_000);

  it("offers a few of many models, those that are looked for, and one with an effort that is typed", async () => {
    const { models: all } = await screen.get("models");
    expect(all.length).toBeGreaterThan(40);
    await page.setViewportSize({ width: 390, height: 800 });
    await screen.open("");
    const boxes = page.locator(".models input[type=checkbox]");
    await expect.poll(() => boxes.count(), WAIT).toBe(12);
    for (const ref of MODELS) await page.getByRole("checkbox", { name: ref, exact: true }).waitFor(WAIT);
    await screen.button("Show more").click();
    await expect.poll(() => boxes.count(), WAIT).toBe(48);
    await page.locator("#question").fill(QUESTION);
    const find = page.getByRole("searchbox", { name: "Find a model" });
    await find.fill("GPT-5-MINI");
    await expect.poll(() => boxes.count(), WAIT).toBe(1);
    await find.fill("openai/gpt-5-mini?effort=low");
    await find.press("Enter");
    const own = page.getByRole("checkbox", { name: "openai/gpt-5-mini?effort=low" });
    await own.check();
    expect(await page.locator(".family", { has: own }).textContent()).toContain("openai");
    await find.fill("");
    expect(await page.locator(".models legend").innerText()).toContain("openai/gpt-5-mini?effort=low");
    expect(await own.isChecked()).toBe(true);
    await own.click(); // it goes: nothing lists it
    // The key has sent nothing.
    expect(new URL(page.url()).pathname).toBe("/");
    await page.locator(".estimate p").first().waitFor(WAIT);
    const button = await screen.button("Ask").boundingBox();
    expect([button?.width, button?.height].map((side) => (side ?? 0) > 60)).toEqual([true, false]);
    await page.setViewportSize({ width: 1_400, height: 900 });
  }, 60_000);

  it("finds a model among those that can be reached, and says what of it is unknown", async () => {
    await screen.open("settings?view=models&q=openai/nameless");
    await expect.poll(() => screen.cells("Models that can be reached"), WAIT).toHaveLength(1);
    const [row] = await screen.cells("Models that can be reached");
    expect(row).toEqual([
      ...[
        "openai/nameless",
        "openai",
        "unknown",
        "",
        "unknown",
        "unknown",
        "web search",
        "its server answers",
      ],
    ]);
    await page.getByRole("searchbox", { name: "Find a model" }).fill("no such model");
    await expect
      .poll(() => screen.empties(), WAIT)
      .toEqual([["Nothing fits these filters.", "Clear the search to see all of them."]]);
    expect(seen).toEqual([]);
  }, 60_000);
});
