import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser, PAGE, watchContext } from "../support/browser.ts";
import type { Scratch } from "../support/scratch.ts";
import { screenOf, WAIT, type Screen } from "../support/screen.ts";
import { serverPlace, testServer, type Json, type TestServer } from "../support/server.ts";

// What people make: entries of the library, personas, forests. What a screen shows is what the server has afterwards.

const browser = inBrowser("the screens of what is made");
const PROJECT_PACK = "id: theirs\nname: Theirs\nmembers: [analyst]\n";

let place: Scratch;
let server: TestServer;
let page: Page;
let screen: Screen;
let seen: readonly string[];
/** A forest in a folder of its own, worked on by the command line. */
let growing: Promise<void>;

const forestFolder = () => join(place.home, "forest");
/** Runs a command where the forest is, over the server's store; resolves to what it said. */
async function parley(...words: readonly string[]): Promise<string> {
  const env = { ...place.env, PATH: process.env["PATH"], PARLEY_HOME: join(place.home, "parley") };
  const cli = join(PAGE, "..", "cli.mjs");
  const more = { OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" };
  const run = promisify(execFile)(process.execPath, [cli, ...words], {
    ...{ cwd: forestFolder(), env: { ...env, ...more } },
  });
  // A cycle that waits ends with a code of its own.
  const { stdout, stderr } = await run.catch((error: unknown) => error as { stdout: string; stderr: string });
  return stdout + stderr;
}

/** Two trees over little data, and a second cycle that waits for the person of this server. */
async function grow(): Promise<void> {
  mkdirSync(forestFolder());
  expect(await parley("forest", "init", "--yes")).toContain("Planted");
  const file = join(forestFolder(), "forest.yaml");
  const small = readFileSync(file, "utf8")
    .replace("days: 250", "days: 160")
    .replace("instruments: 100", "instruments: 40");
  writeFileSync(file, `${small}gates:\n  G1: {}\n  G6: {}\n  G7: {}\n`);
  expect(await parley("forest", "cycle")).toContain("Cycle 1:");
  appendFileSync(file, "aligner: me\ndiverger: me\n");
  expect(await parley("forest", "cycle")).toContain("Waiting for 2 hand-offs");
}

const area = () => page.locator("form.editor textarea");
const refusal = () => page.locator("form.editor [role=alert]");
const saved = () => page.locator("form.editor [role=status]");
/** Saves, and gives back why it was refused. */
async function refused(): Promise<string> {
  await screen.button("Save").click();
  await refusal().waitFor(WAIT);
  return (await refusal().textContent()) ?? "";
}
async function save(): Promise<void> {
  await screen.button("Save").click();
  await expect.poll(() => saved().textContent(), WAIT).toBe("Saved.");
}
/** Resolves when a run has ended. */
const ended = async (id: string): Promise<Json> => {
  await (
    await server.sse(`deliberations/${id}/events`)
  ).ended;
  return screen.get(`deliberations/${id}`);
};
const runOf = async (): Promise<string> => {
  await page.waitForURL(/\/d\/[^/?]+$/, WAIT);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
};

describe.skipIf(browser.isMissing)("what people make", () => {
  beforeAll(async () => {
    place = serverPlace({ "project/.parley/packs/theirs.yaml": PROJECT_PACK });
    growing = grow();
    growing.catch(() => undefined); // who waits for it is told
    server = await testServer({ page: PAGE }, place);
    const context = await browser.get().newContext({ locale: "en-US" });
    seen = await watchContext(context, new URL(server.url).origin);
    page = await context.newPage();
    page.setDefaultTimeout(8_000);
    screen = screenOf(page, server);
    await page.goto(server.link);
  }, 60_000);
  afterAll(async () => {
    await growing.catch(() => undefined);
    await server[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  const FROM: Readonly<Record<string, string>> = {
    ...{ "built-in": "shipped", user: "your own", project: "the project's" },
  };

  it("lists strategies, packs and prompts with whose they are", async () => {
    await page.getByRole("link", { name: "Library", exact: true }).click();
    for (const [label, path] of [
      ["Strategies", "strategies"],
      ["Packs", "packs"],
    ] as const)
      await expect
        .poll(() => screen.cells(label), WAIT)
        .toEqual(
          (await screen.get(path)).data.map(({ name, from, description }: Json) => [
            ...[name, FROM[from], description],
          ]),
        );
    expect((await screen.cells("Packs")).find(([name]) => name === "theirs")?.[1]).toBe("the project's");
    const { data } = await screen.get("prompts");
    const rows = (data as Json[]).map(({ name, from, protocols }) => [
      name,
      FROM[from],
      protocols.join(", "),
    ]);
    expect(await screen.cells("Prompts")).toEqual(rows);
    await page.getByRole("searchbox", { name: "Filter by name" }).fill("Council-");
    await expect
      .poll(() => screen.cells("Prompts"), WAIT)
      .toEqual(rows.filter(([name]) => name?.includes("council-")));
    await page.getByRole("link", { name: "theirs" }).click();
    await page.getByText("It is the project's: change its file there.").waitFor(WAIT);
    expect(await page.locator("main pre").textContent()).toBe(PROJECT_PACK);
    expect(await area().count()).toBe(0);
    expect(seen).toEqual([]);
  }, 30_000);

  it("edits a strategy: a bad text is refused with the reason and stays, a good one is in force and compared", async () => {
    await screen.open("library/strategies/balanced");
    const { text: shipped } = await screen.get("strategies/balanced");
    await expect.poll(() => area().inputValue(), WAIT).toBe(shipped);
    await page.getByText("This is the shipped text.").waitFor(WAIT);
    expect(await screen.button("Save").isDisabled()).toBe(true);
    const bad = `${shipped}words: x\n`;
    await area().fill(bad);
    expect(await page.locator(".difference > p").textContent()).toBe(
      "Your changes: 1 line added, 0 lines removed",
    );
    const sent = await server.post("strategies/balanced", { text: bad });
    expect(sent.status).toBe(422);
    expect(await refused()).toContain(sent.json.detail);
    expect(await area().inputValue()).toBe(bad);
    expect((await screen.get("strategies/balanced")).from).toBe("built-in");
    const good = shipped.replace(/^description: .*$/m, "description: Mine.");
    await area().fill(good);
    await save();
    expect(await refusal().count()).toBe(0);
    expect(await screen.get("strategies/balanced")).toMatchObject({ text: good, from: "user", shipped });
    await page.reload();
    await expect.poll(() => area().inputValue(), WAIT).toBe(good);
    await page.getByText("It stands in front of one that is shipped.").waitFor(WAIT);
    await page.locator("summary", { hasText: "Compared with what is shipped" }).click();
    expect(await page.locator("details .diff ins").allTextContents()).toEqual(["+description: Mine."]);
    expect(await page.locator("details .diff del").count()).toBe(1);
    expect(seen).toEqual([]);
  }, 30_000);

  it("tells a second writer that there was a first one, and keeps the text", async () => {
    const { text } = await screen.get("strategies/balanced");
    const theirs = text.replace("Mine.", "Theirs.");
    expect((await server.post("strategies/balanced", { text: theirs })).status).toBe(200);
    const mine = text.replace("Mine.", "Still mine.");
    await area().fill(mine);
    expect(await refused()).toBe(
      "Nothing was changed. it was changed since it was readTry: read it again, and make the change there",
    );
    expect(await area().inputValue()).toBe(mine);
    expect((await screen.get("strategies/balanced")).text).toBe(theirs);
    expect(seen).toEqual([]);
  }, 30_000);

  it("keeps what is written while a change is being saved, and deletes one's own text once that is confirmed", async () => {
    await page.reload();
    const { text, shipped } = await screen.get("strategies/balanced");
    await expect.poll(() => area().inputValue(), WAIT).toBe(text);
    const first = text.replace("Theirs.", "Mine again.");
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((reached) => {
      void page.route("**/api/v1/strategies/balanced", async (route) => {
        if (route.request().method() !== "GET") return route.continue();
        reached();
        await new Promise<void>((resolve) => (answer = resolve));
        return route.continue();
      });
    });
    await area().fill(first);
    await screen.button("Save").click();
    await asked;
    await area().fill(`${first}# and more\n`);
    answer();
    await page.getByText("1 line added, 0 lines removed").first().waitFor(WAIT);
    expect(await area().inputValue()).toBe(`${first}# and more\n`);
    await page.unroute("**/api/v1/strategies/balanced");
    await save();
    expect((await screen.get("strategies/balanced")).text).toBe(`${first}# and more\n`);
    await screen.button("Delete your own").click();
    const sure = screen.asks("Delete your text? A shipped one of this name is in force again.");
    await sure.getByRole("button", { name: "Cancel" }).click();
    expect((await screen.get("strategies/balanced")).from).toBe("user");
    await screen.button("Delete your own").click();
    await sure.getByRole("button", { name: "Delete it" }).click();
    await expect.poll(() => area().inputValue(), WAIT).toBe(shipped);
    expect((await screen.get("strategies/balanced")).from).toBe("built-in");
    expect(await screen.button("Delete your own").count()).toBe(0);
    expect(seen).toEqual([]);
  }, 30_000);

  it("writes a new pack, refused while its strategy is none, and shows what it sets", async () => {
    await screen.open("library");
    const packs = page.getByRole("region", { name: "Packs" });
    await packs.getByRole("textbox").fill("mine");
    await packs.getByRole("button", { name: "New" }).click();
    await page.waitForURL("**/library/packs/mine", WAIT);
    await page.getByText("It is not there yet. Write it, and save.").waitFor(WAIT);
    const bad = "id: mine\nname: Mine\nmembers: [analyst]\nstrategy: nowhere\n";
    await area().fill(bad);
    expect(await refused()).toMatch(/mine\.yaml:4:\d+: .*nowhere/);
    expect(await area().inputValue()).toBe(bad);
    expect((await server.get("packs/mine")).status).toBe(404);
    await area().fill(bad.replace("nowhere", "balanced"));
    await screen.button("Save").click();
    await page.locator("dl.facts").waitFor(WAIT);
    const { pack, text } = await screen.get("packs/mine");
    expect(text).toBe(bad.replace("nowhere", "balanced"));
    expect(await page.locator("dl.facts div").allTextContents()).toEqual([
      ...["Fromyour own", `Protocol${pack.protocol}`],
      ...Object.entries(pack.settings as object).map(([name, value]) => `${name}${String(value)}`),
    ]);
    expect(await area().inputValue()).toBe(text);
    await page.getByText("Nothing of this name is shipped.").waitFor(WAIT);
    expect(seen).toEqual([]);
  }, 30_000);

  it("edits a prompt: without a required slot it is refused, and the text stays", async () => {
    await screen.open("library/prompts/council-draft");
    const { text, slots } = await screen.get("prompts/council-draft");
    await expect.poll(() => area().inputValue(), WAIT).toBe(text);
    expect(await page.locator("dl.facts li").allTextContents()).toEqual(
      slots.map(
        ({ name, required }: Json) => `{{${name}}} ${required === true ? "required" : "may be left out"}`,
      ),
    );
    const { name } = slots.find(({ required }: Json) => required === true);
    const bad = text.replaceAll(`{{${name}}}`, "");
    await area().fill(bad);
    expect(await refused()).toMatch(new RegExp(`${name}.* is missing`));
    expect(await area().inputValue()).toBe(bad);
    const good = text.replace("=== user ===", "=== user ===\nMINE");
    await area().fill(good);
    await save();
    expect(await screen.get("prompts/council-draft")).toMatchObject({ text: good, replaced: true });
    await page.locator("summary", { hasText: "Compared with what is shipped" }).click();
    expect(await page.locator("details .diff ins").allTextContents()).toEqual(["+MINE"]);
    expect(seen).toEqual([]);
  }, 30_000);

  const PARTS = [
    ...["identity-and-role", "interpretation-of-questions", "problem-decomposition"],
    ...["analysis-and-reasoning", "differentiation-and-bias", "tone"],
  ];
  const MODELS = "sim/ada?family=oak, sim/bo?family=elm";

  it("edits a persona by its six parts, as a copy that is on record with the reason", async () => {
    await page.getByRole("link", { name: "Personas", exact: true }).click();
    const { data } = await screen.get("personas");
    await expect
      .poll(async () => (await screen.cells("Personas")).map((row) => row.slice(0, 2)), WAIT)
      .toEqual((data as Json[]).map(({ name }) => [name, "shipped"]));
    await page.getByRole("link", { name: "analyst", exact: true }).click();
    const shipped = await screen.get("personas/analyst");
    const texts = async () => Promise.all((await area().all()).map((one) => one.inputValue()));
    await expect.poll(texts, WAIT).toEqual(PARTS.map((part) => shipped.parts[part]));
    expect(await page.locator("form.editor label strong").allTextContents()).toEqual([
      ...["Identity and role", "Interpretation of questions", "Problem decomposition"],
      ...["Analysis and reasoning", "Differentiation and bias", "Tone"],
    ]);
    await area().last().fill("Short.");
    expect(await page.locator(".diff ins").allTextContents()).toEqual(["+Short."]);
    expect(await page.locator("form.editor em").allTextContents()).toEqual(["changed"]);
    await page.getByRole("textbox", { name: /^Why/ }).fill("it was too long");
    await save();
    const own = await screen.get("personas/analyst");
    expect(own).toMatchObject({ status: "own", parts: { ...shipped.parts, tone: "Short." } });
    await page.getByText("It stands in front of one that is shipped.").waitFor(WAIT);
    // Somebody else edits it: the next change is refused, and stays.
    const parts = { ...own.parts, tone: "Shorter." };
    expect((await server.post("personas/analyst", { parts, why: "elsewhere" })).status).toBe(200);
    await area().first().fill("You are mine.");
    expect(await refused()).toContain("it was changed since it was read");
    expect(await area().first().inputValue()).toBe("You are mine.");
    await page.getByRole("link", { name: "File", exact: true }).click();
    await page.locator("summary", { hasText: "Compared with what is shipped" }).click();
    expect((await page.locator("details .diff ins").allTextContents()).join()).toContain("Short.");
    await page.getByRole("link", { name: "Lineage and trials" }).click();
    const { versions } = (await screen.get("personas/analyst/lineage")).persona;
    expect(versions).toMatchObject([{ why: "it was too long" }, { why: "elsewhere" }]);
    const rows = async () => (await screen.cells("Decisions and versions")).map((row) => row.toSpliced(3, 1));
    await expect
      .poll(rows, WAIT)
      .toEqual(
        versions.map(({ how, why, by, version, run }: Json) => [how, why, by, version.slice(0, 8), run]),
      );
    expect(seen).toEqual([]);
  }, 30_000);

  it("breeds a child from two parents: says what it may cost, asks, and goes to the run", async () => {
    await page.getByRole("link", { name: "Personas", exact: true }).click();
    await page.locator("summary", { hasText: "Breed a persona" }).click();
    await page.getByLabel("historian", { exact: true }).check();
    await page.getByText("Choose two or three parents.").waitFor(WAIT);
    expect(await screen.button("Breed").count()).toBe(0);
    await page.getByLabel("pragmatist", { exact: true }).check();
    await page.getByRole("textbox", { name: /^Name of the child/ }).fill("Kid");
    await page.getByRole("textbox", { name: /^Models/ }).fill(MODELS);
    await screen.button("Breed").click();
    await screen.asks("At most 6 calls; the price is not limited. Start?").waitFor(WAIT);
    await page.keyboard.press("Escape");
    await page.getByRole("spinbutton", { name: "Most US dollars" }).fill("0.5");
    const runs = async () => (await screen.get("deliberations")).data.length as number;
    const before = await runs();
    await screen.button("Breed").click();
    const sure = screen.asks("At most 6 calls, $0.50. Start?");
    await sure.waitFor(WAIT);
    expect(await runs()).toBe(before);
    await sure.getByRole("button", { name: "Start" }).click();
    const id = await runOf();
    expect((await ended(id)).status).toBe("answered");
    expect(await screen.get("personas/kid")).toMatchObject({ status: "on-trial", lineage: { bred: id } });
    const [opened] = (await screen.get(`deliberations/${id}/events?only=1`)).data;
    expect(opened.data.budget).toEqual({ calls: 6, usd: 0.5 });
    await screen.open("personas");
    const stateOf = async () => (await screen.cells("Personas")).find(([name]) => name === "kid")?.[1];
    await expect.poll(stateOf, WAIT).toBe("on trial");
    expect(seen).toEqual([]);
  }, 30_000);

  const lineage = "personas/kid?view=lineage";

  it("tries a child against its parent, and shows each test with the path to its decision", async () => {
    await screen.open(lineage);
    await page.locator("summary", { hasText: "Try it against its parent" }).click();
    const tasks = Array.from({ length: 20 }, (_, nth) => `What is ${nth + 2} * 3? => ${(nth + 2) * 3}`);
    await page.getByRole("textbox", { name: /^Questions/ }).fill(tasks.join("\n"));
    await page.getByRole("textbox", { name: /^Models/ }).fill("sim/ada?family=oak");
    await page.locator("details select").selectOption("pragmatist");
    await screen.button("Start a trial").click();
    await screen.asks("At most 1,050 calls; the price is not limited. Start?").waitFor(WAIT);
    await screen.button("Start").click();
    const id = await runOf();
    await ended(id);
    await screen.open(lineage);
    const { persona } = await screen.get("personas/kid/lineage");
    const [trial] = persona.trials;
    expect(trial).toMatchObject({ run: id, against: "pragmatist" });
    const head = page.locator("summary", { hasText: "Against pragmatist" });
    await expect.poll(() => head.textContent().catch(() => ""), WAIT).toContain(trial.verdict);
    const RIVALS: Readonly<Record<string, string>> = { parent: "the parent", none: "no persona" };
    const DECISIONS: Readonly<Record<string, string>> = {
      ...{ better: "better", "no-better": "not better", open: "not decided", undecided: "undecided" },
    };
    const shown = async () => (await screen.cells("Trials")).map(([rival, tally]) => [rival, tally]);
    await expect
      .poll(shown, WAIT)
      .toEqual(
        trial.tests.map(({ against, wins, losses, ties }: Json) => [
          ...[RIVALS[against], `${wins}–${losses}–${ties}`],
        ]),
      );
    for (const [nth, { decision }] of (trial.tests as Json[]).entries())
      expect((await screen.cells("Trials"))[nth]?.at(-1)).toContain(DECISIONS[decision]);
    expect(await page.locator("details figure svg").count()).toBe(trial.tests.length);
    expect(await page.locator("ul.tree").first().textContent()).toMatch(/Historian.*Pragmatist/);
    expect(seen).toEqual([]);
  }, 60_000);

  it("takes a decision with a reason, records it, and offers none that the server would refuse", async () => {
    await screen.button("Accept").click();
    const sure = screen.asks("Let it take part, whatever its trials say?");
    // Without a reason nothing is sent.
    await sure.getByRole("button", { name: "Accept" }).click();
    expect((await screen.get("personas/kid")).status).toBe("on-trial");
    await sure.getByRole("textbox", { name: "Why (required)" }).fill("a <b>demo</b>");
    await sure.getByRole("button", { name: "Accept" }).click();
    await page.getByText("See the record").waitFor(WAIT);
    const { versions } = (await screen.get("personas/kid/lineage")).persona;
    expect(versions.at(-1)).toMatchObject({ how: "accepted", why: "a <b>demo</b>" });
    expect(await page.getByText("See the record").getAttribute("href")).toBe(`/d/${versions.at(-1).run}`);
    await expect.poll(async () => (await screen.cells("Decisions and versions")).length, WAIT).toBe(2);
    expect(await screen.button("Accept").count()).toBe(0);
    await page.reload();
    await page.locator("main strong", { hasText: "accepted" }).first().waitFor(WAIT);
    // What was not bred cannot be accepted again.
    await screen.open("personas/analyst?view=lineage");
    await screen.button("Retire").click();
    const retire = screen.asks(
      "Let it take part no more? Only a version before its last edit can be put in force again.",
    );
    await retire.getByRole("textbox").fill("superseded");
    await retire.getByRole("button", { name: "Retire" }).click();
    await page.locator("main strong", { hasText: "retired" }).waitFor(WAIT);
    expect((await screen.get("personas/analyst")).status).toBe("retired");
    expect(await screen.button("Accept").count()).toBe(0);
    expect(await screen.button("Retire").count()).toBe(0);
    await screen.button("Roll back").click();
    const back = screen.asks("Put its version before the last edit in force again?");
    await back.getByRole("textbox").fill("it was better");
    await back.getByRole("button", { name: "Roll back" }).click();
    await page.locator("main strong", { hasText: "your own" }).waitFor(WAIT);
    expect(await screen.get("personas/analyst")).toMatchObject({ status: "own", parts: { tone: "Short." } });
    expect(seen).toEqual([]);
  }, 30_000);

  const GOAL = "Find signals that tell which prices rise tomorrow";
  const KINDS = ["fruit", "golden_leaf", "normal_leaf", "dead_leaf", "sick_leaf"] as const;
  const STATES: Readonly<Record<string, string>> = { answered: "Answered", waiting: "Waiting for a person" };
  /** The forest's cycles as the API has them, the first one first. */
  async function cycles(): Promise<Json[]> {
    const { data } = await screen.get("deliberations?protocol=forest");
    return Promise.all(data.toReversed().map(({ id }: Json) => screen.get(`deliberations/${id}`)));
  }
  const kindsIn = ({ section }: Json): number[] =>
    KINDS.map(
      (kind) =>
        section.candidates.filter(({ classification }: Json) => classification === kind).length as number,
    );
  const slotsIn = ({ section }: Json): number[] => section.weather.map(({ slots }: Json) => slots as number);
  const cycleRows = (all: Json[]) =>
    all.map((one): (string | undefined)[] => [
      ...[String(one.section.cycle), STATES[one.status]],
      ...[one.section.tested, ...kindsIn(one)].map((figure) =>
        one.status === "waiting" ? "unknown" : String(figure),
      ),
      // What a cycle that waits has found is hidden, its weather too.
      ...(one.status === "waiting" ? slotsIn(all[0]).map(() => "unknown") : slotsIn(one).map(String)),
    ]);
  const weatherRows = ({ section }: Json) =>
    section.weather.map(({ tree, weather, slots, status, reason }: Json) => [
      ...[tree, weather, String(slots), status, reason],
    ]);

  it("shows a forest's trees, their weather and slots, and that a cycle waits", async () => {
    await growing;
    await page.getByRole("link", { name: "Forest", exact: true }).click();
    const row = page.locator("ul.forests li");
    await expect
      .poll(() => row.textContent().catch(() => ""), WAIT)
      .toContain("Waiting for a person · 2 runs");
    await row.getByRole("link", { name: GOAL }).click();
    await page.locator("h1", { hasText: GOAL }).waitFor(WAIT);
    const all = await cycles();
    expect(all.map(({ status }) => status as string)).toEqual(["answered", "waiting"]);
    expect(await screen.heads("Cycles")).toEqual([
      ...["Cycle", "State", "Tested", "Fruit", "Golden leaf", "Normal leaf", "Dead leaf", "Sick leaf"],
      ...all[0].section.weather.map(({ tree }: Json) => `Slots: ${tree}`),
    ]);
    expect(await screen.cells("Cycles")).toEqual(cycleRows(all));
    expect(await screen.cells("Weather")).toEqual(weatherRows(all[0]));
    await page.getByText("Of cycle 1, the last whose weather is shown.").waitFor(WAIT);
    const { fruits, tested, domain } = all[0].section;
    expect(await page.locator("main > p.quiet").textContent()).toBe(
      `${domain} · 2 cycles · ${fruits} of ${tested} candidates are fruits`,
    );
    expect(
      await page.getByRole("region", { name: "Hand-offs that wait for you" }).locator("form").count(),
    ).toBe(2);
    expect(seen).toEqual([]);
  }, 60_000);

  const forms = () => page.locator("form.ask-person");
  const waiting = async (): Promise<string[]> => {
    const [{ id }] = (await screen.get("deliberations?protocol=forest")).data;
    const { seats } = await screen.get(`deliberations/${id}/waiting`);
    return seats.map(({ work }: Json) => work as string);
  };

  it("hands off to whoever reads the inbox: formulations, none of them, and an alignment", async () => {
    await page.getByRole("link", { name: "Inbox", exact: true }).click();
    await expect.poll(() => forms().count(), WAIT).toBe(2);
    expect(await page.locator(".inbox-item h2").first().textContent()).toBe(`${GOAL} (cycle 2)`);
    const send = forms().first().getByRole("button", { name: "Send the answer" });
    expect(await send.isDisabled()).toBe(true);
    // What is asked about stands open, and no mark of a prompt is shown.
    const shown = await forms().first().locator("details details[open] pre").allTextContents();
    expect(shown.join()).toMatch(/Reversal.*"pseudocode"/s);
    expect(await forms().first().textContent()).not.toMatch(/\[(BEGIN|END) [a-z]/);
    await forms().first().getByRole("textbox").fill("neg(ts_return(close, 4))\n\n neg(ts_return(close, 3)) ");
    await send.click();
    await expect.poll(() => forms().count(), WAIT).toBe(1);
    expect(await waiting()).toEqual(["divergence"]);
    await page.getByLabel("There are none to add").check();
    expect(await forms().getByRole("textbox").isDisabled()).toBe(true);
    await send.click();
    await expect.poll(() => forms().count(), WAIT).toBe(0);
    expect(await waiting()).toEqual([]);
    await page.reload();
    await expect
      .poll(screen.empties, WAIT)
      .toEqual([["Nothing waits for you.", "Questions of debates and seats that you hold appear here."]]);
    expect(await parley("forest", "cycle")).toContain("hand-off");
    await page.reload();
    await forms().first().waitFor(WAIT);
    expect(await waiting()).toContain("alignment");
    for (let left = await forms().count(); left > 0; left -= 1) {
      await forms().first().getByRole("textbox").fill("it is <b>steady</b>");
      expect(await send.isDisabled()).toBe(true);
      await forms().first().getByLabel("2: mostly").check();
      await send.click();
      await expect.poll(() => forms().count(), WAIT).toBe(left - 1);
    }
    expect(await waiting()).toEqual([]);
    expect(await parley("forest", "cycle")).toContain("Cycle 2:");
    const [{ id }] = (await screen.get("deliberations?protocol=forest")).data;
    // What was put in is in the journal, in the form that the step reads.
    const journal = JSON.stringify((await screen.get(`deliberations/${id}/events`)).data);
    const told = [{ formula: "neg(ts_return(close, 4))" }, { formula: "neg(ts_return(close, 3))" }];
    for (const text of [
      JSON.stringify({ candidates: told }),
      JSON.stringify({ candidates: [] }),
      JSON.stringify({ score: 2, reason: "it is <b>steady</b>" }),
    ])
      expect(journal).toContain(JSON.stringify(text).slice(1, -1));
    expect(seen).toEqual([]);
  }, 60_000);

  it("draws fruits and leaves over the cycles, and tells each candidate's outcome at each gate", async () => {
    const all = await cycles();
    const [{ id }] = (await screen.get("deliberations?protocol=forest")).data;
    await screen.open(`forest/${id}`);
    await expect.poll(() => screen.cells("Cycles"), WAIT).toEqual(cycleRows(all));
    expect(await screen.cells("Weather")).toEqual(weatherRows(all[1]));
    // A dot is the higher, the more there are: of each kind so far, and of each tree's slots.
    const first = kindsIn(all[0]);
    const sums = kindsIn(all[1]).map((figure, nth) => figure + (first[nth] ?? 0));
    for (const [title, values] of [
      ["Fruits and leaves so far, by cycle", first.flatMap((figure, nth) => [figure, sums[nth] ?? 0])],
      [
        "Slots of the trees, by cycle",
        slotsIn(all[0]).flatMap((figure, nth) => [figure, slotsIn(all[1])[nth] ?? 0]),
      ],
    ] as const) {
      const dots = page.getByRole("img", { name: title }).locator("circle");
      const heights = await dots.evaluateAll((list) => list.map((one) => -Number(one.getAttribute("cy"))));
      const ranked = (of: readonly number[]) => of.map((one) => of.filter((other) => other < one).length);
      expect([title, ranked(heights)]).toEqual([title, ranked(values)]);
    }
    await page.getByRole("group", { name: "Cycles", exact: true }).getByRole("link", { name: "2" }).click();
    await page.waitForURL(`**/d/${id}?view=forest`, WAIT);
    const { candidates } = all[1].section;
    const OUTCOMES = new Map<unknown, string>([
      ...([
        [true, "passed"],
        [false, "failed"],
        [null, "not judged"],
      ] as const),
    ]);
    const names = [
      ...new Set<string>(
        candidates.flatMap(({ gates }: Json) => gates.map((one: Json) => one.gate as string)),
      ),
    ];
    await expect
      .poll(() => screen.heads("Candidates"), WAIT)
      .toEqual(["Candidate", "Tree", "Kind", ...names, "Why"]);
    const WORDS = ["Fruit", "Golden leaf", "Normal leaf", "Dead leaf", "Sick leaf"];
    expect(await screen.cells("Candidates")).toEqual(
      candidates.map(({ formula, tree, classification, gates, reason }: Json) => [
        ...[formula, tree, WORDS[KINDS.indexOf(classification)]],
        ...names.map((name) => {
          const found = gates.find(({ gate }: Json) => gate === name);
          return found === undefined ? "" : OUTCOMES.get(found.passed);
        }),
        reason,
      ]),
    );
    const texts = (await screen.cells("Candidates")).flat();
    expect(texts).toContain("passed");
    expect(texts).toContain("failed");
    expect(seen).toEqual([]);
  }, 30_000);
});
