import { execFile } from "node:child_process";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inputRequired, type McpServer } from "@modelcontextprotocol/server";
import { describe, expect, it, type TestContext } from "vitest";
import * as z from "zod";
import { mcpTestServer } from "./support/mcp.ts";
import type { TestServer } from "./support/server.ts";

// The official scenarios and the Inspector's command line, as `npm run conformance` has installed them.

const folder = process.env["PARLEY_CONFORMANCE"];
const SKIPPED = "it needs Node 22 and 330 MB from npm: npm run conformance";
const LIMIT_MS = 60_000;

const SCENARIOS = [
  ...["server-stateless", "tools-list", "resources-list", "caching", "dns-rebinding-protection"],
  ...["http-header-validation", "sep-2164-resource-not-found"],
];
const EARLIER = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];

/** What the scenario about capabilities and streams calls on a server: it tests how tools are served, whichever they are. */
function addDiagnostics(server: McpServer): void {
  const nothing = { inputSchema: z.strictObject({}) };
  const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
  server.registerTool("test_missing_capability", nothing, () =>
    inputRequired({
      inputRequests: {
        one: inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: "?" } }],
          maxTokens: 10,
        }),
      },
    }),
  );
  server.registerTool("test_streaming_elicitation", nothing, (_given, { mcpReq }) => {
    const elicit = { message: "?", requestedSchema: { type: "object" as const, properties: {} } };
    return mcpReq.inputResponses
      ? said("answered")
      : inputRequired({ inputRequests: { one: inputRequired.elicit(elicit) } });
  });
  server.registerTool("test_logging_tool", nothing, () => said("nothing is logged to clients"));
}

type Said = { readonly code: number; readonly text: string; readonly errors: string };

/** Runs one of the packages under the Node that is installed beside it. */
function run(script: string, args: readonly string[]): Promise<Said> {
  const { node, file } = {
    node: join(folder ?? "", "node_modules/node/bin/node"),
    file: join(folder ?? "", "node_modules/@modelcontextprotocol", script),
  };
  return new Promise((resolve) => {
    execFile(node, [file, ...args], { timeout: LIMIT_MS, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, text: stdout, errors: stderr }),
    );
  });
}

/** A proxy that adds the key, which the scenarios cannot send, and passes everything else on as it came. */
async function withKey({ port, key }: Pick<TestServer, "port" | "key">) {
  const proxy = createServer((request, response) => {
    const { method, url: path, headers: given } = request;
    const headers = { ...given, authorization: `Bearer ${key}` };
    const passed = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    passed.once("error", () => response.destroy());
    response.once("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: own } = proxy.address() as AddressInfo; // an address of TCP
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

// The reporter names no reasons.
if (folder === undefined) process.stderr.write(`test/mcp-conformance.test.ts is skipped: ${SKIPPED}\n`);

const needsTools = ({ skip }: TestContext): void => {
  if (folder === undefined) skip(SKIPPED);
};

describe("the official scenarios", () => {
  it.for([
    ...SCENARIOS.map((scenario) => [scenario, "2026-07-28"] as const),
    ...EARLIER.map((scenario) => [scenario, "2025-11-25"] as const),
  ])("%s of %s", { timeout: LIMIT_MS }, async ([scenario, revision], context) => {
    needsTools(context);
    const isDiagnosed = scenario === "server-stateless";
    await using server = await mcpTestServer(isDiagnosed ? { mcp: { extend: addDiagnostics } } : {});
    await server.ask();
    await using proxy = await withKey(server);
    const args = ["server", "--url", proxy.url, "--scenario", scenario, "--spec-version", revision];
    const { code, text } = await run("conformance/dist/index.js", args);
    expect(text).toMatch(/Passed: [1-9]/);
    expect(text).toMatch(/\b0 failed/);
    expect(code).toBe(0);
  });
});

describe("the Inspector's command line", () => {
  it(
    "lists tools and resources, and calls a tool",
    async (context) => {
      needsTools(context);
      await using server = await mcpTestServer();
      const { id } = await server.ask();
      const inspect = (...args: readonly string[]) =>
        run("inspector/clients/launcher/build/index.js", [
          ...["--cli", `${server.url}mcp`, "--transport", "http"],
          ...["--header", `Authorization: Bearer ${server.key}`, ...args],
        ]);
      const tools = await inspect("--method", "tools/list", "--strict");
      expect(tools.code).toBe(0);
      expect(tools.errors).toContain("0 errors");
      expect(tools.errors).not.toContain("Path: inputSchema"); // models read these
      expect(JSON.parse(tools.text).tools).toHaveLength(15);
      const listed = await inspect("--method", "resources/list");
      expect(JSON.parse(listed.text).resources).toHaveLength(1);
      const shown = await inspect("--method", "tools/call", "--tool-name", "show", "--tool-arg", `id=${id}`);
      expect(JSON.parse(shown.text).structuredContent).toMatchObject({ id, status: "answered" });
      const stranger = await run("inspector/clients/launcher/build/index.js", [
        ...["--cli", `${server.url}mcp`, "--transport", "http", "--method", "tools/list"],
      ]);
      expect(stranger.code).not.toBe(0);
    },
    LIMIT_MS,
  );
});
