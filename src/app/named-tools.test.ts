import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { openConfigured, openParley } from "../../test/support/opened.ts";
import { refusalOf, scratch, type Scratch } from "../../test/support/scratch.ts";
import { isEvent, type Entry } from "../kernel/index.ts";
import type { AppContext } from "./context.ts";
import { listTools } from "./named-tools.ts";
import { prepareOpening, type StartRequest } from "./start.ts";

const unruly = fileURLToPath(new URL("../../test/support/mcp-server.mjs", import.meta.url));
const server = { command: process.execPath, args: [unruly] };
const SETTINGS = { mcpServers: { s: server, broken: { command: "parley-no-such-command" } } };

/** Works over a store in memory, with these files and the servers above in the user's own settings. */
async function using<T>(
  flags: Record<string, unknown>,
  work: (context: AppContext, place: Scratch) => Promise<T>,
  files: Record<string, string> = {},
): Promise<T> {
  using place = scratch({ ".config/parley/parley.yaml": JSON.stringify(SETTINGS), ...files });
  const given = { store: ":memory:", models: ["sim/ada"], memory: false, ...flags };
  const { context, parley } = await openConfigured({ ...place, flags: given });
  try {
    return await work(context, place);
  } finally {
    await parley.close();
  }
}

const Pinned = z.object({
  tools: z.union([
    z.object({ specs: z.array(z.object({ name: z.string() })), limit: z.number() }),
    z.record(z.string(), z.object({ names: z.array(z.string()), limit: z.number() })),
  ]),
  toolSpecs: z.array(z.object({ name: z.string() })).optional(),
});
const openingOf = (context: AppContext, request: Partial<StartRequest>) =>
  prepareOpening(context, { question: "What is 17 * 23?", ...request });
const pinnedBy = async (context: AppContext, request: Partial<StartRequest>) =>
  Pinned.parse((await openingOf(context, request)).opening.settings);
const called = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (isEvent(entry, "tool-called") ? [entry.data] : []));

describe("tools that settings name", () => {
  it("are offered to a respondent, pinned with their limit", () =>
    using({ tools: ["get_datetime", "s/echo"], toolCallLimit: 3 }, async (context) => {
      expect(await pinnedBy(context, { protocol: "respond" })).toMatchObject({
        tools: { specs: [{ name: "get_datetime" }, { name: "s__echo" }], limit: 3 },
      });
    }));

  it("are offered to every member, a persona's own to that one alone", () => {
    const persona = "id: clerk\nname: Clerk\ninstructions: Keep time.\ntools: [get_datetime]\n";
    const flags = { models: ["sim/ada", "sim/bo"], personas: ["clerk", "analyst"], tools: ["s/data"] };
    const files = { "project/.parley/personas/clerk.yaml": persona };
    const work = async (context: AppContext) => {
      for (const protocol of ["ask", "council"])
        expect(await pinnedBy(context, { protocol })).toEqual({
          tools: {
            clerk: { names: ["s__data", "get_datetime"], limit: 5 },
            analyst: { names: ["s__data"], limit: 5 },
          },
          toolSpecs: [{ name: "s__data" }, { name: "get_datetime" }],
        });
    };
    return using(flags, work, files);
  });

  it("are a claim of a project's persona", async () => {
    const persona = "id: clerk\nname: Clerk\ninstructions: Keep time.\ntools: [s/*]\n";
    using place = scratch({ "project/.parley/personas/clerk.yaml": persona });
    await expect(
      refusalOf(async () => {
        const flags = { store: ":memory:", models: ["sim/ada"], personas: ["clerk"] };
        const { context, parley } = await openConfigured({ ...place, trusts: () => false, flags });
        try {
          await openingOf(context, { protocol: "council" });
        } finally {
          await parley.close();
        }
      }, place),
    ).resolves.toMatch(/is not trusted as it is now, and names tool: s\/\*/);
  });

  it("are added to those of a debate's agents; all of a server's by a star", () =>
    using({ tools: ["s/*"] }, async (context) => {
      const pinned = await pinnedBy(context, { protocol: "debate", agents: ["kiss"] });
      expect(pinned.toolSpecs?.length).toBeGreaterThan(10);
      expect(pinned.toolSpecs?.map(({ name }) => name)).toContain("s__echo");
      expect(Object.keys(pinned.tools)).toEqual(["agent-kiss"]);
    }));

  it.each([
    [["s/ecko"], 'there is no tool "s/ecko"; did you mean s/echo?'],
    [["t/echo"], 'there is no tool "t/echo"'],
    [["s"], 'there is no tool "s"; did you mean s/*?'],
    [["get_datetimes"], 'there is no tool "get_datetimes"; did you mean get_datetime?'],
    [["broken/*"], "the server broken cannot be used: spawn parley-no-such-command ENOENT; check its entry"],
  ])("are refused before anything is recorded: %j", (tools, problem) =>
    using({ tools }, async (context, place) => {
      for (const protocol of ["respond", "ask"])
        expect(await refusalOf(() => openingOf(context, { protocol }), place)).toContain(problem);
      expect(await context.store.list({ limit: 10 })).toEqual([]);
    }),
  );

  it("are left out of a debate with a warning where nobody knows them", () =>
    using({ tools: ["s/ecko"] }, async (context) => {
      const { notes } = await openingOf(context, { protocol: "debate", agents: ["kiss"] });
      expect(notes).toContainEqual({
        code: "warning",
        text: "No tool s/ecko; agent-kiss goes without it (nearest: s/echo)",
      });
    }));

  it("are listed by server, with why one cannot be used", () =>
    using({}, async (context) => {
      const { builtIn, servers } = await listTools(context);
      expect(builtIn.map(({ name }) => name)).toEqual([
        ...["get_datetime", "search_memory", "remember_this", "file_read", "list_files", "context_search"],
      ]);
      expect(servers.map(({ server: name, problem }) => [name, problem])).toEqual([
        ["s", null],
        ["broken", "the server broken cannot be used: spawn parley-no-such-command ENOENT"],
      ]);
      expect(servers[0]?.tools[0]).toEqual({
        name: "s/echo",
        for: "who names it",
        description: "Says it again.",
      });
    }));
});

it("takes servers from a process's settings, and never from a request", async () => {
  const settings = { models: ["sim/ada?calls=echo" as never], memory: false, mcpServers: { s: server } };
  const parley = await openParley({ store: ":memory:", settings });
  try {
    const request = { protocol: "respond", question: "What is 17 * 23?", tools: ["s/echo"] };
    const run = await parley.start(request);
    await run.outcome();
    expect(called(await parley.read(run.id))).toMatchObject([
      { by: "A", tool: "s__echo", result: { text: "echo: undefined" } },
    ]);
    for (const more of [{ mcpServers: {} }, { "mcp-servers": {} }])
      await expect(parley.start({ ...request, ...more })).rejects.toThrow(/unknown key/);
  } finally {
    await parley.close();
  }
});

it("tells the time that the world has, recorded, so that a replay tells the same", () =>
  using({ models: ["sim/ada?calls=get_datetime"], tools: ["get_datetime"] }, async (context) => {
    const { start } = await import("./start.ts");
    const run = await start(context, { protocol: "respond", question: "What day is it?" });
    await run.outcome();
    const [told] = called(await context.store.read(run.id));
    expect(told?.result).toMatchObject({
      timezone: "UTC",
      datetime: expect.stringMatching(/^20\d\d-/) as string,
    });
    await context.engine.replay(run.id);
  }));
