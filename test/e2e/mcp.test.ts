import { readFileSync } from "node:fs";
import type { Progress } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { called, MODES, mcpClient, mcpTestServer, refusal } from "../support/mcp.ts";
import { serverPlace, SIMS, SUM, type Json } from "../support/server.ts";

// The official client in its three modes against a server in this process.

const PANEL = { question: SUM, models: [...SIMS], settings: { reactions: false } };
const slow = (ms: number) => SIMS.map((ref) => `${ref}&latency=${ms}`);
const TOOLS = [
  ...["ask", "council", "debate", "respond", "show", "list", "wait", "answer", "cancel", "resume"],
  ...["fork", "feedback", "memory_search", "estimate", "models"],
];
const until = async <T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const value = await read();
    if (fits(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never came");
};

describe.each(MODES)("a client in mode %j", (mode) => {
  it("agrees on a revision, and lists the tools in one order", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server, { mode });
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "legacy" ? "2025-11-25" : "2026-07-28");
    expect(client.getServerVersion()).toMatchObject({ name: "parley", version: "0.0.0" });
    expect(client.getInstructions()).toContain("call wait");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    const again = await client.listTools(undefined, { cacheMode: "bypass" });
    expect(again.tools).toEqual(tools);
    for (const { inputSchema, outputSchema, annotations, description } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: "object" });
      expect(annotations?.readOnlyHint).toBeTypeOf("boolean");
      expect(description?.length).toBeGreaterThan(20);
    }
    expect(JSON.stringify(tools.map((one) => one.inputSchema)).length).toBeLessThan(20_000);
  });

  it("calls every tool, and what each gives fits what it says", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server, { mode });
    await client.listTools(); // from now on the client checks what tools give
    const ask = await called(client, "ask", PANEL);
    expect(ask).toMatchObject({ status: "answered", finalAnswer: "391", next: null, waiting: null });
    const council = await called(client, "council", { ...PANEL, mode: "vote" });
    expect(council).toMatchObject({ protocol: { name: "council" }, status: "answered" });
    const debate = await called(client, "debate", { ...PANEL, agents: ["architect", "kiss"], rounds: 1 });
    expect(debate.protocol.name).toBe("debate");
    const respond = await called(client, "respond", { question: SUM, models: ["sim/ada"] });
    expect(respond).toMatchObject({ status: "answered", calls: 1 });
    const whole = await called(client, "show", { id: council.id });
    expect(whole.participants.length).toBeGreaterThan(2);
    expect(whole.section).not.toBeNull();
    const listed = await called(client, "list", { protocol: "council" });
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([council.id]);
    expect(await called(client, "wait", { id: ask.id })).toEqual({ ...ask, notes: [] });
    const fork = await called(client, "fork", { id: council.id, mode: "consensus" });
    expect(fork).toMatchObject({ status: "answered", protocol: { name: "council" } });
    expect(fork.calls).toBeLessThan(council.calls);
    expect(await called(client, "cancel", { id: ask.id })).toMatchObject({
      cancelled: false,
      status: "answered",
    });
    expect((await called(client, "feedback", { id: respond.id, thumb: "up" })).status).toBeTypeOf("string");
    expect((await called(client, "memory_search", { query: "17" })).engrams).toBeInstanceOf(Array);
    const estimate = await called(client, "estimate", { ...PANEL, protocol: "council" });
    expect(estimate.total.calls.expected).toBeGreaterThan(3);
    const { models } = await called(client, "models");
    expect(models.map(({ ref }: { ref: string }) => ref)).toContain("sim/ada?skill=0.9&seed=1");
    const waiting = await called(client, "council", { ...PANEL, seats: [{ name: "me", seat: "member" }] });
    expect(waiting).toMatchObject({ status: "waiting" });
    const [seat] = waiting.waiting.seats;
    expect(waiting.next).toContain(`call answer with {"id": "${waiting.id}", "step": "${seat.step}"`);
    const given = { id: waiting.id, text: "Final answer: 391" };
    expect(await called(client, "answer", given)).toEqual({ status: "recorded", step: seat.step });
    expect((await called(client, "resume", { id: waiting.id })).id).toBe(waiting.id);
    expect((await called(client, "cancel", { id: waiting.id })).status).toBeTypeOf("string");
  });

  it("is told at every stage what happens, and never left without a word", async () => {
    await using server = await mcpTestServer({ mcp: { noticeMs: 200 } });
    await using client = await mcpClient(server, { mode });
    const heard: { progress: number; message: string }[] = [];
    const onprogress = ({ progress, message = "" }: Progress) => void heard.push({ progress, message });
    await called(client, "council", { ...PANEL, models: slow(900), onprogress });
    const words = heard.map(({ message }) => message).join("\n");
    for (const stage of [
      "council ",
      "3 of 3 drafts received",
      "3 of 3 reviews received",
      "Peer ranking",
      "synthesis done",
    ])
      expect(words).toContain(stage);
    expect(words).toMatch(/: drafting \(\d+ ms\)|: drafting \(1\.\d s\)/);
    expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, index) => index + 1));
    for (const waiting of [/: drafting \(/g, /: ranking \(/g, /: writing \(/g])
      expect(words.match(waiting)?.length, `${waiting}`).toBeGreaterThanOrEqual(2);
  });

  it("is told the id in time where it asks for no progress, and waits on", async () => {
    await using server = await mcpTestServer({ mcp: { patienceMs: 300 } });
    await using client = await mcpClient(server, { mode });
    const open = await called(client, "council", { ...PANEL, models: slow(1_000) });
    expect(open).toMatchObject({ status: "open", answer: null, next: `call wait with {"id": "${open.id}"}` });
    const ended = await until(
      () => called(client, "wait", { id: open.id }),
      ({ status }) => status !== "open",
    );
    expect(ended).toMatchObject({ id: open.id, status: "answered", finalAnswer: "391" });
  });

  it("that goes away ends its waiting alone, unless it has said otherwise", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server, { mode });
    const leave = async (more: object): Promise<string> => {
      await using own = await mcpClient(server, { mode });
      const control = new AbortController();
      const given = { ...PANEL, models: slow(400), ...more };
      const call = own.callTool({ name: "council", arguments: given }, { signal: control.signal });
      const failed = expect(call).rejects.toThrow();
      const [{ id }] = await until(
        async () => (await called(client, "list", { status: "open" })).data as [{ id: string }],
        (data) => data.length > 0,
      );
      // Without sessions, HTTP of 2025 has only the connection to go by.
      if (mode === "legacy") await own.close();
      else control.abort();
      await failed;
      return id;
    };
    const kept = await leave({});
    expect(await called(client, "wait", { id: kept })).toMatchObject({ status: "answered" });
    const ended = await leave({ on_disconnect: "cancel" });
    expect(await called(client, "wait", { id: ended })).toMatchObject({ status: "cancelled" });
  });

  it("reads resources in three forms, and hears of none that is not there", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server, { mode });
    const { id } = await server.ask();
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([
      { uri: `parley://deliberations/${id}`, name: id, mimeType: "text/markdown" },
    ]);
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(
      ({ uriTemplate }) => uriTemplate,
    );
    expect(templates.sort()).toEqual(
      ["", ".json", ".jsonl"].map((end) => `parley://deliberations/{id}${end}`),
    );
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content && "text" in content ? content.text : "";
    };
    expect(await read(`parley://deliberations/${id}`)).toContain("391");
    expect(JSON.parse(await read(`parley://deliberations/${id}.json`)).result.id).toBe(id);
    const lines = (await read(`parley://deliberations/${id}.jsonl`)).trim().split("\n");
    expect(JSON.parse(lines[0] ?? "").type).toBe("deliberation-opened");
    for (const uri of [
      "parley://deliberations/nobodyhasit1",
      `parley://deliberations/${id}.txt`,
      "parley://else",
    ])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("notices of resources", () => {
  it("come to whoever listens, of the own organization alone", async () => {
    await using server = await mcpTestServer();
    const { secret } = await server.newKey({ organization: "other" });
    await using client = await mcpClient(server);
    await using stranger = await mcpClient(server, { key: secret });
    const { id } = await called(client, "council", { ...PANEL, seats: [{ name: "me", seat: "member" }] });
    const uri = `parley://deliberations/${id}`;
    const heard: string[] = [];
    const overheard: string[] = [];
    for (const [who, list] of [
      [client, heard],
      [stranger, overheard],
    ] as const) {
      who.setNotificationHandler(
        "notifications/resources/updated",
        ({ params }) => void list.push(params.uri),
      );
      who.setNotificationHandler("notifications/resources/list_changed", () => void list.push("list"));
      const listening = await who.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
      expect(listening.honoredFilter).toEqual({ resourceSubscriptions: [uri], resourcesListChanged: true });
    }
    await called(client, "answer", { id, text: "Final answer: 391" });
    await until(
      async () => heard,
      (all) => all.includes(uri),
    );
    await called(client, "respond", { question: SUM, models: ["sim/ada"] });
    await until(
      async () => heard,
      (all) => all.includes("list"),
    );
    expect(overheard).toEqual([]);
    expect(heard.every((one) => one === uri || one === "list")).toBe(true);
  });

  /** What every simulated answer has, and no seed by chance. */
  const OTHERS = /\[simulated |(?:answer:|=) 391/i;

  it("show nothing of what others said while a person takes part (MCPS-8)", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server);
    const { id } = await called(client, "council", { ...PANEL, seats: [{ name: "me", seat: "reviewer" }] });
    for (const ending of ["", ".json", ".jsonl"]) {
      const [content] = (await client.readResource({ uri: `parley://deliberations/${id}${ending}` }))
        .contents;
      const text = content && "text" in content ? content.text : "";
      expect(text).toContain(SUM);
      expect(text).not.toMatch(OTHERS);
    }
    expect(JSON.stringify(await called(client, "show", { id }))).not.toMatch(OTHERS);
  });
});

describe("clients together, and rude ones", () => {
  it("join one deliberation by the request's name, and are refused it for another question", async () => {
    await using server = await mcpTestServer();
    await using one = await mcpClient(server);
    await using other = await mcpClient(server, { mode: "legacy" });
    const named = { ...PANEL, models: slow(200), request: "first" };
    const [a, b] = await Promise.all([one, other].map((client) => called(client, "council", named)));
    expect(a.id).toBe(b.id);
    expect(a.answer).toBe(b.answer);
    expect((await called(one, "list")).data).toHaveLength(1);
    const text = await refusal(one, "council", { ...named, question: "What is 17 * 24?" });
    expect(text).toBe("this request's name belongs to a request with another body; give it another key");
    await Promise.all([called(one, "ask", PANEL), called(other, "ask", PANEL)]);
    expect((await called(one, "list")).data).toHaveLength(3);
  });

  it("are told what is wrong, with the nearest name", async () => {
    await using server = await mcpTestServer();
    await using client = await mcpClient(server);
    expect(await refusal(client, "ask", { questoin: "x" })).toContain(
      'unknown key "questoin"; did you mean question?',
    );
    expect(await refusal(client, "ask", {})).toContain("question is missing");
    expect(await refusal(client, "council", { ...PANEL, settings: { quorom: 2 } })).toContain("quorum");
    expect(await refusal(client, "council", { ...PANEL, seats: [{ name: "me", seat: "juge" }] })).toContain(
      "judge",
    );
    for (const [name, given] of [
      ["config", { agents: [] }],
      ["contextFolder", "/etc"],
      ["protocolSettings", { contextFolder: "/etc" }],
    ] as const)
      expect(await refusal(client, "debate", { ...PANEL, settings: { [name]: given } })).toMatch(
        /^(?:config|contextFolder) is no field here/,
      );
    expect(await refusal(client, "ask", { ...PANEL, settings: { seats: "me" } })).toContain(
      "seats must be a list",
    );
    const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`) as unknown;
    expect(await refusal(client, "ask", { ...PANEL, settings: { x: deep } })).toContain(
      "nested over 100 deep",
    );
    expect(await refusal(client, "show", { id: "nobodyhasit1" })).toContain('no run "nobodyhasit1"');
    expect(await refusal(client, "wait", { id: "nobodyhasit1" })).toContain('no run "nobodyhasit1"');
    expect(await refusal(client, "answer", { id: "nobodyhasit1" })).toContain(
      "give one of answers, text and abstain",
    );
    expect(await refusal(client, "feedback", { id: "nobodyhasit1" })).toContain("the feedback says nothing");
    await expect(client.callTool({ name: "aks", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    const { secret } = await server.newKey({ organization: "other" });
    const { id } = await called(client, "ask", PANEL);
    await using stranger = await mcpClient(server, { key: secret });
    expect(await refusal(stranger, "show", { id })).toContain(`no run "${id}"`);
    await expect(stranger.readResource({ uri: `parley://deliberations/${id}` })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("may read alone with a key for that, and nothing with one that is revoked", async () => {
    await using server = await mcpTestServer();
    const { secret } = await server.newKey({ scopes: ["read"] });
    await using client = await mcpClient(server, { key: secret, elicit: () => ({ action: "cancel" }) });
    const { id } = await server.ask();
    expect(await called(client, "show", { id })).toMatchObject({ status: "answered" });
    expect(await called(client, "wait", { id })).toMatchObject({ status: "answered" });
    expect((await called(client, "estimate", PANEL)).protocol).toBe("ask");
    expect((await client.listResources()).resources).toHaveLength(1);
    for (const [name, given] of [
      ["ask", PANEL],
      ["cancel", { id }],
      ["answer", { id, text: "x" }],
      ["fork", { id }],
    ] as const)
      expect(await refusal(client, name, given)).toBe(
        "the credential may not write; use one with the scope write",
      );
    const other = await server.newKey();
    await using revoked = await mcpClient(server, { key: other.secret });
    expect((await called(revoked, "list")).data).toHaveLength(1);
    const { credentials } = server.parley.context({}, { principal: server.principal });
    await credentials.revoke(server.principal.organization, other.id, "2026-01-01T00:00:00.000Z");
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await expect(called(revoked, "list")).rejects.toMatchObject({ status: 401 });
    for (const key of [other.secret, null]) {
      const reply = await server.request("POST", "/mcp", { key, body: {} });
      expect(reply.status).toBe(401);
      expect(reply.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  it("are refused as another site, and as a deliberation's own model (REQUEST-2)", async () => {
    await using server = await mcpTestServer();
    const headers = { origin: "https://evil.example" };
    expect((await server.request("POST", "/mcp", { headers, body: {} })).status).toBe(403);
    const host = { host: "evil.example" };
    expect((await server.request("POST", "/mcp", { headers: host, body: {} })).status).toBe(403);
    await using client = await mcpClient(server, { headers: { "x-parley-depth": "1" } });
    expect(await refusal(client, "ask", PANEL)).toContain("may not start another");
    expect((await called(client, "list")).data).toEqual([]);
  });

  it("lose nothing when the server stops: it is no client that goes away", async () => {
    using place = serverPlace();
    const first = await mcpTestServer({}, place);
    await using client = await mcpClient(first);
    const given = { ...PANEL, models: slow(700), on_disconnect: "cancel", request: "stopped" };
    const call = client.callTool({ name: "council", arguments: given });
    const failed = expect(call).rejects.toThrow();
    await until(
      async () => (await first.get("deliberations?status=open")).json.data,
      (data) => data.length === 1,
    );
    await first.stop(0);
    await failed;
    await using second = await mcpTestServer({}, place);
    await using again = await mcpClient(second, { key: first.key });
    expect(await called(again, "council", given)).toMatchObject({ status: "answered" });
  });
});

describe("the guide", () => {
  const root = new URL("../../", import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, root), "utf8");
  const guide = read("docs/guides/mcp.md");

  it("has what starts the package's own command, and the address of its server", () => {
    const { name } = JSON.parse(read("package.json")) as { name: string };
    const lists = [...guide.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, json = ""]): Json =>
      JSON.parse(json),
    );
    const servers = lists.map(({ mcpServers, servers: other }) => (mcpServers ?? other).parley);
    for (const { command, args } of servers.slice(0, 2))
      expect({ command, args }).toEqual({ command: "npx", args: ["-y", name, "mcp"] });
    expect(servers[2]).toMatchObject({ type: "http", url: "http://127.0.0.1:7317/mcp" });
  });

  it("names every tool", () => {
    const [, table = ""] = /^\| tool +\|([^]*?)^$/m.exec(guide) ?? [];
    const named = [...table.matchAll(/^\| ([^|]*?) +\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, tool = ""]) => tool),
    );
    expect(named.toSorted()).toEqual(TOOLS.toSorted());
  });
});
