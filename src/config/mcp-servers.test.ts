import { describe, expect, it } from "vitest";
import { scratch } from "../../test/support/scratch.ts";
import { isFault } from "../kernel/index.ts";
import { McpServers } from "./mcp-servers.ts";
import { loadSettings } from "./sources.ts";

const load = (place: ReturnType<typeof scratch>) => loadSettings(place);
const problemOf = (file: string): string => {
  using place = scratch({ "project/parley.yaml": file });
  try {
    load(place);
  } catch (error) {
    if (isFault(error, "configuration")) return error.message;
  }
  return "none";
};

describe("servers of tools in settings", () => {
  it("are read as other clients write them, under either name", () => {
    const clients = {
      "brave-search": { command: "npx", args: ["-y", "brave"], env: { BRAVE_API_KEY: "${BRAVE_API_KEY}" } },
      remote: {
        type: "http",
        url: "https://example.com/mcp",
        headers: { Authorization: "Bearer ${env:TOKEN}" },
      },
      local_1: { type: "stdio", command: "server" },
      old: { type: "sse", url: "http://127.0.0.1:1/sse" },
      plain: { url: "http://127.0.0.1:1/mcp" },
    };
    for (const name of ["mcpServers", "mcp-servers"]) {
      using place = scratch({ "project/parley.yaml": JSON.stringify({ [name]: clients }) });
      const { settings, renamed } = load(place);
      expect([settings.mcpServers, renamed]).toEqual([clients, []]);
    }
  });

  it("have their folders where the file is", () => {
    using place = scratch({ "project/parley.yaml": "mcpServers: {files: {command: node, cwd: tools}}" });
    expect(load(place).settings.mcpServers["files"]?.cwd).toBe(`${place.cwd}/tools`);
  });

  it("are shown without a value of their variables and headers", () => {
    const env = "{LOG: loud, SEARCH_KEY: '${SECRET_ONE}'}";
    using place = scratch({
      "project/parley.yaml": `mcp-servers:\n  s: {command: npx, args: [a, b], env: ${env}}`,
    });
    expect(load(place).sources["mcp-servers.s"]).toMatchObject({
      value: "npx a b, with LOG, SEARCH_KEY, from $SECRET_ONE of your environment",
    });
  });

  it.each([
    ["mcp-servers: {s: {}}", "must be a mapping with a command"],
    ["mcp-servers: {s: {command: a, url: 'http://b'}}", "must be a mapping with a command"],
    ["mcp-servers: {s: {url: 'http://b', env: {A: b}}}", "must be a mapping with a command"],
    ["mcp-servers: {s: {command: a, headers: {A: b}}}", "must be a mapping with a command"],
    ["mcp-servers: {s: {command: a, type: http}}", "must be a mapping with a command"],
    ["mcp-servers: {s: {url: 'ftp://b'}}", "must be an http or https URL"],
    ["mcp-servers: {s: {url: 'https://ada:secret@b'}}", "this URL holds a password"],
    ["mcp-servers: {s: {command: a, disabled: true}}", "unknown key"],
    ["mcp-servers: {s: {command: a, env: {API_KEY: abcdef}}}", "API_KEY looks like a secret"],
    [
      "mcp-servers: {s: {url: 'http://b', headers: {Authorization: Bearer abc}}}",
      "Authorization looks like a secret",
    ],
    ["mcp-servers: {s__t: {command: a}}", "is not a name for a server"],
    ["mcp-servers: {s_: {command: a}}", "is not a name for a server"],
    ["mcp-servers: {a/b: {command: a}}", "is not a name for a server"],
    ["mcp-servers: [a]", "must be a mapping of names to servers"],
  ])("are refused: %s", (file, problem) => {
    const said = problemOf(file);
    expect(said).toContain(problem);
    expect(said).not.toMatch(/abcdef|Bearer abc|ada:secret/);
  });

  it("need trust in a project's file, as do tools that it or a persona names", () => {
    const server = { url: "https://example.com/mcp", headers: { "X-Key": "${HOME_KEY}" } };
    const settings = { mcpServers: { s: server }, tools: ["s/*"], "tool-call-limit": 9 };
    using place = scratch({ "project/parley.yaml": JSON.stringify(settings) });
    try {
      loadSettings({ ...place, trusts: () => false });
      expect.unreachable();
    } catch (error) {
      expect(isFault(error, "untrusted") && error.details.names).toEqual([
        "mcp-servers.s: https://example.com/mcp, with X-Key, from $HOME_KEY of your environment",
        "tools: s/*",
        "tool-call-limit: 9",
      ]);
    }
  });

  it("may be called fewer times than usual without trust", () => {
    using place = scratch({ "project/parley.yaml": "tool-call-limit: 3" });
    expect(loadSettings({ ...place, trusts: () => false }).settings.toolCallLimit).toBe(3);
  });

  it("are data that no request can name", () => {
    expect(McpServers.safeParse({ s: { command: "a", shell: true } }).success).toBe(false);
  });
});
