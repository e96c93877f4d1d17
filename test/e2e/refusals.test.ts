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

const project = (text: string) => (place: Somewhere) => writeFileSync(join(place.cwd, "parley.yaml"), text);

const RESPOND = ["respond", QUESTION, "--model", "sim/ada"];

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
    const result = resultIn(ended);
    expect(result).toMatchObject({ status: "answered", finalAnswer: "391", simulated: true });
    // Seven replies, and three requests that were sent again. (BILL-1)
    expect(result.calls + result.unknown).toBe(10);
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
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "usage" }, exit: 2 });
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
