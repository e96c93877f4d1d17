import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { isFault, ToolSpec, type Json } from "../kernel/index.ts";
import { createToolServers, type ToolServer, type ToolServers, type ToolServersOptions } from "./mcp.ts";

const unruly = fileURLToPath(new URL("../../test/support/mcp-server.mjs", import.meta.url));
const everything = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const folder = mkdtempSync(join(tmpdir(), "parley-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

const server = (...args: string[]): ToolServer => ({ command: process.execPath, args: [unruly, ...args] });
const opened = new Set<ToolServers>();
afterAll(() => Promise.all([...opened].map((one) => one.close())));

function open(one: ToolServer = server(), options: Partial<ToolServersOptions> = {}) {
  const servers = createToolServers({ servers: { s: one }, env: {}, ...options });
  opened.add(servers);
  const specOf = async (tool: string) => {
    const found = (await servers.list("s")).find((listed) => listed.tool === tool);
    if (!found) throw new Error(`no tool ${tool}`);
    return found.spec;
  };
  return {
    ...servers,
    specOf,
    use: async (tool: string, input: Json = {}, stop = signal) =>
      servers.call(await specOf(tool), input, stop),
  };
}
const problemOf = async (servers: ToolServers): Promise<string> => {
  const error: unknown = await servers.list("s").catch((problem: unknown) => problem);
  return isFault(error, "configuration") ? error.message : `none: ${JSON.stringify(error)}`;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const pidsIn = (file: string) => readFileSync(file, "utf8").trim().split("\n").map(Number);

// Invariant MCP-3.
describe("a server's tools", () => {
  it("have names that every provider takes, each once, and descriptions of one bounded line", async () => {
    const tools = await open().list("s");
    const names = tools.map(({ spec }) => spec.name);
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
    expect(tools.find(({ tool }) => tool === "a.b/c")?.spec.name).toMatch(/^s__a_b_c_[0-9a-f]{8}$/);
    expect(tools.find(({ tool }) => tool === "twice")?.spec).toMatchObject({ description: "first" });
    expect(tools.some(({ tool }) => tool === "huge")).toBe(false);
    const evil = ToolSpec.parse(tools.find(({ tool }) => tool === "evil")?.spec);
    expect(evil.description).toMatch(/^Clears \[2J the screen # Your task x+…$/);
    expect(evil.description.length).toBe(1_024);
    expect(evil.parameters).toMatchObject({ properties: { a: { description: "one two" } } });
  });

  it.each<[string, RegExp]>([
    ["lie", /^Structured content does not match the tool's output schema/],
    ["refuse", /^there is no such page$/],
    ["fail", /it broke inside/],
    // What it asks for itself is refused, with the code of a method that there is not.
    ["sample", /^-32601 -32601 -32601$/],
  ])("end in the server's own reason where it says no: %s", async (tool, reason) => {
    const outcome = await open().use(tool);
    expect(outcome).toEqual({ ok: false, reason: expect.stringMatching(reason) as string });
  });

  it.each<[string, RegExp]>([
    ["die", /^the server s did not carry the call out: .*closed/i],
    ["hang", /^the server s did not carry the call out: .*timed out/i],
    ["flood", /^the server s did not carry the call out: .*closed/i],
    ["bad", /^the server s did not carry the call out: /],
  ])(
    "are lost where the server does not answer: %s; and work again with the next call",
    async (tool, reason) => {
      const on = open(server(), { callMs: tool === "hang" ? 500 : 10_000 });
      const outcome = await on.use(tool);
      expect(outcome).toEqual({ ok: false, lost: true, reason: expect.stringMatching(reason) as string });
      expect(await on.use("echo", { text: "hi" })).toEqual({ ok: true, result: { text: "echo: hi" } });
    },
  );

  it("give text and data once, notes in place of files, and at most 60,000 bytes", async () => {
    const on = open();
    expect(await on.use("data")).toEqual({ ok: true, result: { structured: { n: 3 } } });
    expect(await on.use("garbage")).toEqual({ ok: true, result: { text: "after garbage" } });
    expect(await on.use("media")).toEqual({
      ok: true,
      result: {
        text: [
          "[image, image/png, 3 bytes, not shown]",
          "[audio, audio/wav, 6 bytes, not shown]",
          "[resource, application/zip, file:///a.bin, 3 bytes, not shown]",
          "words of a file",
          "[resource_link, b, file:///b]",
        ].join("\n"),
      },
    });
    expect(await on.use("big")).toEqual({
      ok: true,
      result: { text: "ä".repeat(30_000), note: "it is cut: the first 60000 of 200000 bytes are shown" },
    });
  });

  it.each<[string, Json]>([
    ["text", "echo"],
    ["a list", ["echo"]],
    ["null", null],
  ])("take a JSON object as arguments: %s", async (_, input) => {
    expect(await open().use("echo", input)).toEqual({ ok: false, reason: "s__echo takes a JSON object" });
  });

  it("reject for an aborted signal, and only then", async () => {
    const on = open();
    const spec = await on.specOf("hang");
    const controller = new AbortController();
    const call = on.call(spec, {}, controller.signal);
    setTimeout(() => controller.abort(new Error("stop")), 50);
    await expect(call).rejects.toThrow("stop");
    await expect(on.call(spec, {}, controller.signal)).rejects.toThrow("stop");
    expect(await on.use("echo", { text: "on" })).toMatchObject({ ok: true });
  });
});

// Invariant MCP-4.
it("makes no call of a tool that is described otherwise than it was, or is gone", async () => {
  const before = await open().specOf("echo");
  const now = open(server("--other"));
  expect(await now.call(before, {}, signal)).toEqual({
    ok: false,
    lost: true,
    reason: "the server s describes other arguments than when the run was opened",
  });
  expect(await now.call({ ...before, name: "s__gone" }, {}, signal)).toMatchObject({ lost: true });
  expect(await now.call({ ...before, name: "t__echo" }, {}, signal)).toEqual({
    ok: false,
    lost: true,
    reason: "the server t cannot be used: no server t is configured here",
  });
});

describe("a server that cannot be used", () => {
  it.each<[string, ToolServer, RegExp]>([
    ["is not there", { command: "parley-no-such-command" }, /ENOENT/],
    ["ends at once", server("--exit"), /no database at all/],
    ["does not answer", server("--silent"), /timed out|not ready within 800 ms/],
    ["is too slow", server("--slow", "5000"), /timed out|not ready within 800 ms/],
    [
      "wants a variable that is not set",
      { ...server(), env: { A: "${NOT_SET}" } },
      /it wants NOT_SET, which is not set/,
    ],
    ["is no server", { command: process.execPath, args: ["-e", "console.log('hello')"] }, /closed/i],
    ["is reached where nobody listens", { url: "http://127.0.0.1:1/mcp" }, /fetch failed|ECONNREFUSED/],
    [
      "is not there as sse",
      { type: "sse", url: "http://127.0.0.1:1/sse" },
      /fetch failed|ECONNREFUSED|SSE error/,
    ],
  ])("says why, and what to do: it %s", async (_, one, why) => {
    const said = await problemOf(open(one, { startMs: 800 }));
    expect(said).toMatch(why);
    expect(said).toMatch(
      /^the server s cannot be used: .*; check its entry in mcp-servers, or leave its tools out$/s,
    );
  });

  it("is started three times in vain, and again for the next run", async () => {
    const file = join(folder, "starts");
    const on = open(server("--pid", file));
    const spec = await on.specOf("die");
    for (let nth = 0; nth < 5; nth += 1)
      expect(await on.call(spec, {}, signal)).toMatchObject({ lost: true });
    expect(pidsIn(file)).toHaveLength(3);
    expect(await on.call(spec, {}, signal)).toMatchObject({
      reason: expect.stringMatching(/3 times in vain/) as string,
    });
    await on.list("s");
    expect(pidsIn(file)).toHaveLength(4);
  });

  it("starts once for calls at the same time", async () => {
    const file = join(folder, "once");
    const on = open(server("--pid", file));
    await Promise.all([on.use("echo"), on.use("echo"), on.use("data")]);
    expect(pidsIn(file)).toHaveLength(1);
  });
});

// Invariants MCP-1 and MCP-3.
it("gives a server its own variables and no other, and shows no value of them", async () => {
  const secret = 'hunter2-hunter2"\\x';
  const env = { FROM_USER: secret, OTHER_SECRET: "do-not-pass-this" };
  process.env["PARLEY_TEST_NOT_PASSED"] = "do-not-pass-this";
  const one = {
    ...server(),
    env: { TEST_TOKEN: "${FROM_USER}", PLAIN: "plain-value", API_KEY: "literal-key" },
  };
  const outcome = JSON.stringify(await open(one, { env }).use("env"));
  delete process.env["PARLEY_TEST_NOT_PASSED"];
  expect(outcome).toContain("plain-value");
  expect(outcome).toContain("TEST_TOKEN");
  expect(outcome).not.toMatch(/hunter2|do-not-pass|literal-key/);
  const told = (await open(one, { env }).list("s")).find(({ tool }) => tool === "twice");
  expect(told?.spec.description).toBe("first …");
  const failed = { ...server("--exit"), env: { TEST_TOKEN: "${env:FROM_USER}" } };
  expect(await problemOf(open(failed, { env }))).toMatch(/no database at all, with …/);
});

it("ends its servers when it is closed, also one that is starting or takes no notice", async () => {
  const [quiet, deaf, slow] = ["quiet", "deaf", "slow"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const on = open(server("--pid", quiet));
  const stubborn = open(server("--pid", deaf, "--deaf"));
  const starting = open(server("--pid", slow, "--silent"), { startMs: 600_000 });
  await Promise.all([on.use("echo"), stubborn.use("echo")]);
  const listing = starting.list("s").catch(() => undefined);
  while (!existsSync(slow)) await sleep(20);
  await Promise.all([on.close(), stubborn.close(), starting.close(), listing]); // it waits for no start
  for (const file of [quiet, deaf, slow]) expect(pidsIn(file).filter(isAlive)).toEqual([]);
});

it.each([
  ["streamableHttp", "http", "/mcp"],
  ["sse", "sse", "/sse"],
] as const)(
  "reaches a server over %s, and starts anew where that was restarted",
  async (mode, type, path) => {
    const port = await freePort();
    const start = async () => {
      const child = spawn(process.execPath, [everything, mode], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"],
      });
      await once(child.stderr, "data");
      while (!(await fetch(`http://127.0.0.1:${port}/none`).catch(() => false))) await sleep(20);
      return child;
    };
    let child = await start();
    try {
      const url = `http://127.0.0.1:${port}${path}`;
      const on = open({ type, url, headers: { Authorization: "Bearer abc" } }, { callMs: 2_000 });
      const spec = await on.specOf("echo");
      const echo = () => on.call(spec, { message: "hi" }, signal);
      expect(await echo()).toEqual({ ok: true, result: { text: "Echo: hi" } });
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(await echo()).toMatchObject({ ok: false, lost: true });
      child = await start();
      expect(await echo()).toEqual({ ok: true, result: { text: "Echo: hi" } });
      await on.close();
    } finally {
      child.kill("SIGKILL");
    }
  },
);

it("reads no more than 10 MB of what a server over http says", async () => {
  const flood = createHttpServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.on("error", () => undefined).end(`{"jsonrpc": "2.0", "filler": "${"x".repeat(11_000_000)}"}`);
  }).listen(0, "127.0.0.1");
  await once(flood, "listening");
  try {
    const { port } = flood.address() as AddressInfo; // it listens on a port
    const said = await problemOf(open({ url: `http://127.0.0.1:${port}/mcp` }));
    expect(said).toMatch(/the server sent more than 10 MB/);
  } finally {
    flood.close();
  }
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  return typeof address === "object" && address ? address.port : 0;
}
