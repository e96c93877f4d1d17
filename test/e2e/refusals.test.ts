import { createServer } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import {
  built,
  isProblem,
  QUESTION,
  membersIn,
  resultIn,
  simServer,
  somewhere,
  type Somewhere,
} from "./parley.ts";

built();

type Case = {
  readonly what: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly says: RegExp;
  readonly env?: Record<string, string>;
  readonly before?: (place: Somewhere) => void;
};

const project = (text: string) => (place: Somewhere) => writeFileSync(join(place.cwd, "parley.yaml"), text);

const RESPOND = ["respond", QUESTION, "--model", "sim/ada"];

const cases: readonly Case[] = [
  {
    what: "an empty question",
    args: ["ask", "  "],
    code: 2,
    says: /the question is empty\.\nTry: parley "Which database fits\?"/,
  },
  {
    what: "an open question to a debate without a model",
    args: ["debate", "Should I learn Rust?"],
    code: 2,
    says: /no model is connected.*\nTry: parley keys set openai; or ollama pull/,
  },
  {
    what: "an unknown provider",
    args: [QUESTION, "-m", "opnai/gpt-5"],
    code: 2,
    says: /no provider "opnai"/,
  },
  { what: "a reference that is none", args: [QUESTION, "-m", "gpt"], code: 2, says: /provider\/model/ },
  {
    what: "a provider without its key",
    args: [QUESTION, "-m", "openai/gpt-5"],
    code: 4,
    says: /set OPENAI_API_KEY/,
  },
  {
    what: "an unknown parameter",
    args: [QUESTION, "-m", "sim/a?skil=1"],
    code: 2,
    says: /did you mean "skill"/,
  },
  { what: "a parameter out of range", args: [QUESTION, "-m", "sim/a?skill=2"], code: 2, says: /skill/ },
  {
    what: "an unknown strategy",
    args: [QUESTION, "--strategy", "balancd"],
    code: 2,
    says: /nearest is balanced/,
  },
  {
    what: "a strategy without its goal",
    args: [QUESTION, "--strategy", "goal-seeking"],
    code: 2,
    says: /goal-seeking needs a goal/,
  },
  { what: "an unknown flag", args: [QUESTION, "--modle", "x"], code: 2, says: /unknown option '--modle'/ },
  { what: "a wrong value of a flag", args: [QUESTION, "--mode", "both"], code: 2, says: /consensus.*vote/ },
  { what: "a misspelt command", args: ["lsit"], code: 2, says: /parley list/ },
  {
    what: "two forms of output at once",
    args: [QUESTION, "--json", "--events"],
    code: 2,
    says: /cannot be used with/,
  },
  { what: "an unknown deliberation", args: ["show", "nosuchthing"], code: 2, says: /parley list/ },
  { what: "a fork of nothing", args: ["fork", "nosuchthing"], code: 2, says: /no run/ },
  {
    what: "a missing context file",
    args: [QUESTION, "--context", "nope.md"],
    code: 2,
    says: /nope\.md does not exist/,
  },
  {
    what: "an empty folder as context",
    args: [QUESTION, "--context", "."],
    code: 2,
    says: /\. has no text file/,
  },
  {
    what: "a binary file as context",
    args: [QUESTION, "--context", "blob"],
    before: (place) => writeFileSync(join(place.cwd, "blob"), Buffer.from([0, 1, 2, 255, 254, 0])),
    code: 2,
    says: /blob/,
  },
  {
    what: "an unknown key in a file",
    args: [QUESTION],
    before: project("strateg: balanced\n"),
    code: 2,
    says: /strategy/,
  },
  {
    what: "a malformed file",
    args: [QUESTION],
    before: project("models: [a\nb: {"),
    code: 2,
    says: /parley\.yaml:\d+/,
  },
  {
    what: "a secret in a file",
    args: [QUESTION],
    before: project("api-key: sk-1\n"),
    code: 2,
    says: /environment/,
  },
  {
    what: "a money cap and an unknown price",
    args: [QUESTION, "-m", "openrouter/x/y", "--max-cost-usd", "1"],
    env: { OPENROUTER_API_KEY: "k" },
    code: 2,
    says: /price of openrouter\/x\/y is unknown/,
  },
  {
    what: "a home below a file",
    args: ["list"],
    env: { PARLEY_HOME: "/dev/null/x" },
    code: 2,
    says: /store/,
  },
  {
    what: "a home where nothing can be made",
    args: ["list"],
    env: { PARLEY_HOME: "/proc/nothere" },
    code: 2,
    says: /store/,
  },
  {
    what: "a store that is none",
    args: ["list"],
    env: { PARLEY_STORE: "/etc/passwd" },
    code: 2,
    says: /\/etc\/passwd/,
  },
  {
    what: "a server that is not there",
    args: ["list"],
    env: { PARLEY_DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" },
    code: 2,
    says: /127\.0\.0\.1:1/,
  },
  {
    what: "a server's address of another kind",
    args: ["list"],
    env: { PARLEY_DATABASE_URL: "mysql://localhost/x" },
    code: 2,
    says: /postgres/,
  },
  { what: "a response to nothing", args: ["respond"], code: 2, says: /the question is empty/ },
  {
    what: "a response to an empty question",
    args: ["respond", "  "],
    code: 2,
    says: /the question is empty/,
  },
  {
    what: "a conversation that is none",
    args: [...RESPOND, "--continue", "nosuchthing"],
    code: 2,
    says: /no run "nosuchthing"/,
  },
  {
    what: "a temperature that is no number",
    args: [...RESPOND, "--temperature", "hot"],
    code: 2,
    says: /temperature must be a number from 0 to 2 \(got "hot"\)/,
  },
  {
    what: "a second temperature out of range",
    args: [...RESPOND, "--respondent-b", "--temperature-b", "2.5"],
    code: 2,
    says: /temperature-b must be a number from 0 to 2 \(got 2\.5\)/,
  },
  {
    what: "a second respondent that is described, and not asked for",
    args: [...RESPOND, "--model-b", "sim/bo"],
    code: 2,
    says: /--model-b needs a second model, and --respondent-b is not given\.\nTry: add --respondent-b/,
  },
  {
    what: "a second model of no provider",
    args: [...RESPOND, "--respondent-b", "--model-b", "nope/b"],
    code: 2,
    says: /no provider "nope"/,
  },
  {
    what: "a judge of no provider",
    args: [...RESPOND, "--judge", "nope/x"],
    code: 2,
    says: /no provider "nope"/,
  },
  {
    what: "a judge that cannot be",
    args: [...RESPOND, "--judge", "sim/judy?skil=1"],
    code: 2,
    says: /did you mean "skill"/,
  },
  {
    what: "a judge without its key",
    args: [...RESPOND, "--judge", "openai/gpt-5"],
    code: 4,
    says: /set OPENAI_API_KEY/,
  },
  { what: "a user that is no name", args: [...RESPOND, "--user", "../ada"], code: 2, says: /--user ada/ },
  {
    what: "a folder that is not there",
    args: [...RESPOND, "--folder", "nope"],
    code: 2,
    says: /nope is not there/,
  },
  { what: "a question to chat", args: ["chat", "hello"], code: 2, says: /too many arguments for 'chat'/ },
  {
    what: "feedback that is neither up nor down",
    args: ["feedback", "x", "sideways"],
    code: 2,
    says: /rating must be up or down \(got "sideways"\)/,
  },
  {
    what: "feedback that says nothing",
    args: ["feedback", "x"],
    code: 2,
    says: /a rating or an --outcome is missing/,
  },
  {
    what: "feedback on nothing",
    args: ["feedback", "nosuchthing", "up"],
    code: 2,
    says: /no run "nosuchthing"/,
  },
  {
    what: "a folder that cannot be made",
    args: ["bench", "tasks.jsonl", "--models", "sim/a,sim/b,sim/c", "--out", "/proc/nowhere/x"],
    before: (place) =>
      writeFileSync(
        join(place.cwd, "tasks.jsonl"),
        '{"id": "a", "question": "Is 2 + 2 equal to 4?", "answer": "yes"}\n',
      ),
    code: 2,
    says: /\/proc\/nowhere\/x cannot be written/,
  },
  { what: "a missing story", args: ["test", "nope.yaml"], code: 2, says: /nope\.yaml does not exist/ },
  {
    what: "a story without what it needs",
    args: ["test", "s.yaml"],
    before: (place) =>
      writeFileSync(
        join(place.cwd, "s.yaml"),
        "story_id: X\ntitle: x\nneeds: [judge]\nturns:\n  - query: hi\n",
      ),
    code: 2,
    says: /needs a judge, and none is configured\.\nTry: set judge to provider\/model/,
  },
];

describe("bad input is refused in one line, and another that says what to do", () => {
  it.each(cases)("$what", async ({ args, code, says, env, before }) => {
    await using place = somewhere();
    before?.(place);
    const ended = await place.run(args, env);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
    expect(ended.stderr).toMatch(says);
    expect(isProblem(ended.stderr)).toBe(true);
    expect(ended.stderr).not.toContain("hunter2");
  });
});

describe("what goes wrong on the way", () => {
  it("refuses a store of a newer version, and leaves it as it is", async () => {
    await using place = somewhere();
    const { id } = resultIn(await place.run([QUESTION, "--json", "--quiet"]));
    const db = new Database(join(place.home, "parley.db"));
    const [row] = db.pragma("user_version") as { user_version: number }[]; // a pragma's own shape
    db.exec(`pragma user_version = ${(row?.user_version ?? 0) + 1}`);
    const newer = await place.run(["list"]);
    expect(newer).toMatchObject({ code: 2, stdout: "" });
    expect(newer.stderr).toMatch(/install a newer Parley/);
    db.exec(`pragma user_version = ${row?.user_version}`);
    db.close();
    expect(resultIn(await place.run(["show", id, "--json"])).id).toBe(id);
  });

  it("ends with 3, the provider's words and the next step when the prompt is longer than the context", async () => {
    await using place = somewhere();
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message, code: "context_length_exceeded" } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const ended = await place.run([QUESTION, "-m", "openai/a,openai/b", "--quiet"], {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    });
    server.closeAllConnections();
    server.close();
    expect(ended).toMatchObject({ code: 3, stdout: "" });
    expect(ended.stderr).toMatch(/This model's maximum context length[^]*Try: shorten the question/);
    expect(isProblem(ended.stderr)).toBe(true);
  });

  it("ends with 4 on a wrong key, and with 5 when members hang past the time", async () => {
    await using place = somewhere();
    const locked = await simServer(place, { PARLEY_SIM_KEY: "right" });
    const wrong = await place.run([QUESTION, "-m", "openai/a,openai/b", "--quiet"], {
      OPENAI_BASE_URL: `${locked.url}/v1`,
      OPENAI_API_KEY: "wrong",
    });
    expect(wrong).toMatchObject({ code: 4, stdout: "" });
    expect(wrong.stderr).toMatch(/\(HTTP 401\)[^]*Try: check the provider's key/);
    await locked.stop();
    const open = await simServer(place);
    const env = { OPENAI_BASE_URL: `${open.url}/v1` };
    const hanging = await place.run(
      [QUESTION, "-m", "openai/a?hang=1,openai/b?hang=1", "--timeout", "1", "--quiet"],
      env,
    );
    expect(hanging).toMatchObject({ code: 5, stdout: "" });
    const degraded = await place.run(
      [QUESTION, "-m", "openai/a,openai/b?http=400,openai/c", "--quiet", "--json", "--on-degraded", "refuse"],
      env,
    );
    expect(degraded.code).toBe(6);
    expect(resultIn(degraded)).toMatchObject({ status: "answered-degraded", finalAnswer: "391" });
    await open.stop();
  });

  it.each([
    ["OpenAI", (url: string) => ({ OPENAI_BASE_URL: `${url}/v1` }), "openai"],
    ["Anthropic", (url: string) => ({ ANTHROPIC_BASE_URL: url }), "anthropic"],
    ["Ollama", (url: string) => ({ OLLAMA_HOST: url }), "ollama"],
  ])("answers over the %s wire through 429s, 500s and cut streams", async (_, env, provider) => {
    await using place = somewhere();
    const server = await simServer(place);
    const models = ["a?http=429&retry-after=1&times=1", "b?http=500&times=1", "c?cut=60&times=1"].map(
      (name) => `${provider}/${name}`,
    );
    const ended = await place.run(
      ["council", QUESTION, "-m", models.join(","), "--json", "--quiet"],
      env(server.url),
    );
    expect(ended.code).toBe(0);
    expect(resultIn(ended)).toMatchObject({
      status: "answered",
      finalAnswer: "391",
      simulated: true,
      calls: 7,
    });
    await server.stop();
  });

  it("follows up neither a turn that is open nor one that has been followed, and says what can be", async () => {
    await using place = somewhere();
    const [, , , , ...quiet] = [...RESPOND, "--no-critic", "--no-memory", "--quiet"];
    const ask = [...RESPOND, ...quiet];
    const slow = ["respond", QUESTION, "--model", "sim/ada?latency=20000", ...quiet];
    const dying = place.start([...slow, "--events"]);
    const open = await dying.seen("stdout", /"deliberation":"([a-z0-9]+)"/);
    dying.kill("SIGKILL");
    await dying.ended;
    const early = await place.run([...ask, "--continue", open]);
    expect(early).toMatchObject({ code: 2, stdout: "" });
    expect(early.stderr).toMatch(/has not come to its end, so nothing can follow it yet\.\nTry: resume /);
    const { id: first } = resultIn(await place.run([...ask, "--json"]));
    const { id: second } = resultIn(await place.run([...ask, "--json", "--continue", first]));
    const late = await place.run(["respond", "And 18 * 23?", ...ask.slice(2), "--continue", first]);
    expect(late).toMatchObject({ code: 2, stdout: "" });
    expect(late.stderr).toMatch(
      /this turn already has a follow-up: .*\nTry: continue from its latest turn, /,
    );
    expect(late.stderr).toContain(second);
    expect([early, late].map(({ stderr }) => isProblem(stderr))).toEqual([true, true]);
  });

  it("takes no feedback on a second answer that nobody gave", async () => {
    await using place = somewhere();
    const { id } = resultIn(await place.run([...RESPOND, "--no-critic", "--json", "--quiet"]));
    const refused = await place.run(["feedback", id, "up", "--second"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/no second respondent has answered/);
    expect(isProblem(refused.stderr)).toBe(true);
  });

  it("answers through a compatible server that a project names once it is trusted, and asks nobody before", async () => {
    await using place = somewhere();
    const server = await simServer(place);
    mkdirSync(place.cwd, { recursive: true });
    project(
      `compatible:\n  lab: { url: "${server.url}/v1", family: sim, local: true }\nmodels: [compatible/lab/a, compatible/lab/b, compatible/lab/c]\n`,
    )(place);
    const refused = await place.run([QUESTION, "--json", "--quiet"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /is not trusted as it is now, and names compatible\.lab: .*\nTry: parley trust /,
    );
    expect((await place.run(["trust"])).code).toBe(0);
    const ended = await place.run([QUESTION, "--json", "--quiet"]);
    const result = resultIn(ended);
    expect(result).toMatchObject({ finalAnswer: "391", cost: { usd: 0, source: "free" } });
    expect(membersIn(result)).toMatchObject([{ family: "sim" }, {}, {}]);
    await server.stop();
  });
});
