import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import { openFakeServer, type FakeServer } from "../support/fake-server.ts";
import { count, money, percent, ratio, screenOf, tenths, WAIT, type Screen } from "../support/screen.ts";
import type { Scratch } from "../support/scratch.ts";
import { serverPlace, SIMS, testServer, type Json, type TestServer } from "../support/server.ts";

// What is known over all runs: each figure on the screens is the one that the API gives.

const browser = inBrowser("the screens of what is known");
const USER_FILE = "prices:\n  openai/priced: {in: 1000, out: 2000}\n";
const PROJECT_FILE = "max-calls: 77\n";

let place: Scratch;
let paid: FakeServer;
let server: TestServer;
let page: Page;
let screen: Screen;
let seen: readonly string[];

/** What each empty screen says, and where it leads. */
const EMPTY: readonly (readonly [screen: string, title: string, next: string])[] = [
  ["league", "No votes yet.", "Councils whose members rank each other fill this table. Ask one."],
  ["contributions", "No chair has written an answer yet.", "Councils with a chair fill this table. Ask one."],
  ["votes", "No votes yet.", "Councils whose members rank each other fill this page. Ask one."],
  ["costs", "Nothing was spent yet.", "Every call that a run makes is counted here. Ask something."],
  [
    "memory",
    "Nothing is remembered yet.",
    "Answers are remembered when a run of Ask, Respond or Council ends. Ask a question.",
  ],
  [
    "memory?view=facts",
    "No fact is pinned.",
    "Pin one above, or tell a model of a conversation to remember something.",
  ],
  [
    "memory?view=models",
    "No model has been compared yet.",
    "Answers are compared when two models respond, or when a judge grades them.",
  ],
  [
    "forest",
    "No forest yet.",
    "The cycles of a forest appear here: parley forest init, then parley forest cycle.",
  ],
  ["bus", "No messages yet.", "Answers, grades and memory appear here. Ask something."],
  ["inbox", "Nothing waits for you.", "Questions of debates and seats that you hold appear here."],
  ["runs", "No runs yet.", "Ask a question; it appears here."],
  [
    "workers",
    "No run has given them work yet.",
    "A judge and memory work in the background of answers. Ask something.",
  ],
];

/** Councils with votes, of which two compare and two follow another strategy; answers that are graded, compared and remembered; calls that cost. */
async function fill(): Promise<void> {
  const { secret } = await server.newKey({ user: "ana" });
  const council = (question: string, more: object = {}) => server.ask({ question, ...more });
  for (let nth = 0; nth < 10; nth += 1)
    await council(`What is ${nth + 12} * 7?`, nth < 2 ? { strategy: "risk-averse" } : {});
  await council("Compare tea and coffee", { personas: ["historian", "analyst", "pragmatist"] });
  const { id } = await council("Compare trains and planes");
  await server.post(`deliberations/${id}/contributions`, { calls: false });
  const respond = { protocol: "respond", reactions: false };
  await server.ask({ ...respond, question: "What is 2 + 2?", models: ["openai/priced"] });
  await server.ask({ ...respond, question: "What is 2 + 3?", models: ["openai/mystery"] });
  await server.post(
    "deliberations",
    { ...respond, question: "What is 3 + 3?", models: [SIMS[0]] },
    { key: secret, headers: { prefer: "wait=20" } },
  );
  const graded = {
    protocol: "respond",
    models: ["sim/ada?skill=1"],
    judge: ["sim/judy?skill=1"],
    reactions: true,
  };
  for (const more of [
    { question: "What is the capital of Japan?" },
    { question: "What is the capital of France?", respondentB: true, modelB: "sim/bob?skill=0.4" },
  ]) {
    const run = await server.ask({ ...graded, ...more });
    await (
      await server.sse(`deliberations/${run.id}/events`)
    ).ended;
  }
}

describe.skipIf(browser.isMissing)("what is known over all runs", () => {
  beforeAll(async () => {
    paid = await openFakeServer((response) => {
      const message = { role: "assistant", content: "Final answer: 4" };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          ...{ choices: [{ message, finish_reason: "stop" }], model: "priced" },
          usage: { prompt_tokens: 30, completion_tokens: 20 },
        }),
      );
    });
    place = serverPlace({ "parley/parley.yaml": USER_FILE, "project/parley.yaml": PROJECT_FILE });
    const env = {
      ...{ OPENAI_BASE_URL: `${paid.url}/v1`, OPENAI_API_KEY: "hush" },
      PARLEY_EFFORT: "3",
      PARLEY_EMBEDDING: "sim/ada",
      PARLEY_CLIENT_MODELS: "openai/priced,openai/mystery",
    };
    server = await testServer({ page: PAGE, env }, place);
    const context = await browser.get().newContext({ locale: "en-US" });
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    screen = screenOf(page, server);
    await page.goto(server.link);
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await paid[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  it("says on each empty screen what would fill it", async () => {
    for (const [path, title, next] of EMPTY) {
      await screen.open(path);
      await expect.poll(screen.empties, WAIT).toEqual([[title, next]]);
    }
    // Some ship with every server: that there are none is what the server would say.
    for (const [path, api, reply, title, next] of [
      ["personas", "personas", { data: [] }, "There are no personas.", "Write one: give it a name below."],
      [
        ...["workers", "reactors", { reactors: [], deliberations: 0 }, "No background work is configured."],
        "A judge and memory work in the background of answers. Ask something.",
      ],
    ] as const) {
      await page.route(`**/api/v1/${api}`, (route) => route.fulfill({ json: reply }));
      await screen.open(path);
      await expect.poll(screen.empties, WAIT).toEqual([[title, next]]);
      await page.unroute(`**/api/v1/${api}`);
    }
    expect(seen).toEqual([]);
  }, 60_000);

  describe("with runs on record", () => {
    beforeAll(fill, 60_000);

    const leagueRows = (rows: Json[]) =>
      rows.map(({ player, votes, winRate, averageRank, strength, low, high, tooFew }) => [
        player,
        count(votes),
        percent(winRate),
        tenths(averageRank),
        tooFew || strength === null ? "too few" : `${ratio(strength)} (${ratio(low)} … ${ratio(high)})`,
        "",
      ]);
    const KINDS: Readonly<Record<string, string>> = {
      all: "All questions",
      comparison: "Comparisons",
      fact: "Facts",
    };

    it("ranks personas and models as the API does, by kind of question", async () => {
      await page.getByRole("link", { name: "League", exact: true }).click();
      const { leagues } = await screen.get("league");
      expect(leagues.length).toBeGreaterThan(1);
      for (const { kind, rows } of leagues as Json[])
        await expect
          .poll(() => screen.cells(KINDS[kind] ?? "Other questions"), WAIT)
          .toEqual(leagueRows(rows));
      const all = leagueRows(leagues[0].rows);
      expect(all.filter((row) => row[4] === "too few").length).toBeGreaterThan(0);
      expect(all.filter((row) => row[4] !== "too few").length).toBeGreaterThan(0);
      // An interval is drawn where one is told, and nowhere else.
      expect(await screen.table("All questions").locator("svg.interval").count()).toBe(
        all.filter((row) => row[4] !== "too few").length,
      );
      expect(await page.locator("section p.quiet").first().textContent()).toBe(
        "12 sessions · fewer than 20: too few for any claim",
      );
      await screen.choice("Kind of question").selectOption("comparison");
      const { leagues: compared } = await screen.get("league?kind=comparison");
      await expect.poll(() => page.locator("section h2").allTextContents(), WAIT).toEqual(["Comparisons"]);
      expect(await screen.cells("Comparisons")).toEqual(leagueRows(compared[0].rows));
      await screen.choice("By").selectOption("model");
      const { leagues: models } = await screen.get("league?kind=comparison&by=model");
      await expect.poll(() => screen.cells("Comparisons"), WAIT).toEqual(leagueRows(models[0].rows));
      expect(models[0].rows.map(({ player }: Json) => player as string)).toContain("sim/ada");
      await expect.poll(() => [screen.at("kind"), screen.at("by")], WAIT).toEqual(["comparison", "model"]);
      await page.reload();
      await expect.poll(() => screen.cells("Comparisons"), WAIT).toEqual(leagueRows(models[0].rows));
      await screen.choice("Kind of question").selectOption("procedure");
      await expect.poll(screen.empties, WAIT).toMatchObject([["No votes yet.", expect.any(String)]]);
      expect(seen).toEqual([]);
    }, 30_000);

    const METHODS: Readonly<Record<string, string>> = {
      ...{ "leave-one-out": "left out", "shapley-vote": "vote", "shapley-standing": "ranking" },
      "text-overlap": "overlap",
    };
    const shareCell = ({ claimed, measured }: Json): string => {
      const told = claimed.mean === null ? "unknown" : `${ratio(claimed.mean)} (${count(claimed.n)})`;
      const lines = Object.entries(measured as Record<string, Json>).map(
        ([method, { mean, n }]) => `${METHODS[method]} ${ratio(mean)} (${count(n)})`,
      );
      return told + (lines.length === 0 ? "not measured" : lines.join(""));
    };

    it("shows claimed and measured shares by strategy, and votes apart", async () => {
      await page.getByRole("link", { name: "Contributions", exact: true }).click();
      const { rows } = await screen.get("contributions?split=strategy");
      const { rows: all } = await screen.get("contributions?split=none");
      const strategies = [...new Set((rows as Json[]).map(({ strategy }) => strategy as string))];
      expect(strategies).toContain("risk-averse");
      const wonBy = (persona: string) => {
        const { winRate, sessions } = (all as Json[]).find((row) => row.persona === persona);
        return sessions === 0 ? "–" : `${percent(winRate)} of ${count(sessions)}`;
      };
      const personas = [...new Set((rows as Json[]).map(({ persona }) => persona as string))];
      await expect
        .poll(() => screen.heads("Contributions"), WAIT)
        .toEqual(["persona", ...strategies, "Votes"]);
      expect(await screen.cells("Contributions")).toEqual(
        personas.map((persona) => [
          persona,
          ...strategies.map((strategy) => {
            const row = (rows as Json[]).find((one) => one.persona === persona && one.strategy === strategy);
            return row === undefined ? "–" : shareCell(row);
          }),
          wonBy(persona),
        ]),
      );
      const texts = (await screen.cells("Contributions")).flat().join();
      expect(texts).toContain("ranking ");
      expect(texts).toContain("not measured");
      await screen.choice("Strategies").selectOption("none");
      await expect.poll(() => screen.heads("Contributions"), WAIT).toEqual(["persona", "together", "Votes"]);
      expect(await screen.cells("Contributions")).toEqual(
        (all as Json[]).map((row) => [row.persona, shareCell(row), wonBy(row.persona)]),
      );
      // The deeper the color, the larger the share.
      for (const [nth, { claimed }] of (all as Json[]).entries())
        expect(await screen.table("Contributions").locator(".heat").nth(nth).getAttribute("class")).toBe(
          `heat depth-${Math.min(5, Math.ceil((claimed.mean ?? 0) * 5))}`,
        );
      expect(seen).toEqual([]);
    }, 30_000);

    const voteRows = (rows: Json[]) =>
      rows.map(({ voter, candidate, rank, of, position, strengths, weaknesses }) => [
        `${voter.persona} ${voter.model}`,
        `${candidate.persona} ${candidate.model}`,
        rank === null ? "unreadable" : `${rank} of ${of}`,
        count(position),
        [
          ...strengths.map((text: string) => `+ ${text}`),
          ...weaknesses.map((text: string) => `− ${text}`),
        ].join(""),
      ]);
    const shownVotes = async () => (await screen.cells("Every vote")).map((row) => row.slice(1));

    it("shows who ranked whom how high, and each vote with the place at which its draft was shown", async () => {
      await page.getByRole("link", { name: "Votes", exact: true }).click();
      const matrixOf = (given: Json[]) => {
        const names = (what: string) => [...new Set(given.map((one) => one[what] as string))].sort();
        return names("voter").map((voter) => [
          voter,
          ...names("candidate").map((candidate) => {
            const cell = given.find((one) => one.voter === voter && one.candidate === candidate);
            return cell ? `${percent(cell.share)} (${count(cell.votes)})` : "–";
          }),
        ]);
      };
      const { cells: given } = await screen.get("votes/matrix");
      await expect.poll(() => screen.cells("Who ranked whom"), WAIT).toEqual(matrixOf(given));
      const first = await screen.get("votes?limit=50");
      await expect.poll(shownVotes, WAIT).toEqual(voteRows(first.data));
      expect(first.next).not.toBeNull();
      await screen.button("Show more").click();
      const whole = await screen.get("votes?limit=200");
      await expect.poll(shownVotes, WAIT).toEqual(voteRows(whole.data));
      expect(new Set(whole.data.map(({ position }: Json) => position as number)).size).toBeGreaterThan(1);
      expect(await screen.button("Show more").count()).toBe(0);
      await screen.choice("By").selectOption("model");
      const { cells: models } = await screen.get("votes/matrix?by=model");
      await expect.poll(() => screen.cells("Who ranked whom"), WAIT).toEqual(matrixOf(models));
      await screen.table("Who ranked whom").locator("tbody a", { hasText: "sim/bo" }).click();
      await expect.poll(() => screen.at("model"), WAIT).toBe("sim/bo");
      const { data: ofBo } = await screen.get("votes?model=sim%2Fbo&limit=50");
      await expect.poll(shownVotes, WAIT).toEqual(voteRows(ofBo));
      const { cells: cellsOfBo } = await screen.get("votes/matrix?by=model&model=sim%2Fbo");
      expect(await screen.cells("Who ranked whom")).toEqual(matrixOf(cellsOfBo));
      await page.getByRole("link", { name: "Show everybody" }).click();
      await expect.poll(() => screen.at("model"), WAIT).toBeNull();
      await screen.table("Every vote").locator("tbody a").first().click();
      await page.waitForURL(`**/d/${whole.data[0].deliberation}?view=reviews`, WAIT);
      expect(seen).toEqual([]);
    }, 30_000);

    const calls = (of: number) => (of === 1 ? "1 call" : `${of} calls`);
    const costRows = ({ rows, total, names }: Json) =>
      [...(rows as Json[]), { ...total, key: "Total" }].map((row) => {
        const unknown = row.unknown + row.unpriced;
        const known = [row.calls, row.tokens.in, row.tokens.out].map(count);
        const usd = row.unpriced === row.calls && row.usd === 0 ? "unknown" : money(row.usd);
        return [names[row.key] ?? row.key, ...known, usd, unknown === 0 ? "" : calls(unknown), ""];
      });

    it("adds up what calls cost by day, model, persona, person and key, and tells an unknown cost as unknown", async () => {
      await page.getByRole("link", { name: "Costs", exact: true }).click();
      for (const by of ["day", "model", "persona", "protocol", "user", "key"]) {
        await screen.choice("By").selectOption(by);
        const usage = await screen.get(`usage?by=${by}`);
        await expect.poll(() => screen.cells("Costs"), WAIT).toEqual(costRows(usage));
        expect(usage.total.unknown + usage.total.unpriced).toBe(1);
        expect(await page.locator(".notice.warn").textContent()).toBe(
          "The cost of 1 call is unknown and not in these sums.",
        );
      }
      await screen.choice("By").selectOption("user");
      await expect
        .poll(async () => (await screen.cells("Costs")).map(([name]) => name), WAIT)
        .toContain("ana");
      await screen.choice("By").selectOption("model");
      const rowOf = async (name: string) => (await screen.cells("Costs")).find(([first]) => first === name);
      await expect.poll(() => rowOf("openai/mystery"), WAIT).toBeDefined();
      expect(await rowOf("openai/mystery")).toEqual([
        "openai/mystery",
        "1",
        "30",
        "20",
        "unknown",
        "1 call",
        "",
      ]);
      // 30 tokens for a thousandth of a dollar each, and 20 for two.
      expect(await rowOf("openai/priced")).toEqual(["openai/priced", "1", "30", "20", "$0.07", "", ""]);
      await screen.choice("Since").selectOption("24h");
      await expect.poll(() => screen.at("since"), WAIT).toBe("24h");
      await expect
        .poll(() => screen.cells("Costs"), WAIT)
        .toEqual(costRows(await screen.get("usage?by=model&since=24h")));
      expect(seen).toEqual([]);
    }, 30_000);

    /** Questions of the entries that are listed. */
    const listed = () => page.locator("ul.entries > li > a.run-link").allTextContents();
    const asked = ({ engrams }: Json) =>
      (engrams as Json[]).map(({ engram }) => (engram.question || engram.summary) as string);

    it("finds what is remembered by words, with who said what about it", async () => {
      await page.getByRole("link", { name: "Memory", exact: true }).click();
      const newest = await screen.get("memory/search");
      expect(newest.engrams.length).toBeGreaterThan(1);
      await expect.poll(listed, WAIT).toEqual(asked(newest));
      await page.getByRole("searchbox").fill("capital of Japan");
      await expect.poll(() => screen.at("q"), WAIT).toBe("capital of Japan");
      const found = await screen.get("memory/search?q=capital+of+Japan");
      await expect.poll(listed, WAIT).toEqual(asked(found));
      expect((await listed())[0]).toContain("Japan");
      expect(await page.locator("p[role=status]").textContent()).toBe(`Order: ${found.how}`);
      const [first] = found.engrams;
      const row = page.locator("ul.entries > li").first();
      expect(await row.textContent()).toContain(`similarity ${ratio(first.similarity)}`);
      expect(first.annotations.length).toBeGreaterThan(0);
      const said = `${first.annotations.length} judgment${first.annotations.length === 1 ? "" : "s"}`;
      await row.locator("summary", { hasText: said }).click();
      const judged = await row.getByRole("group", { name: said }).locator("tbody tr").allTextContents();
      for (const [nth, { by, what }] of (first.annotations as Json[]).entries()) {
        expect(judged[nth]).toContain(by);
        if (what.kind === "grade") expect(judged[nth]).toContain(`Score ${what.score} of 5${what.feedback}`);
      }
      expect(first.annotations.map(({ what }: Json) => what.kind as string)).toContain("grade");
      await page.getByRole("searchbox").fill("zebra crossings of Antarctica");
      const none = await screen.get("memory/search?q=zebra+crossings+of+Antarctica");
      await expect.poll(() => screen.at("q"), WAIT).toContain("zebra");
      if (none.engrams.length > 0) await expect.poll(listed, WAIT).toEqual(asked(none));
      else await expect.poll(screen.empties, WAIT).toEqual([["Nothing remembered fits these words.", ""]]);
      await page.getByLabel("Retired ones only").check();
      await expect
        .poll(screen.empties, WAIT)
        .toEqual([
          [
            "Nothing remembered fits these words.",
            "No entry is retired. One is retired when what speaks against it outweighs what speaks for it.",
          ],
        ]);
      expect(seen).toEqual([]);
    }, 30_000);

    it("shows an entry whole, and forgets it for good once that is confirmed", async () => {
      await screen.open("memory");
      const { engrams } = await screen.get("memory/search");
      const { engram, mark } = engrams[0];
      await page.locator("ul.entries a.run-link").first().click();
      await page.locator("h1", { hasText: engram.question }).waitFor(WAIT);
      const facts = await page.locator("dl.facts div").allTextContents();
      expect(facts).toContain(`Model${engram.models.join(", ")}`);
      expect(facts).toContain(`Run${engram.deliberation}`);
      expect(await page.locator("article .mark").first().getAttribute("class")).toBe(`mark ${mark}`);
      const whole = await screen.get(`memory/engrams/${encodeURIComponent(engram.id)}`);
      expect(await page.locator(".table tbody tr").count()).toBe(whole.annotations.length);
      await screen.button("Forget").click();
      const sure = screen.asks("Delete this entry for good, with all that was said about it?");
      await sure.getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => sure.count(), WAIT).toBe(0);
      expect((await screen.get(`memory/engrams/${encodeURIComponent(engram.id)}`)).forgotten).toBeNull();
      await screen.button("Forget").click();
      await sure.getByRole("button", { name: "Delete it" }).click();
      await page.waitForURL(/\/memory$/, WAIT);
      const left = await screen.get("memory/search");
      expect(left.engrams.map((one: Json) => one.engram.id as string)).not.toContain(engram.id);
      expect(left.engrams).toHaveLength(engrams.length - 1);
      await expect.poll(listed, WAIT).toEqual(asked(left));
      await page.reload();
      await expect.poll(listed, WAIT).toEqual(asked(left));
      // Who still has its address is told that it is gone, and by whom.
      await screen.open(`memory/${encodeURIComponent(engram.id)}`);
      await page.locator("h1", { hasText: "A forgotten entry" }).waitFor(WAIT);
      expect((await screen.get(`memory/engrams/${encodeURIComponent(engram.id)}`)).forgotten.by).toBe(
        server.principal.user,
      );
      expect(await page.locator(".notice").textContent()).toContain(`Forgotten by ${server.principal.user}`);
      expect(await page.locator("article").textContent()).not.toContain(engram.question);
      expect(await screen.button("Forget").count()).toBe(0);
      expect(seen).toEqual([]);
    }, 30_000);

    it("pins a fact once, keeps it over a reload, and forgets it once that is confirmed", async () => {
      await screen.open("memory?view=facts");
      const words = "Deploys are <b>frozen</b> on Fridays";
      const field = page.getByRole("textbox", { name: /^Pin a fact/ });
      const pin = screen.button("Pin");
      expect(await pin.isDisabled()).toBe(true);
      for (const said of ["Pinned.", "It was pinned already."]) {
        await field.fill(`  ${words} `);
        await pin.click();
        await expect.poll(() => page.locator("form [role=status]").textContent(), WAIT).toBe(said);
        expect(await field.inputValue()).toBe("");
        expect((await screen.get("memory/facts")).facts).toMatchObject([{ fact: words, by: null }]);
      }
      await page.reload();
      const facts = page.locator("ul.entries li");
      await expect.poll(() => facts.locator(".fact").allTextContents(), WAIT).toEqual([words]);
      expect(await facts.locator("p.quiet").textContent()).toContain("pinned by a person");
      await facts.getByRole("button", { name: "Forget" }).click();
      const sure = screen.asks("Delete this fact for good?");
      await page.keyboard.press("Escape");
      await expect.poll(() => sure.count(), WAIT).toBe(0);
      expect((await screen.get("memory/facts")).facts).toHaveLength(1);
      await facts.getByRole("button", { name: "Forget" }).click();
      await sure.getByRole("button", { name: "Delete it" }).click();
      await expect.poll(screen.empties, WAIT).toMatchObject([["No fact is pinned.", expect.any(String)]]);
      expect((await screen.get("memory/facts")).facts).toEqual([]);
      await page.reload();
      await expect.poll(screen.empties, WAIT).toMatchObject([["No fact is pinned.", expect.any(String)]]);
      expect(seen).toEqual([]);
    }, 30_000);

    it("shows how models have done, and claims nothing of few comparisons", async () => {
      await page.getByRole("link", { name: "Models", exact: true }).click();
      const stats = await screen.get("memory/stats");
      expect(stats.configurations.length).toBeGreaterThan(0);
      const share = ({ value, low, high }: Json) =>
        value === null ? "unknown" : `${percent(value)} (${percent(low)} to ${percent(high)})`;
      await expect
        .poll(() => screen.cells("What comparisons show"), WAIT)
        .toEqual(
          (stats.configurations as Json[]).map((one) => [
            one.models.join(", "),
            one.temperature === null ? "the provider's own" : String(one.temperature),
            one.intent ?? "all kinds",
            count(one.engrams),
            `${one.wins}–${one.losses}–${one.ties}`,
            share(one.won),
            one.grade.mean === null ? "unknown" : `${tenths(one.grade.mean)} (n = ${one.grade.n})`,
            "too few to tell",
          ]),
        );
      expect(await page.locator("dl.facts div").allTextContents()).toEqual([
        ...[`Answers${stats.episodic}`, `Pinned facts${stats.pinned}`, `Judged${stats.judged}`],
        ...[
          `Retired${stats.retired}`,
          `Forgotten${stats.forgotten}`,
          `Groups of near-repeats${stats.clusters}`,
        ],
      ]);
      expect(seen).toEqual([]);
    }, 30_000);

    it("shows what background workers do, and follows them", async () => {
      await page.getByRole("link", { name: "Workers", exact: true }).click();
      const STATES: Readonly<Record<string, string>> = {
        idle: "idle",
        receiving: "waiting",
        error: "failed",
      };
      const rowsOf = ({ reactors }: Json) =>
        (reactors as Json[]).map(({ reactor, state, behind, servedBy, said, lastError }) => [
          ...[reactor, STATES[state], count(behind)],
          servedBy.worker ?? (servedBy.drains > 0 ? `${servedBy.drains} run` : "none"),
          count(said),
          lastError === null ? "" : expect.stringContaining(lastError.why),
        ]);
      const shown = async () => (await screen.cells("Workers")).map((row) => row.toSpliced(3, 1));
      const before = await screen.get("reactors");
      expect(before.reactors.find(({ reactor }: Json) => reactor === "critic").said).toBeGreaterThan(0);
      await expect.poll(shown, WAIT).toEqual(rowsOf(before));
      expect(await page.locator("p.quiet").first().textContent()).toBe(
        `Over the newest ${before.deliberations} runs`,
      );
      await server.ask({ protocol: "respond", models: [SIMS[0]], question: "What is 5 + 5?" });
      await expect
        .poll(() => page.locator("p.quiet").first().textContent(), WAIT)
        .toBe(`Over the newest ${before.deliberations + 1} runs`);
      expect(seen).toEqual([]);
    }, 30_000);

    it("shows the messages of the bus as they come, and those of one subject alone", async () => {
      await page.getByRole("link", { name: "Bus", exact: true }).click();
      const stream = await server.sse("bus?from=start");
      const messages = () => stream.events.flatMap(({ data }) => (data?.message_id ? [data] : []));
      const lines = page.locator("ul.lines li");
      const told = () => lines.locator("summary").allTextContents();
      const expected = (wanted: (one: Json) => boolean = () => true) =>
        messages()
          .filter(wanted)
          .toReversed()
          .map(
            ({ subject, sender_id }) =>
              expect.stringMatching(new RegExp(`${subject} ${sender_id}$`)) as string,
          );
      await expect.poll(() => messages().length, WAIT).toBeGreaterThan(2);
      await expect.poll(told, WAIT).toEqual(expected());
      const before = messages().length;
      // One more answer while the page is open.
      const { id } = await server.ask({ protocol: "respond", models: [SIMS[0]], question: "What is 6 + 6?" });
      await expect.poll(() => messages().length, WAIT).toBeGreaterThan(before);
      await expect.poll(told, WAIT).toEqual(expected());
      await lines.first().locator("summary").click();
      expect(await lines.first().locator("a").textContent()).toBe(id);
      expect(JSON.parse((await lines.first().locator("pre").textContent()) ?? "")).toEqual(
        messages().at(-1)?.payload,
      );
      await screen.choice("Subject").selectOption("response.generation");
      const isAnswer = ({ subject }: Json) => subject === "response.generation";
      await expect.poll(told, WAIT).toEqual(expected(isAnswer));
      expect(messages().filter(isAnswer).length).toBeLessThan(messages().length);
      stream.close();
      expect(seen).toEqual([]);
    }, 30_000);

    it("shows every setting with its value and its source, and the models that can be reached", async () => {
      await page.getByRole("link", { name: "Settings", exact: true }).click();
      const config = (await screen.get("config")) as Readonly<
        Record<string, { value?: unknown; from: string }>
      >;
      const written = (value: unknown): string => {
        if (value === null || value === undefined) return "not set";
        if (Array.isArray(value)) return value.length === 0 ? "not set" : value.join(", ");
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return text === "{}" || text === "" ? "not set" : text;
      };
      const rowsFrom = (source?: string) =>
        Object.entries(config)
          .filter(([, { from }]) => source === undefined || from === source)
          .map(([name, { value, from }]) => [name, written(value), from]);
      await expect.poll(() => screen.cells("Values"), WAIT).toEqual(rowsFrom());
      for (const [source, name, value] of [
        ["environment", "keys.openai", "set"],
        ["project file", "max-calls", "77"],
        ["user file", "prices.openai/priced", '{"in":1000,"out":2000}'],
      ] as const) {
        await screen.choice("Source").selectOption(source);
        await expect.poll(() => screen.cells("Values"), WAIT).toEqual(rowsFrom(source));
        expect(await screen.cells("Values")).toContainEqual([name, value, source]);
      }
      await screen.choice("Source").selectOption("");
      await page.getByRole("searchbox").fill("MAX-calls");
      await expect.poll(() => screen.cells("Values"), WAIT).toEqual([["max-calls", "77", "project file"]]);
      expect(await page.locator("p[role=status]").textContent()).toBe(
        `1 of ${Object.keys(config).length} settings`,
      );
      await page.getByRole("searchbox").fill("no such setting");
      await expect
        .poll(screen.empties, WAIT)
        .toEqual([["No setting fits.", "Clear the search to see all of them."]]);
      await page.getByRole("link", { name: "Models", exact: true }).click();
      const { models, missing } = await screen.get("models");
      const first = (label: string) => async () => (await screen.cells(label)).map(([name]) => name);
      await expect
        .poll(first("Models that can be reached"), WAIT)
        .toEqual((models as Json[]).map(({ ref }) => ref as string));
      expect(await screen.cells("Not set up")).toEqual(
        (missing as Json[]).map(({ provider, next }) => [provider, next]),
      );
      expect(seen).toEqual([]);
    }, 30_000);
  });
});
