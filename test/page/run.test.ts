import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeliberationId, type NewEvent } from "../../src/kernel/index.ts";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { byStep, degradedCouncil } from "../support/sample-council.ts";
import { sampleDebate } from "../support/sample-debate.ts";
import { serverPlace, SIMS, SUM, testServer, type Json, type TestServer } from "../support/server.ts";

// What can be asked of a run before it begins and after it has ended: its cost, its turns, a fork, who gave what, its files.

const browser = inBrowser("what is asked of a run");
const WAIT = { timeout: 20_000 };
const DISSENT = "It could be **381**.";

const place = serverPlace();
let server: TestServer;
let page: Page;
let seen: readonly string[];
/** Whose prices are known. */
const PRICED = ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"];

describe.skipIf(browser.isMissing)("a run before it begins and after it has ended", () => {
  beforeAll(async () => {
    const recorder = await testServer({ maxDrives: 0 }, place);
    const { store } = recorder.parley.context({}, { principal: recorder.principal });
    const long = sampleDebate({ question: `${"Why? ".repeat(100)}End of the question.` });
    // After so many events, the page is sent the heads of texts alone.
    const note: NewEvent = { type: "note-taken", data: { topic: "filler", reason: "none", body: {} } };
    const samples = { long, sample: degradedCouncil({ dissent: DISSENT }), debate: sampleDebate() };
    for (const [name, { entries }] of Object.entries(samples)) {
      const id = DeliberationId.parse(name);
      for (const { type, data, origin, seq } of entries) {
        await store.append(id, [{ type, data } as NewEvent], origin); // a sample has no unknown event
        for (let nth = 0; name === "long" && seq === 1 && nth < 600; nth += 1)
          await store.append(id, [note], byStep(`filler/${nth}`));
      }
    }
    await recorder.stop();
    const env = { PARLEY_CLIENT_MODELS: PRICED.join(",") };
    server = await testServer({ page: PAGE, env }, place);
    const context = await browser.get().newContext();
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    await page.goto(server.link);
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  const council = { question: SUM, models: SIMS, protocol: "council", reactions: false };
  const figureIn = (text: string | null): number =>
    Number(/[\d.,]+/.exec(text ?? "")?.[0].replaceAll(",", ""));
  const open = (id: string, query = "") => page.goto(`${server.url}d/${id}${query}`);
  const entriesOf = async (id: string): Promise<readonly Json[]> =>
    (await server.get(`deliberations/${id}/events`)).json.data;
  const idShown = () => new URL(page.url()).pathname.split("/").at(-1) ?? "";

  it("sets what a question would take against its limit, before it costs", async () => {
    const asked = { question: "Which queue?", protocol: "council", models: PRICED };
    const { total } = (await server.post("estimate", asked)).json;
    expect(total.usd.high).toBeGreaterThan(total.usd.expected);
    const between = (total.usd.expected + total.usd.high) / 2;
    for (const [limit, words] of [
      [total.usd.high * 2, "It stays within the limit"],
      [between, "Its usual course stays within the limit"],
      [total.usd.expected / 2, "Its usual course costs more than the limit"],
    ] as const) {
      const query = {
        q: asked.question,
        protocol: "council",
        models: PRICED.join(","),
        maxCostUsd: String(limit),
      };
      await page.goto(`${server.url}?${new URLSearchParams(query).toString()}`);
      const said = page.locator(".estimate");
      await expect.poll(() => said.textContent(), WAIT).toContain(words);
      const text = (await said.locator("p").first().textContent()) ?? "";
      expect(text).toContain(`About ${Math.round(total.calls.expected)} calls`);
      expect(text).toContain(`at most ${total.calls.high} calls`);
      expect(await said.locator("svg rect").count()).toBe(2);
    }
    expect((await server.get("deliberations?limit=5")).json.data).toHaveLength(3); // the samples: nothing was opened
    expect(seen).toEqual([]);
  }, 60_000);

  it("shows beside the answer who disagrees and what only one said, as text", async () => {
    await open("sample");
    const beside = page.locator(".answer .beside");
    await beside.waitFor(WAIT);
    const { section } = (await server.get("deliberations/sample")).json;
    expect(section.dissent).toEqual([DISSENT]);
    expect(await beside.locator("section", { hasText: "Dissent" }).innerText()).toContain(DISSENT);
    for (const text of section.insights) expect(await beside.innerText()).toContain(text);
    for (const { flaw } of section.vetoed) expect(await beside.innerText()).toContain(flaw);
  });

  it("shows in the room how far `ask` went, with each step's reason and cost", async () => {
    const { id } = await server.ask({
      ...{ question: "What is 17*23?", protocol: "ask", effort: 5, reactions: false },
      models: ["ada?family=a", "bo?family=b", "cy?family=c"].map(
        (sim, at) => `sim/${sim}&skill=0.5&seed=${at + 1}`,
      ),
    });
    const { ladder } = (await server.get(`deliberations/${id}`)).json.section;
    expect(ladder.length).toBeGreaterThan(1);
    await open(id);
    const rows = page.locator(".view .ladder tbody tr");
    await expect.poll(() => rows.count(), WAIT).toBe(ladder.length);
    for (const [nth, { reason, calls, tokens }] of (ladder as Json[]).entries()) {
      const text = (await rows.nth(nth).innerText()).replaceAll(",", "");
      expect(text).toContain((reason ?? "").replaceAll(",", ""));
      expect(text.split("\t").slice(2, 5).map(Number)).toEqual([calls, tokens.in, tokens.out]);
    }
  }, 60_000);

  it("shows who ranked whom, where each draft stood when it was read, and the ranking with its ties", async () => {
    const { id, participants, section } = await server.ask({ ...council, chair: ["sim/ada"] });
    const entries = await entriesOf(id);
    const nameOf = (by: string): string => participants.find((one: Json) => one.id === by).name;
    const authorOf = (step: string): string =>
      entries.find(({ type, origin }) => type === "answer-given" && origin.step === step).data.by;
    await open(id, "?view=reviews");
    const matrix = page.getByRole("group", { name: "Who ranked whom" });
    await matrix.waitFor(WAIT);
    const authors = (await matrix.locator("thead th").allTextContents()).slice(1);
    const reviews = entries.filter(({ type }) => type === "review-given");
    expect(reviews).toHaveLength(3);
    for (const { data } of reviews) {
      const row = matrix.locator("tbody tr", { hasText: nameOf(data.by) });
      const cells = await row.locator("td").allTextContents();
      const own = cells[authors.indexOf(nameOf(data.by))];
      expect(own).toBe("own");
      for (const [at, step] of (data.shown as string[]).entries())
        expect(cells[authors.indexOf(nameOf(authorOf(step)))]).toBe(
          `${data.ranking.steps.indexOf(step) + 1} (${at + 1})`,
        );
    }
    const places = page.getByRole("group", { name: "Peer ranking" }).locator("tbody tr");
    for (const [nth, { id: by, place, score }] of (section.standing as Json[]).entries()) {
      const text = await places.nth(nth).innerText();
      expect(text).toContain(nameOf(by));
      expect(text.split("\t")[0]).toBe(String(place));
      expect(text).toContain(score.toFixed(2));
    }
    // Behind the letters under which they were shown, remarks name their authors.
    expect(await page.locator(".view").innerText()).not.toMatch(/\bResponse [A-C]\b/);
  }, 60_000);

  it("shows of two respondents the first one's answer alone", async () => {
    const { id } = await server.ask({
      ...{ question: "What is 29 * 3?", protocol: "respond", models: ["sim/ada?skill=1"] },
      ...{ respondentB: true, modelB: "sim/bo?skill=0", reactions: true },
    });
    await expect
      .poll(async () => (await entriesOf(id)).filter(({ type }) => type === "answer-given").length, WAIT)
      .toBe(2);
    const [first, second] = (await entriesOf(id)).filter(({ type }) => type === "answer-given");
    expect(second.origin.reactor).toBe("respondent-b");
    await open(id);
    await page.locator(".answer-text").waitFor(WAIT);
    const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
    const shown = plain(await page.locator(".answer").innerText());
    expect(shown).toContain(plain(first.data.text));
    expect(shown).not.toContain(plain(second.data.text));
    await page.locator(".column").first().waitFor(WAIT);
    const whole = async () => plain(await page.locator("main").innerText());
    expect(await whole()).not.toContain(plain(second.data.text));
    await page.getByText("The second respondent's answer", { exact: true }).click();
    await expect.poll(whole, WAIT).toContain(plain(second.data.text).slice(0, 40));
  }, 60_000);

  it("shows a debate's rounds, and of each summary what it stands for", async () => {
    const entries = await entriesOf("debate");
    const { data: summary } = entries.find(({ type }) => type === "summary-made");
    await open("debate", "?view=debate");
    const folded = page.locator("details.step", { hasText: "Summary of what was said before" }).first();
    await folded.waitFor(WAIT);
    const facts = (await folded.locator("summary").first().textContent()) ?? "";
    expect(facts.replaceAll(",", "")).toContain(
      `${summary.charactersBefore} → ${summary.charactersAfter} characters`,
    );
    await folded.locator("summary").first().click();
    const before = folded.locator("section", { hasText: "What it stands for" }).locator("details.step");
    await expect.poll(() => before.count(), WAIT).toBe(3);
    // An agent's own texts of the rounds before, and the critiques that it got.
    expect(await before.locator("summary").allTextContents()).toEqual([
      "Proposal by Testing Engineer Round 1",
      "Critique by System Architect Round 1",
      "Refinement by Testing Engineer Round 1",
    ]);
    await before.nth(2).locator("summary").click();
    await expect.poll(() => before.nth(2).innerText(), WAIT).toContain("(refinement 1 of tester)");
    expect(await folded.locator("section", { hasText: "The summary" }).innerText()).toContain(
      summary.text.split("\n")[0],
    );
    const round = page.locator("details.round").first();
    await round.locator("summary").first().click();
    await expect.poll(() => round.innerText(), WAIT).toContain("Critique by System Architect");
    expect(await page.locator(".view").innerText()).toContain("How many jobs a minute?");
  }, 60_000);

  it("shows what was said before a debate's rounds whole, however long the run is", async () => {
    await open("long", "?view=debate");
    await expect.poll(() => page.locator(".view").innerText(), WAIT).toContain("End of the question.");
  }, 30_000);

  it("forks from a point after saying what that costs, and reuses what was recorded", async () => {
    const { id } = await server.ask({ ...council, chair: ["sim/ada"] });
    const synthesis = (await entriesOf(id)).findLast(({ type }) => type === "standing-reached");
    await open(id, `?view=fork&at=${synthesis.seq}`);
    const start = page.getByRole("button", { name: "Start the fork" });
    await start.waitFor(WAIT);
    await page.getByLabel("Strategy").selectOption("risk-averse");
    const said = page.locator(".fork [role=status]", { hasText: "About" });
    await said.waitFor(WAIT);
    const { total, reusable } = (
      await server.post(`deliberations/${id}/fork/estimate`, {
        strategy: "risk-averse",
        upToSeq: synthesis.seq,
      })
    ).json;
    expect(await said.textContent()).toContain(`at most ${total.calls.high} calls`);
    expect(await said.textContent()).toContain(`Up to ${reusable} of`);
    expect(await start.isEnabled()).toBe(true);
    await start.click();
    await expect.poll(() => idShown(), WAIT).not.toBe(id);
    await page.locator(".answer-foot").waitFor(WAIT);
    const forked = await entriesOf(idShown());
    expect(forked[0].data.settings.strategy.name).toBe("risk-averse");
    const adopted = forked.filter(({ origin }) => origin.by === "adopted");
    expect(adopted.filter(({ type }) => type === "answer-given")).toHaveLength(3);
    expect(forked.find(({ type }) => type === "synthesis-given").origin.by).toBe("protocol");
  }, 60_000);

  it("sets beside what the chair claims what was measured, and asks before it costs", async () => {
    const { id } = await server.ask({ ...council, chair: ["sim/ada"] });
    await open(id, "?view=contributions");
    const table = page.getByRole("group", { name: "Contributions" });
    await table.waitFor(WAIT);
    const columns = async () => (await table.locator("thead th").allTextContents()).slice(1, -1);
    expect(await columns()).toEqual(["Claimed by the chair", "Measured"]);
    const before = (await entriesOf(id)).length;
    const opener = page.getByRole("button", { name: "Measure by leaving each member out" });
    await opener.click();
    const sure = page.getByRole("alertdialog");
    await sure.waitFor(WAIT);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Measure, and pay for the calls");
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate("document.activeElement.textContent"), WAIT)
      .toContain("leaving each");
    expect((await entriesOf(id)).length).toBe(before);
    await page.getByRole("button", { name: "Measure without calls" }).click();
    await expect.poll(columns, WAIT).toContain("Overlap");
    await opener.click();
    await sure.getByRole("button", { name: "Measure, and pay" }).click();
    await expect.poll(columns, WAIT).toContain("Left out");
    const { members, calls } = (await server.post(`deliberations/${id}/contributions`, { calls: false }))
      .json;
    expect(calls).toBe(0);
    const names = await columns();
    for (const member of members as Json[]) {
      const row = table.locator("tbody tr", {
        has: page.getByRole("rowheader", { name: member.name, exact: true }),
      });
      const cells = await row.locator("td").allTextContents();
      const shown = (head: string) => cells[names.indexOf(head)] ?? "";
      if (member.claimed !== null)
        expect(figureIn(shown("Claimed by the chair"))).toBeCloseTo(member.claimed, 2);
      expect(figureIn(shown("Overlap"))).toBeCloseTo(member.overlap, 1);
      expect(figureIn(shown("Left out"))).toBeCloseTo(member.leaveOneOut.weight, 1);
    }
    expect(seen).toEqual([]);
  }, 60_000);

  it("lists a conversation as one, moves by keyboard, searches, and compares two runs", async () => {
    const { id: first } = await server.ask({ ...council, question: "Zebra one?" });
    const { id: second } = await server.ask({ ...council, question: "Zebra two?", previous: first });
    await page.goto(`${server.url}runs`);
    await page.locator("input[type=search]").fill("zebra");
    const rows = page.locator("ul.runs > li");
    await expect.poll(() => rows.count(), WAIT).toBe(1);
    expect(new URL(page.url()).searchParams.get("q")).toBe("zebra");
    expect(await rows.locator("a.run-link:visible").allTextContents()).toEqual(["Zebra two?"]);
    await rows.locator("summary").click();
    expect(await rows.locator("a.run-link:visible").allTextContents()).toEqual(["Zebra two?", "Zebra one?"]);
    await page.locator("h1").click();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Zebra one?");
    await page.keyboard.press("k");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Zebra two?");
    for (const box of await rows.locator("input[type=checkbox]").all()) await box.check();
    await page.getByRole("link", { name: "Compare the two selected" }).click();
    await page.waitForURL(/\/compare/, WAIT);
    await expect.poll(() => page.locator("main").innerText(), WAIT).toContain("Zebra one?");
    await page.goto(`${server.url}runs?series=${first}`);
    await expect
      .poll(() => page.locator("a.run-link").allTextContents(), WAIT)
      .toEqual(["Zebra two?", "Zebra one?"]);
    await open(second);
    await expect.poll(() => page.locator(".turns a").allTextContents(), WAIT).toEqual(["Zebra one?"]);
    await page.goto(`${server.url}runs?q=nothingofthiskind`);
    await expect
      .poll(() => page.locator(".empty").innerText(), WAIT)
      .toContain("Nothing fits these filters.");
  }, 60_000);

  it("offers a run as files, each of which is what the API gives", async () => {
    const { id } = await server.ask(council);
    await open(id);
    await page.locator("details.export summary").click();
    const links = page.locator("details.export a");
    expect(await links.allTextContents()).toEqual(["html", "md", "adr", "json", "jsonl", "csv"]);
    const [download] = await Promise.all([page.waitForEvent("download"), links.first().click()]);
    expect([download.suggestedFilename(), await download.failure()]).toEqual([`parley-${id}.html`, null]);
    for (const link of await links.all()) {
      const format = (await link.textContent()) ?? "";
      const href = (await link.getAttribute("href")) ?? "";
      expect(await link.getAttribute("download")).toBe(`parley-${id}.${format}`);
      const text = await page.evaluate(`fetch(${JSON.stringify(href)}).then((reply) => reply.text())`);
      expect(text).toBe((await server.get(`deliberations/${id}/export?format=${format}`)).text);
      expect(text).toContain("391");
    }
  }, 60_000);

  it("forgets a run by keyboard after asking once, leaves for the list, and says where it cannot", async () => {
    const [{ id }, { id: other }] = [
      await server.ask({ ...council, question: "Which secret?" }),
      await server.ask(council),
    ];
    await open(id);
    const forget = page.getByRole("button", { name: "Forget", exact: true });
    const sure = page.getByRole("alertdialog", { name: "Forget this run? Its texts are deleted for good" });
    await forget.click({ trial: true, ...WAIT }); // what asks is loaded with the run
    await forget.focus();
    await page.keyboard.press("Enter");
    await sure.waitFor(WAIT);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.textContent"), WAIT).toBe("Forget");
    await page.keyboard.press("Enter");
    await sure.waitFor(WAIT);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs$/, WAIT);
    await page.locator("ul.runs > li").first().waitFor(WAIT);
    expect(await page.locator("ul.runs").innerText()).not.toContain("Which secret?");
    expect((await server.get(`deliberations/${id}`)).status).toBe(410);
    await open(id);
    await page.getByText(`run ${id} was forgotten at`).waitFor(WAIT);
    await open(other);
    await forget.click();
    await server.request("DELETE", `deliberations/${other}`);
    await sure.getByRole("button", { name: "Forget it" }).click();
    await sure.getByText("was forgotten at").waitFor(WAIT);
    expect(seen).toEqual([]);
  }, 60_000);

  it("unfolds on paper what is folded on the screen", async () => {
    const { id } = await server.ask(council);
    await open(id);
    const steps = page.locator(".column details.step");
    await steps.first().waitFor(WAIT);
    const opened = () => steps.evaluateAll((all) => all.map((one) => one.hasAttribute("open")));
    expect(await opened()).toContain(false);
    const before = await opened();
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await expect.poll(opened, WAIT).not.toContain(false);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await expect.poll(opened, WAIT).toEqual(before);
  }, 60_000);

  it("still scrubs what was seen once its server cannot be reached", async () => {
    const { id } = await server.ask(council);
    const context = await browser.get().newContext();
    await context.addCookies([await server.newSession()]);
    const own = await context.newPage();
    await own.goto(`${server.url}d/${id}`);
    await own.locator(".answer-text").waitFor(WAIT);
    await own.locator(".column").first().waitFor(WAIT);
    const last = (await entriesOf(id)).length;
    await context.setOffline(true);
    await own.keyboard.press("Home");
    await expect.poll(() => new URL(own.url()).searchParams.get("at"), WAIT).toBe("1");
    expect(await own.locator(".answer-text").count()).toBe(0);
    for (let seq = 2; seq < last; seq += 1) await own.keyboard.press("ArrowRight");
    await expect.poll(() => new URL(own.url()).searchParams.get("at"), WAIT).toBe(String(last - 1));
    expect(await own.locator(".column").count()).toBeGreaterThan(2);
    await own.keyboard.press("End");
    await own.locator(".answer-text").waitFor(WAIT);
    expect(await own.locator(".answer-text").innerText()).toContain("391");
    await context.close();
  }, 60_000);

  it("resumes a run that was left open, and gives up a connection that has fallen silent", async () => {
    // A browser of its own: another tab would hold the connection.
    const context = await browser.get().newContext();
    await context.addCookies([await server.newSession()]);
    const clocked = await context.newPage();
    await clocked.clock.install();
    const { opened } = await server.parley.open(council, { principal: server.principal });
    const asked: string[] = [];
    clocked.on("request", (request) => {
      if (request.url().includes("/feed?")) asked.push(request.url());
    });
    await clocked.goto(`${server.url}d/${opened.deliberation}`);
    await expect.poll(async () => [await clocked.clock.runFor(100), asked.length][1], WAIT).toBe(1);
    const resume = clocked.getByRole("button", { name: "Resume" });
    expect(await resume.count()).toBe(0); // it may be at work
    await clocked.clock.fastForward(26_000);
    await expect.poll(async () => [await clocked.clock.runFor(500), asked.length][1], WAIT).toBe(2);
    await clocked.clock.fastForward(60_000);
    await clocked.reload();
    await expect.poll(async () => [await clocked.clock.runFor(200), await resume.count()][1], WAIT).toBe(1);
    await resume.click();
    await expect
      .poll(
        async () => [await clocked.clock.runFor(200), await clocked.locator(".answer-text").count()][1],
        WAIT,
      )
      .toBe(1);
    expect((await server.get(`deliberations/${opened.deliberation}`)).json.status).toBe("answered");
    await context.close();
    expect(seen).toEqual([]);
  }, 60_000);
});
