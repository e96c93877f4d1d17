import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { SIMS, SUM, testServer, type Json, type TestServer } from "../support/server.ts";

// What a run asks of people: questions before a debate, a seat of their own, a thumb afterwards.

const browser = inBrowser("runs that wait for people");
const WAIT = { timeout: 20_000 };
const DRAFT = "It is 391, by the shape of it.\n\nFinal answer: 391";

let server: TestServer;
let page: Page;
let inbox: Page;
let seen: readonly string[];

describe.skipIf(browser.isMissing)("a person in a run", () => {
  beforeAll(async () => {
    server = await testServer({ page: PAGE });
    const context = await browser.get().newContext();
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    inbox = await context.newPage();
    await page.goto(server.link);
    await inbox.goto(`${server.url}inbox`);
    await inbox.locator(".empty").waitFor(WAIT);
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const openAsk = async (query: Readonly<Record<string, string>>) =>
    page.goto(`${server.url}?${new URLSearchParams(query).toString()}`);
  const send = async (): Promise<string> => {
    await page.locator("form.ask button[type=submit]").click();
    await page.waitForURL(/\/d\/[^/?]+/, WAIT);
    return new URL(page.url()).pathname.split("/").at(-1) ?? "";
  };
  const stateOf = (on: Page) => on.locator(".kicker .state").textContent();
  const entriesOf = async (id: string): Promise<readonly Json[]> =>
    (await server.get(`deliberations/${id}/events`)).json.data;

  it("is asked a debate's questions, above everything else, and the debate goes on with the answers", async () => {
    const models = ["sim/ada?asks=1&family=sim-a", "sim/bo?asks=1&family=sim-b", "sim/cy?family=sim-c"];
    await openAsk({ protocol: "debate", models: models.join(","), rounds: "1" });
    await page.locator("#question").fill("How should a small team deploy?");
    await page.getByLabel("Let the agents ask you questions first").check();
    const id = await send();
    const forms = page.locator("form.ask-person");
    await forms.waitFor(WAIT);
    expect(await stateOf(page)).toBe("Waiting for a person");
    const { questions } = (await server.get(`deliberations/${id}/waiting`)).json;
    for (const { text } of questions.questions) expect(await forms.textContent()).toContain(text);
    const order = await page.evaluate(
      "document.querySelector('.ask-person').compareDocumentPosition(document.querySelector('h1')) & Node.DOCUMENT_POSITION_FOLLOWING",
    );
    expect(order).not.toBe(0);
    const [first, ...others] = await forms.locator("textarea").all();
    await first?.fill("Ten <b>engineers</b>.");
    expect(others.length).toBe(questions.questions.length - 1);
    await forms.getByRole("button", { name: "Send the answer" }).click();
    await expect.poll(() => stateOf(page), WAIT).toBe("Answered");
    const given = (await entriesOf(id)).find(({ type }) => type === "clarification-answered");
    expect(given?.data.answers).toEqual([{ id: questions.questions[0].id, text: "Ten <b>engineers</b>." }]);
    await page.goto(`${server.url}d/${id}?view=debate`);
    await expect.poll(() => page.locator(".view").innerText(), WAIT).toContain("Ten <b>engineers</b>.");
    expect(seen).toEqual([]);
  }, 60_000);

  it("takes a seat that was added on the form, blind, from the inbox, once", async () => {
    await openAsk({ protocol: "council", models: SIMS.slice(0, 2).join(",") });
    await page.locator("#question").fill(SUM);
    await page.locator("details.settings > summary").click();
    await page.getByRole("button", { name: "Add a person" }).click();
    await page.getByLabel("User name").fill("me");
    await page.getByRole("combobox", { name: "Seat" }).selectOption("reviewer");
    const id = await send();
    await page.locator("form.ask-person").waitFor(WAIT);
    expect(await page.locator(".missing").innerText()).toContain("Waiting for local: Review");
    // The inbox was read before: it hears of this by itself.
    await inbox.bringToFront();
    const item = inbox.locator(".inbox-item");
    await item.waitFor(WAIT);
    expect(await item.locator("h2 a").getAttribute("href")).toContain(id);
    const drafts = (await server.parley.read(id as never)).flatMap((entry) =>
      entry.type === "answer-given" ? [entry.data] : [],
    );
    expect(drafts).toHaveLength(2);
    // Blind: the drafts stand in the prompt without their authors, and nowhere else on the page of the run.
    const prompt = await item.locator("form.ask-person details").innerText();
    for (const { by, text } of drafts) {
      expect(prompt).not.toContain(by);
      expect(prompt.replaceAll(/\s+/g, " ")).toContain(text.slice(0, 30).replaceAll(/\s+/g, " "));
      expect(await page.locator(".columns").innerText()).not.toContain(text.slice(0, 30));
    }
    const [, label = "A", other = "B"] = /answer ([A-Z])\b[\s\S]*answer ([A-Z])\b/.exec(prompt) ?? [];
    const words = item.locator("textarea");
    const review = `FINAL RANKING:\n1. ${label}\n2. ${other}`;
    await words.fill(review);
    // What is being written survives that the inbox is read again.
    await inbox.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await inbox.waitForResponse((response) => response.url().endsWith("/inbox"), WAIT);
    expect(await words.inputValue()).toBe(review);
    await item.getByRole("button", { name: "Send the answer" }).click();
    await inbox.locator(".empty").waitFor(WAIT);
    await expect.poll(() => stateOf(page), WAIT).toMatch(/^Answered/);
    const reviews = (await entriesOf(id)).filter(({ type }) => type === "review-given");
    expect(reviews.map(({ data }) => data.by)).toContain("local");
    expect(seen).toEqual([]);
  }, 90_000);

  it("may abstain, and is told when somebody was first", async () => {
    const body = { question: SUM, models: SIMS.slice(0, 2), protocol: "council", reactions: false };
    const open = async () =>
      (await server.post("deliberations", { ...body, seats: [{ name: "me", seat: "member" }] })).json.id;
    const id = await open();
    await page.goto(`${server.url}d/${id}`);
    await page.locator("form.ask-person").waitFor(WAIT);
    await page.getByRole("button", { name: "Abstain" }).click();
    await expect.poll(() => stateOf(page), WAIT).toMatch(/^Answered|degraded|losses/);
    // This page hears of nothing, and somebody else is first.
    const second = await open();
    await page.route(/\/feed\?/, (route) => route.abort());
    await page.goto(`${server.url}d/${second}`);
    const form = page.locator("form.ask-person");
    await form.locator("textarea").fill(DRAFT);
    const [seat] = (await server.get(`deliberations/${second}/waiting`)).json.seats;
    expect(
      (await server.post(`deliberations/${second}/answers`, { text: "391", step: seat.step })).status,
    ).toBe(200);
    await form.getByRole("button", { name: "Send the answer" }).click();
    await form.locator("[role=alert]").waitFor(WAIT);
    expect(await form.locator("[role=alert]").textContent()).toContain("The first answer stands");
    expect(await form.locator("textarea").inputValue()).toBe(DRAFT);
    await page.unroute(/\/feed\?/);
    expect(seen).toEqual([]);
  }, 60_000);

  it("refuses a seat that is none before anything is asked, and keeps what was written", async () => {
    await openAsk({ protocol: "council", seats: "ana:reader,bo b:member", q: SUM });
    const said = page.locator(".estimate .problem");
    await said.waitFor(WAIT);
    expect(await said.textContent()).toContain('there is no seat "reader"');
    await page.locator("form.ask button[type=submit]").click();
    const refused = page.locator("form.ask [role=alert]");
    await refused.waitFor(WAIT);
    expect(await refused.textContent()).toContain('there is no seat "reader"');
    expect(await page.getByLabel("User name").first().inputValue()).toBe("ana");
    await page.getByRole("combobox", { name: "Seat" }).first().selectOption("reviewer");
    await expect.poll(() => said.textContent(), WAIT).toContain('"bo b" is not a user name');
    await page.getByRole("button", { name: "Remove bo b" }).click();
    await expect.poll(() => page.locator(".estimate").textContent(), WAIT).toMatch(/^About \d+ calls/);
    expect(seen).toEqual([]);
  }, 60_000);

  it("gives a thumb and words, which are on record and shown again", async () => {
    const { id } = await server.ask({
      ...{ question: SUM, models: SIMS, protocol: "council", reactions: false },
    });
    await page.goto(`${server.url}d/${id}`);
    const thumb = page.getByRole("button", { name: "Not helpful" });
    await thumb.click();
    await expect.poll(() => thumb.getAttribute("aria-pressed"), WAIT).toBe("true");
    await page.locator(".thumbs details summary").click();
    await page.locator(".thumbs textarea").fill("Too <i>short</i>.");
    await page.locator(".thumbs form button").click();
    await expect.poll(() => page.locator(".thumbs textarea").inputValue(), WAIT).toBe("");
    const given = (await entriesOf(id)).filter(({ type }) => type === "feedback-given");
    expect(given.map(({ data }) => [data.thumb, data.text])).toEqual([
      ["down", undefined],
      [undefined, "Too <i>short</i>."],
    ]);
    await page.reload();
    await expect.poll(() => thumb.getAttribute("aria-pressed"), WAIT).toBe("true");
    expect(seen).toEqual([]);
  }, 60_000);
});
