import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textDigest } from "../src/engine/index.ts";
import { DeliberationId, isEvent } from "../src/kernel/index.ts";
import { createSim, simServer, type SimServer } from "../src/sim/index.ts";
import { scratch, type Scratch } from "./support/scratch.ts";
import { called, mcpClient, mcpTestServer, MODES, refusal, stdioInProcess } from "./support/mcp.ts";
import { SIMS, SUM } from "./support/server.ts";

// What a coding agent's user meets: few tools, files and diffs that nobody retypes, commands, and ceilings.

const CORE = ["ask", "council", "debate", "show", "list", "wait", "estimate"];
const ASKING = ["ask", "council", "debate", "respond", "estimate"];
const PANEL = { question: SUM, models: [...SIMS], settings: { reactions: false } };
const KEY = `AKIA${"A".repeat(16)}`;

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-C", cwd, "-c", "user.email=a@example.com", "-c", "user.name=A", ...args], {
    encoding: "utf8",
  });

/** A project under Git, with changes since its one commit. */
function project(): Scratch & { readonly top: string } {
  const place = scratch({
    "project/src/a.ts": "one\n",
    "project/src/deep/b.ts": "bee\n",
    "project/docs/c.md": "sea\n",
    "outside/other.txt": "not yours\n",
  });
  const top = realpathSync(place.cwd);
  git(top, "init", "-qb", "main");
  git(top, "add", "-A");
  git(top, "commit", "-qm", "all");
  place.write("project/src/a.ts", "two\n");
  place.write("project/docs/c.md", "see\n");
  place.write("project/src/new.ts", "new\n");
  return Object.assign(place, { top });
}

/** What went with a question, as its opening has it. */
async function contextOf(here: Awaited<ReturnType<typeof stdioInProcess>>, id: string) {
  const { store } = here.context;
  const [opened] = await store.read(DeliberationId.parse(id));
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Error("it was not opened");
  return Promise.all(
    opened.data.context.map(async ({ name, text: digest }) => ({
      ...{ name, digest, text: await store.text(digest) },
    })),
  );
}

describe("the tools that are offered", () => {
  it("are seven in 12 KB at most, each with when to use it and what it takes", async () => {
    await using here = await stdioInProcess({ roots: ["/"] });
    const { tools } = await here.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(CORE);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(12_000);
    for (const { name, description = "", inputSchema, outputSchema } of tools) {
      expect(outputSchema).toMatchObject({ type: "object" });
      const opens = ["ask", "council", "debate"].includes(name);
      expect(/\bUse it\b.*\bUsually\b.*\bcalls\b.*\b(?:s|min)\b/.test(description), description).toBe(opens);
      if (opens || name === "wait")
        expect(Object.keys(outputSchema?.properties ?? {})).toEqual(["id", "status", "answer", "next"]);
      const fields = Object.keys(inputSchema.properties ?? {});
      expect(fields.includes("files") && fields.includes("diff"), name).toBe(ASKING.includes(name));
    }
  });

  it("are all, or those that are named, and an unknown name is refused with the nearest", async () => {
    for (const [names, count] of [
      [["all"], 15],
      [["core", "answer"], 8],
      [["wait"], 1],
    ] as const) {
      await using here = await stdioInProcess({ tools: names });
      const { tools } = await here.client.listTools();
      expect(tools.map(({ name }) => name)).toHaveLength(count);
      const { prompts } = await here.client.listPrompts();
      expect(prompts).toHaveLength(count === 1 ? 0 : 4);
    }
    await expect(stdioInProcess({ tools: ["counsil"] })).rejects.toThrow(/counsil.*the nearest is council;/);
  });

  it("are all over HTTP, or those of the address, and none of them reads files", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(15);
    expect(JSON.stringify(tools)).not.toMatch(/"(?:files|diff)"/);
    for (const name of ASKING)
      for (const given of [{ files: ["a"] }, { diff: "main" }, { settings: { files: ["a"] } }])
        expect(await refusal(client, name, { ...PANEL, ...given })).toMatch(/unknown key "?(?:files|diff)/);
    const few = await mcpClient({ ...server, url: server.url }, { path: "mcp?tools=wait,,show" });
    expect((await few.listTools()).tools.map(({ name }) => name)).toEqual(["show", "wait"]);
    await few.close();
    await expect(
      mcpClient(server, { path: "mcp?tools=sho" }).then((one) => one.listTools()),
    ).rejects.toThrow();
  });

  it("take by its name what models are not shown of a request, and nothing else", async () => {
    await using here = await stdioInProcess({});
    const given = { ...PANEL, seats: [{ name: "me", seat: "member" }], goal: "brevity" };
    expect(await called(here.client, "council", { ...given, strategy: "goal-seeking" })).toMatchObject({
      status: "waiting",
      next: expect.stringMatching(/parley seat \w+ in a terminal.*--tools core,answer/) as unknown,
    });
    expect(await refusal(here.client, "council", { ...given, modles: [] })).toContain("models");
    expect(await refusal(here.client, "ask", { ...PANEL, protocol: "council" })).toContain("protocol");
  });
});

describe.each(MODES)("files and a diff that a client in mode %j names", (mode) => {
  it("go with the question by their names and digests, uncommitted changes too", async () => {
    using place = project();
    await using here = await stdioInProcess({ roots: [place.top] }, { mode });
    const given = { ...PANEL, files: ["src/a.ts", join(place.top, "docs/c.md")], diff: "main" };
    const own = [{ name: "note", text: "mine" }];
    const { id } = await called(here.client, "council", { ...given, context: own });
    const context = await contextOf(here, id);
    expect(context.map(({ name }) => name.replace(/[\da-f]{12}/, "COMMIT"))).toEqual([
      ...["note", "src/a.ts", "docs/c.md", "diff since main (COMMIT)"],
    ]);
    for (const { digest, text } of context) expect(digest).toBe(textDigest(text));
    expect(context[1]?.text).toBe("two\n");
    expect(context[3]?.text).toMatch(/-sea\n\+see\n[^]*-one\n\+two\n[^]*\+new\n/);
    expect(await called(here.client, "estimate", { ...given, protocol: "council" })).toMatchObject({
      protocol: "council",
    });
  });

  it("are below the client's folders too, where it names some, and never beyond the server's (MCPS-9)", async () => {
    using place = project();
    const { top } = place;
    const files = ["src/a.ts", "docs/c.md", join(place.home, "outside/other.txt")];
    const readable = async (roots: readonly string[]) => {
      await using here = await stdioInProcess({ roots: [top] }, { mode, roots });
      const read: string[] = [];
      for (const path of files)
        await called(here.client, "estimate", { ...PANEL, files: [path] }).then(
          () => read.push(path),
          () => undefined,
        );
      return read;
    };
    const url = (path: string) => pathToFileURL(path).href;
    expect(await readable([url(join(top, "src"))])).toEqual(["src/a.ts"]);
    expect(await readable([url(place.home)])).toEqual(["src/a.ts", "docs/c.md"]);
    expect(await readable([url(join(place.home, "outside"))])).toEqual([]);
    expect(await readable(["https://example.org/src", "nonsense", url(join(top, "none"))])).toEqual([]);
    expect(await readable([])).toEqual([]);
    await using narrow = await stdioInProcess({ roots: [top] }, { mode, roots: [url(join(top, "src"))] });
    const { id } = await called(narrow.client, "council", { ...PANEL, diff: "main" });
    const [diff] = await contextOf(narrow, id);
    expect(diff?.text).toContain("src/new.ts");
    expect(diff?.text).not.toContain("docs/c.md");
  });
});

describe("what may not be read", () => {
  it.each([
    ["a file outside", { files: ["../outside/other.txt"] }, /name a file below/],
    ["an absolute path outside", { files: ["/etc/hostname"] }, /name a file below/],
    ["a link out", { files: ["out"] }, /name a file below/],
    ["a link to a folder out", { files: ["away/other.txt"] }, /name a file below/],
    ["what Git keeps", { files: [".git/config"] }, /name a file below/],
    ["it in other letters", { files: [".GIT/config"] }, /; name/],
    ["it by a way round", { files: ["src/../.git/config"] }, /name a file below/],
    ["a folder", { files: ["src"] }, /; name/],
    ["bytes", { files: ["bytes"] }, /; /],
    ["too much", { files: ["large"] }, /; /],
    ["a key by its name", { files: [".env"] }, /; name/],
    ["a key by its text", { files: ["notes"] }, /name another file/],
    ["nothing by that name", { files: ["src/aa.ts"] }, /src\/a\.ts|name a file below/],
    ["no path", { files: [""] }, /files/],
    ["a NUL", { files: ["src/a.ts\0.png"] }, /; name/],
    ["a thousand", { files: Array.from({ length: 1_000 }, () => "src/a.ts") }, /files/],
    ["an unknown revision", { diff: "nowhere" }, /no commit "nowhere".*; name/],
    ["an option of git", { diff: "--output=/tmp/x" }, /no commit.*; name/],
    ["a diff of nothing", { diff: "HEAD^{tree}" }, /no commit/],
    ["a list", { diff: ["main"] }, /diff/],
  ])("is refused with what to do, before anything is opened: %s", async (_, given, words) => {
    using place = project();
    symlinkSync(join(place.home, "outside/other.txt"), join(place.top, "out"));
    symlinkSync(join(place.home, "outside"), join(place.top, "away"));
    place.write("project/bytes", new Uint8Array([0, 159, 146, 150, 0]));
    place.write("project/large", "0123456789\n".repeat(200_000));
    place.write("project/.env", "TOKEN=1\n");
    place.write("project/notes", `key ${KEY}\n`);
    await using here = await stdioInProcess({ roots: [place.top] });
    const said = await refusal(here.client, "council", { ...PANEL, ...given });
    expect(said).toMatch(words);
    expect(said).not.toMatch(/not yours|TOKEN=1|AKIA/);
    expect((await called(here.client, "list")).data).toEqual([]);
    expect(here.log).toEqual([]);
  });

  it("is everything where the server has no folder, and a diff where there is no work tree", async () => {
    using place = project();
    await using none = await stdioInProcess({});
    expect(await refusal(none.client, "ask", { ...PANEL, files: ["src/a.ts"] })).toMatch(/--root DIR/);
    mkdirSync(join(place.home, "plain"));
    await using plain = await stdioInProcess({ roots: [join(realpathSync(place.home), "plain")] });
    expect(await refusal(plain.client, "ask", { ...PANEL, diff: "main" })).toMatch(
      /no Git work tree; name files/,
    );
  });

  it("is a diff without a change, and what it leaves out is named", async () => {
    using place = project();
    git(place.top, "add", "-A");
    git(place.top, "commit", "-qm", "more");
    await using here = await stdioInProcess({ roots: [place.top] });
    expect(await refusal(here.client, "ask", { ...PANEL, diff: "main" })).toMatch(
      /nothing has changed since "main"; name/,
    );
    place.write("project/.env", "TOKEN=1\n");
    const { id } = await called(here.client, "ask", { ...PANEL, diff: "main" });
    const context = await contextOf(here, id);
    expect(context).toMatchObject([{ name: "changes that are not in the diff" }]);
    expect(context[0]?.text).toMatch(/^"?\.env"?: .*keys/);
    expect(context[0]?.text).not.toContain("TOKEN");
  });
});

describe("prompts", () => {
  it("agree on the cost before anything that costs, and tell how files are named", async () => {
    await using here = await stdioInProcess({ roots: ["/"] });
    await using server = await mcpTestServer();
    await using remote = await mcpClient(server);
    const { prompts } = await here.client.listPrompts();
    expect(prompts.map(({ name }) => name).sort()).toEqual([
      ...["council", "review-diff", "second-opinion", "show"],
    ]);
    const said = async (client: typeof remote, name: string, given: Record<string, string> = {}) => {
      const { messages } = await client.getPrompt({ name, arguments: given });
      return JSON.stringify(messages);
    };
    for (const name of ["council", "review-diff", "second-opinion"]) {
      const words = await said(here.client, name, { question: "Which queue?" });
      expect(words.indexOf("estimate")).toBeLessThan(words.indexOf("Only when I agree"));
      expect(words).toContain("files");
      expect(await said(remote, name, { question: "Which queue?" })).toContain("as context");
    }
    expect(await said(here.client, "council", { question: "Which queue?" })).toContain("Which queue?");
    expect(await said(here.client, "review-diff", { base: "next", focus: "races" })).toMatch(
      /diff: \\"next\\".*races/,
    );
    expect(await said(here.client, "review-diff")).toMatch(/diff: \\"main\\"/);
    expect(await said(here.client, "second-opinion", { question: "Which queue?" })).toContain("Which queue?");
    expect(await said(here.client, "second-opinion")).toContain("what we are deciding now");
    expect(await said(here.client, "show", { id: "abc" })).toContain("abc");
    expect(await said(here.client, "show")).toContain("list");
  });
});

describe("ceilings", () => {
  let sim: SimServer;
  beforeAll(async () => {
    const listening = await simServer({ host: "127.0.0.1", port: 0, key: undefined, sim: createSim() });
    if (!listening.ok) throw new Error(listening.reason);
    sim = listening.server;
  });
  afterAll(() => sim.close());
  const priced = () =>
    scratch(
      {},
      { OPENAI_BASE_URL: `${sim.url}/v1`, OPENAI_API_KEY: "sk-test", PARLEY_MODELS: "openai/gpt-5.6" },
    );
  const asking = { question: SUM, settings: { reactions: false } };
  const budgetOf = async (here: Awaited<ReturnType<typeof stdioInProcess>>, id: string) => {
    const [opened] = await here.context.store.read(DeliberationId.parse(id));
    return opened && isEvent(opened, "deliberation-opened") ? opened.data.budget : undefined;
  };

  it("of one run are lowered by a call and not raised, in whatever way it asks", async () => {
    await using here = await stdioInProcess(
      { tools: ["all"] },
      {},
      { place: priced(), flags: { maxCostUsd: 1 } },
    );
    for (const [given, usd] of [
      [{}, 1],
      [{ maxCostUsd: 50 }, 1],
      [{ settings: { reactions: false, maxCostUsd: 50 } }, 1],
      [{ maxCostUsd: 0.5 }, 0.5],
    ] as const) {
      const { id } = await called(here.client, "respond", { ...asking, ...given });
      expect(await budgetOf(here, id), JSON.stringify(given)).toMatchObject({ usd });
      const fork = await called(here.client, "fork", { id, maxCostUsd: 50 });
      expect((await budgetOf(here, fork.id))?.usd).toBeLessThanOrEqual(1);
    }
  });

  it("of a day hold for all that is opened, also by the next process over the store", async () => {
    using place = priced();
    const shared = { ...place, [Symbol.dispose]: () => undefined };
    const own = { tools: ["all"], usdPerDay: 0.3 };
    let spent = 0;
    {
      await using here = await stdioInProcess(own, {}, { place: shared });
      const { id, cost } = await called(here.client, "respond", { ...asking, maxCostUsd: 0.2 });
      spent = cost.usd;
      expect(spent).toBeGreaterThan(0);
      expect(await budgetOf(here, id)).toMatchObject({ usd: 0.2 });
    }
    await using next = await stdioInProcess(own, {}, { place: shared });
    const { id } = await called(next.client, "respond", { ...asking, maxCostUsd: 50 });
    expect((await budgetOf(next, id))?.usd).toBeCloseTo(0.3 - spent, 6);
    await using poor = await stdioInProcess({ ...own, usdPerDay: spent }, {}, { place: shared });
    expect(await refusal(poor.client, "respond", { ...asking, maxCostUsd: 50 })).toMatch(
      /nothing left for today; /,
    );
  });
});
