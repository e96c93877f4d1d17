import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import {
  called,
  mcpClient,
  MODES,
  refusal,
  stdioInProcess,
  type ClientOptions,
  type Elicited,
} from "../support/mcp.ts";
import { SIMS, SUM } from "../support/server.ts";
import { built, resultIn, somewhere, type Somewhere } from "./parley.ts";

// A real `parley mcp` process, started by the official client as clients start it.

built();

const command = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));
const PANEL = { question: SUM, models: [...SIMS], settings: { reactions: false } };
const slow = (ms: number) => SIMS.map((ref) => `${ref}&latency=${ms}`);
const SEATED = { ...PANEL, seats: [{ name: "me", seat: "reviewer" }] };

/** A client with a process of its own. */
function connect(
  place: Somewhere,
  {
    through = [],
    own = [],
    ...options
  }: ClientOptions & { readonly through?: readonly string[]; readonly own?: readonly string[] } = {},
): Promise<Client & AsyncDisposable> {
  const { folder, home, cwd } = place;
  const [program = "", ...args] = [...through, process.execPath, command, "mcp", "--simulated", ...own];
  const transport = new StdioClientTransport({
    ...{ command: program, args, cwd, stderr: "pipe" },
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: folder, PARLEY_HOME: home },
      ...{ OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" },
    },
  });
  return mcpClient(undefined, { ...options, transport });
}
const rank = (asked: Elicited): ElicitResult => {
  const properties = "requestedSchema" in asked ? asked.requestedSchema.properties : {};
  const places = Object.entries(properties).filter(([name]) => name.startsWith("rank_"));
  const labels = places.map(([, field]) => ("enum" in field ? field.enum : []))[0] ?? [];
  return {
    action: "accept",
    content: Object.fromEntries(places.map(([name], index) => [name, labels[index] ?? ""])),
  };
};
const statusOf = async (place: Somewhere, id: string) =>
  resultIn(await place.run(["show", id, "--json"])).status;
const openedIn = async (place: Somewhere): Promise<string> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const { stdout } = await place.run(["list", "--status", "open", "--json"]);
    const [, id] = /"id": ?"(\w+)"/.exec(stdout) ?? [];
    if (id !== undefined) return id;
  }
  throw new Error("nothing was opened");
};

describe.concurrent.each(MODES)("a process that a client in mode %j has started", (mode) => {
  it("answers, tells what happens, and asks a person", async () => {
    await using place = somewhere();
    let asked = 0;
    await using client = await connect(place, {
      ...{ mode, own: ["--tools", "core,answer"] },
      elicit: (params) =>
        (asked += 1) === 1 ? { action: "accept", content: { rank_1: "A" } } : rank(params),
    });
    expect((await client.listTools()).tools).toHaveLength(8);
    const heard: string[] = [];
    const onprogress = ({ message = "" }) => void heard.push(message);
    const result = await called(client, "council", { ...SEATED, onprogress });
    expect(result).toMatchObject({ status: "answered", finalAnswer: "391" });
    expect(asked).toBe(2); // what cannot be read is asked again
    expect(heard.join("\n")).toContain("3 of 3 drafts received");
    expect(await refusal(client, "answer", { id: result.id, text: "FINAL RANKING: A > B > C" })).toContain(
      "the first answer stands",
    );
    expect(await statusOf(place, result.id)).toBe("answered");
    const { contents } = await client.readResource({ uri: `parley://deliberations/${result.id}` });
    expect(JSON.stringify(contents)).toContain("391");
  });

  it("lets a call go that is cancelled, and the deliberation go on", async () => {
    await using place = somewhere();
    await using client = await connect(place, { mode });
    for (const [onDisconnect, status, latency] of [
      ["continue", "answered", 900],
      ["cancel", "cancelled", 20_000],
    ] as const) {
      const control = new AbortController();
      const given = { ...PANEL, models: slow(latency), on_disconnect: onDisconnect };
      const call = client.callTool({ name: "council", arguments: given }, { signal: control.signal });
      const failed = expect(call).rejects.toThrow();
      const id = await openedIn(place);
      control.abort();
      await failed;
      expect(await called(client, "wait", { id })).toMatchObject({ status });
    }
  });

  it("tells of a resource that somebody else's process has changed", async () => {
    await using place = somewhere();
    await using client = await connect(place, { mode });
    const { id } = await called(client, "council", { ...PANEL, seats: [{ name: "ana", seat: "member" }] });
    const uri = `parley://deliberations/${id}`;
    const heard = new Promise<string>((resolve) =>
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri)),
    );
    if (mode === "legacy") await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    await place.run(["seat", id, "--user", "ana", "--answer", "Final answer: 391", "--no-resume"]);
    expect(await heard).toBe(uri);
  });
});

describe("a process whose client goes away", () => {
  it("ends at once and leaves the deliberation open, which is resumed from the terminal", async () => {
    await using place = somewhere();
    // The client kills what has not ended, which leaves no exit code.
    const ended = join(place.folder, "ended");
    const through = ["sh", "-c", `trap "" TERM; "$@"; echo $? >'${ended}'`, "sh"];
    const client = await connect(place, { through });
    const call = client.callTool({ name: "council", arguments: { ...PANEL, models: slow(1_500) } });
    const failed = expect(call).rejects.toThrow();
    const id = await openedIn(place);
    await client.close();
    expect(readFileSync(ended, "utf8")).toBe("0\n");
    await failed;
    expect(await statusOf(place, id)).toBe("open");
    const resumed = await place.run(["resume", id, "--json"]);
    expect(resultIn(resumed)).toMatchObject({ status: "answered", finalAnswer: "391" });
  });

  it("has it cancelled where the call said so", async () => {
    await using place = somewhere();
    const client = await connect(place);
    const given = { ...PANEL, models: slow(1_500), on_disconnect: "cancel" };
    const failed = expect(client.callTool({ name: "council", arguments: given })).rejects.toThrow();
    const id = await openedIn(place);
    await client.close();
    await failed;
    expect(await statusOf(place, id)).toBe("cancelled");
  });

  it("is followed by one that goes on with the first call of a tool, and not before", async () => {
    await using place = somewhere();
    const first = await connect(place);
    const call = first.callTool({ name: "council", arguments: { ...PANEL, models: slow(800) } });
    const failed = expect(call).rejects.toThrow();
    const id = await openedIn(place);
    await first.close();
    await failed;
    const journal = async () => (await place.run(["export", id, "--format", "jsonl"])).stdout;
    const before = await journal();
    await using second = await connect(place);
    await second.listTools();
    await second.listResources();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await journal()).toBe(before);
    expect(await called(second, "wait", { id })).toMatchObject({ status: "answered" });
  });

  it("shares its store with another client's process", async () => {
    await using place = somewhere();
    await using one = await connect(place, { mode: "legacy" });
    await using other = await connect(place);
    const named = { ...PANEL, models: slow(300), request: "both" };
    const [a, b] = await Promise.all([one, other].map((client) => called(client, "council", named)));
    expect(a).toMatchObject({ id: b.id, answer: b.answer, status: "answered" });
  });
});

describe("a person who takes long, asked within a call", () => {
  const later = () => new Promise<ElicitResult>(() => undefined);

  it("does not keep a call without a progress token beyond its time", async () => {
    let asked = 0;
    const elicit = (params: Elicited) => ((asked += 1) === 1 ? later() : rank(params));
    await using here = await stdioInProcess({ patienceMs: 4_000 }, { mode: "legacy", elicit });
    const left = await called(here.client, "council", SEATED);
    expect(left).toMatchObject({ status: "waiting", waiting: { seats: [{ work: "review" }] } });
    expect(await called(here.client, "wait", { id: left.id })).toMatchObject({ status: "answered" });
    expect(asked).toBe(2);
  });

  it("has all the time with one, and the client hears that it is waited for", async () => {
    const heard: string[] = [];
    const elicit = async (params: Elicited) => {
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      return rank(params);
    };
    await using here = await stdioInProcess({ patienceMs: 300, noticeMs: 200 }, { mode: "legacy", elicit });
    const onprogress = ({ message = "" }) => void heard.push(message);
    expect(await called(here.client, "council", { ...SEATED, onprogress })).toMatchObject({
      status: "answered",
    });
    expect(heard.filter((one) => /^waiting for local \(/.test(one)).length).toBeGreaterThan(3);
  });
});
