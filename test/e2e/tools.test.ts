import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { built, eventsIn, resultIn, somewhere, type Somewhere } from "./parley.ts";

built();

const require = createRequire(import.meta.url);
const program = (name: string) => require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
const unruly = require.resolve("../support/mcp-server.mjs");

/** The user's own settings, with three servers from npm; each writes its process id beside them. */
function withServers({ home, folder, cwd }: Somewhere, more: Record<string, object> = {}) {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(cwd, "notes.txt"), "The queue takes ten thousand jobs a day.\n");
  // A shell that becomes the server, so that its process id is the server's.
  const run = (...args: string[]) => ({
    command: "sh",
    args: ["-c", `echo $$ >> "${join(folder, "pids")}"; exec "$@"`, "sh", process.execPath, ...args],
  });
  const servers = {
    everything: run(program("everything")),
    files: run(program("filesystem"), cwd),
    memory: { ...run(program("memory")), env: { MEMORY_FILE_PATH: join(folder, "graph.jsonl") } },
    unruly: run(unruly),
    ...more,
  };
  const file = join(home, "parley.yaml");
  writeFileSync(file, JSON.stringify({ mcpServers: servers, memory: "off" }));
  return {
    file,
    pids: () =>
      existsSync(join(folder, "pids"))
        ? readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number)
        : [],
  };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Which of them are alive after a while that a server needs to see that its client is gone. */
async function survivors(pids: readonly number[]): Promise<number[]> {
  for (let round = 0; round < 100 && pids.some(isAlive); round += 1) await sleep(50);
  return pids.filter(isAlive);
}

const calling = (tool: string, input?: object) =>
  input === undefined ? `calls=${tool}` : `calls=${tool}:${encodeURIComponent(JSON.stringify(input))}`;
/** A debate's agent with a simulated model that calls one tool in each reply. */
const agent = (role: string, tool: string, model: string) => ({
  ...{ id: `agent-${role}`, name: role, role, provider: "sim", model, enabled: true },
  tools: [{ name: tool }],
  toolCallLimit: 2,
});
const judge = { id: "judge-main", name: "Judge", role: "generalist", provider: "sim", model: "judy" };
const debateOf = (agents: readonly object[]) =>
  JSON.stringify({ agents, judge, debate: { rounds: 1, terminationCondition: { type: "fixed" } } });
const PROBLEM = "Design a job queue. It must not lose a job.";

const Called = z.object({ by: z.string(), tool: z.string(), result: z.unknown() });
async function callsOf(place: Somewhere, id: string) {
  const events = eventsIn(await place.run(["export", id, "--format", "jsonl"]));
  return events.flatMap(({ type, data }) => (type === "tool-called" ? [Called.parse(data)] : []));
}

describe("servers of tools", () => {
  it("serve a debate, which replays without them", async () => {
    await using place = somewhere();
    const { file, pids } = withServers(place);
    const notes = { path: join(place.cwd, "notes.txt") };
    const known = { entities: [{ name: "queue", entityType: "system", observations: ["durable"] }] };
    writeFileSync(
      join(place.cwd, "debate.json"),
      debateOf([
        agent("architect", "everything/get-sum", `ada?${calling("get-sum", { a: 19, b: 23 })}`),
        agent("performance", "files/*", `bo?${calling("read_text_file", notes)}`),
        agent("security", "memory/create_entities", `cy?${calling("create_entities", known)}`),
      ]),
    );
    const ended = await place.run(["debate", PROBLEM, "-c", "debate.json", "--json", "-q"]);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    const result = resultIn(ended);
    expect([result.status, result.degraded]).toEqual(["answered", []]);
    const calls = await callsOf(place, result.id);
    const results = (by: string) =>
      calls.filter((one) => one.by === by).map((one) => JSON.stringify(one.result));
    // A proposal, two critiques and a refinement each.
    expect(results("agent-architect")).toEqual(
      Array(4).fill(JSON.stringify({ text: "The sum of 19 and 23 is 42." })),
    );
    for (const one of results("agent-performance")) expect(one).toContain("ten thousand jobs a day");
    expect(results("agent-security")[0]).toContain('"durable"');
    expect(calls).toHaveLength(12);
    expect(pids()).toHaveLength(3);
    expect(await survivors(pids())).toEqual([]);

    rmSync(file);
    const replayed = await place.run(["replay", result.id, "--json"]);
    expect([replayed.code, replayed.stderr]).toEqual([0, ""]);
    const forked = await place.run(["fork", result.id, "--json", "-q"]);
    expect(resultIn(forked).answer).toBe(result.answer);
    expect(pids()).toHaveLength(3);
  }, 60_000);

  it.each([
    ["everything/echo", calling("echo", { message: "from a respondent" }), "Echo: from a respondent"],
    ["files/list_allowed_directories", calling("list_allowed_directories"), "Allowed directories"],
    ["memory/read_graph", calling("read_graph"), "entities"],
  ])(
    "serve a respondent and members: %s",
    async (tool, wish, said) => {
      await using place = somewhere();
      const { pids } = withServers(place);
      const options = ["--tools", tool, "--json", "-q"];
      const answered = resultIn(
        await place.run(["respond", "What is there?", "-m", `sim/ada?${wish}`, ...options]),
      );
      expect(answered.status).toBe("answered");
      expect(answered.answer).toContain(said);
      const models = `sim/ada?${wish},sim/bo?${wish},sim/cy`;
      for (const command of ["ask", "council"]) {
        const asked = resultIn(await place.run([command, "What is 17 * 23?", "-m", models, ...options]));
        expect([asked.status, asked.answer?.includes("391")]).toEqual(["answered", true]);
        expect((await callsOf(place, asked.id)).map(({ by }) => by).sort()).toEqual([
          "analyst",
          "pragmatist",
        ]);
        expect((await place.run(["replay", asked.id])).code).toBe(0);
      }
      expect(await survivors(pids())).toEqual([]);
    },
    60_000,
  );

  it("killed in a call are a loss that is named, and the debate ends", async () => {
    await using place = somewhere();
    const { pids } = withServers(place);
    const long = calling("trigger-long-running-operation", { duration: 25, steps: 1 });
    const tool = "everything/trigger-long-running-operation";
    writeFileSync(
      join(place.cwd, "debate.json"),
      debateOf([
        agent("architect", tool, `ada?${long}`),
        agent("performance", "files/*", "bo"),
        agent("kiss", "memory/*", "cy"),
      ]),
    );
    const debate = place.start(["debate", PROBLEM, "-c", "debate.json", "--on-degraded", "refuse"]);
    // Whichever of its calls it is in: the others start the server anew, three times in vain.
    const killing = (async () => {
      const killed = new Set<number>();
      await debate.seen("stderr", /calls everything__trigger/);
      const [first] = await everythingIn(place, pids);
      for (let ended = false; !ended; await sleep(100)) {
        for (const pid of await everythingIn(place, pids)) {
          if (killed.has(pid)) continue;
          if (pid !== first) await sleep(500);
          process.kill(pid, "SIGKILL");
          killed.add(pid);
        }
        ended = await Promise.race([debate.ended.then(() => true), sleep(0).then(() => false)]);
      }
      return killed.size;
    })();
    const ended = await debate.ended;
    expect(ended.code).toBe(6);
    expect(await killing).toBeGreaterThan(0);
    const shown = resultIn(await place.run(["show", "--json"]));
    expect(shown.status).toBe("answered-degraded");
    expect(shown.degraded[0]).toEqual({
      what: "the tool everything__trigger-long-running-operation of agent-architect",
      why: expect.stringMatching(/^the server everything did not carry the call out: .*closed/i) as string,
    });
    expect((await place.run(["replay", shown.id])).code).toBe(0);
    expect((await place.run(["show"])).stdout).toMatch(/the tool everything__trigger-long-running-operation/);
    expect(await survivors(pids())).toEqual([]);
  }, 60_000);

  it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
    "do not outlive a debate that ends by %s, which another process takes up again",
    async (signal) => {
      await using place = somewhere();
      const { file, pids } = withServers(place);
      const text = readFileSync(file, "utf8");
      writeFileSync(
        join(place.cwd, "debate.json"),
        debateOf([
          agent("architect", "unruly/hang", `ada?${calling("hang")}`),
          agent("performance", "everything/*", `bo?${calling("get-tiny-image")}`),
          agent("security", "files/*", `cy?${calling("list_allowed_directories")}`),
          agent("kiss", "memory/*", `dan?${calling("read_graph")}`),
        ]),
      );
      const debate = place.start(["debate", PROBLEM, "-c", "debate.json"]);
      await debate.seen("stderr", /agent-architect: calls unruly__hang/);
      await debate.seen("stderr", /agent-kiss: proposal done/);
      const running = pids();
      expect(running.filter(isAlive)).toHaveLength(4);
      debate.kill(signal);
      await debate.ended;
      expect(await survivors(running)).toEqual([]);
      // Now there is no such server, which is a loss of its tool alone.
      writeFileSync(file, text.replace('"unruly"', '"elsewhere"'));
      const resumed = resultIn(await place.run(["resume", "--json", "-q"]));
      expect(resumed.status).toBe("answered-degraded");
      expect([...new Set(resumed.degraded.map(({ what, why }) => `${what}: ${why}`))]).toEqual([
        "the tool unruly__hang of agent-architect: the server unruly cannot be used: no server unruly is configured here",
      ]);
      expect((await place.run(["replay", resumed.id])).code).toBe(0);
      expect(await survivors(pids())).toEqual([]);
    },
    60_000,
  );

  it("that cannot be started are refused before anything is recorded", async () => {
    await using place = somewhere();
    withServers(place, { gone: { command: "parley-no-such-command" } });
    const ended = await place.run(["respond", "Hello?", "-m", "sim/ada", "--tools", "gone/*"]);
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      2,
      "",
      "parley: the server gone cannot be used: spawn parley-no-such-command ENOENT.\nTry: check its entry in mcp-servers, or leave its tools out\n",
    ]);
    expect((await place.run(["list", "--json"])).stdout.trim()).toBe("[]");
    const listed = await place.run(["tools"]);
    expect(listed.code).toBe(1);
    expect(listed.stdout).toMatch(/^memory\/read_graph /m);
    expect(listed.stdout).toMatch(/^FAIL {2}the server gone cannot be used/m);
  }, 60_000);
});

/** The processes of the server `everything` that are alive. */
async function everythingIn(place: Somewhere, pids: () => number[]): Promise<number[]> {
  const { execFileSync } = await import("node:child_process");
  return pids().filter((pid) => {
    if (!isAlive(pid)) return false;
    try {
      return execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).includes(
        "server-everything",
      );
    } catch {
      return false;
    }
  });
}
