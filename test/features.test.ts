import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { withProtocols } from "../src/app/registry.ts";
import * as z from "zod";
import { completeCommand } from "../src/features/respond/commands/chat-commands.ts";
import { defineCommand, isCommand } from "../src/cli/command.ts";
import { parseCommandLine } from "../src/cli/program.ts";
import { rowNamed } from "../src/cli/protocol-command.ts";
import { features as shipped } from "../src/features.ts";
import { defineFeature, defineProtocol, openParley } from "../src/index.ts";
import { isEvent } from "../src/kernel/index.ts";
import { answerOf, nothingToSay, TOY, toyRequest } from "../src/testing/kit.ts";
import { nativeApi } from "../src/server/api/index.ts";
import { route } from "../src/server/route.ts";
import { built, somewhere } from "./e2e/parley.ts";
import { commandIo } from "./support/command-io.ts";
import { mcpClient, mcpTestServer, refusal } from "./support/mcp.ts";
import { testServer } from "./support/server.ts";

/** One value with a protocol, what a simulated model says to its prompt, and a command. */
const poll = defineFeature({
  name: "poll",
  protocols: {
    poll: () =>
      Promise.resolve(
        defineProtocol({
          ...TOY,
          ...{ name: "poll", seats: [{ name: "member", filledBy: "models", min: 1, max: 9 }] },
          async deliberate({ run, seats }) {
            for (const who of seats("member"))
              await run.call(
                {
                  key: `poll/${who.id}`,
                  outcomes: ["answer-given", "degradation-noted"],
                  request: toyRequest(who, "Which poll?"),
                },
                answerOf(who.id),
              );
            return nothingToSay;
          },
        }),
      ),
  },
  script: () => Promise.resolve(({ own }) => (own.includes("Which poll?") ? () => "The first." : null)),
  asks: { poll: { title: "Hold a poll", place: 99, summary: "Ask everybody once", fields: [] } },
  operations: () =>
    Promise.resolve([
      route("get", "polls", {
        name: "listPolls",
        tag: "Polls",
        needs: "read",
        summary: "List what was asked",
        replies: { 200: z.object({ data: z.array(z.string()) }).meta({ id: "PollList" }) },
        handle: () => Promise.resolve({ status: 200, body: { data: ["Which?"] } }),
      }),
    ]),
  commands: [
    {
      name: "poll",
      summary: "Ask everybody once",
      heading: "Evaluate",
      first: "Test",
      load: () =>
        Promise.resolve([
          defineCommand("count", "Count what was said", {
            examples: ["poll count", "poll count"],
            run: () => Promise.resolve(7),
          }),
        ]),
    },
  ],
});

it("brings a protocol, and what simulated models say to its prompts", async () => {
  await using parley = await openParley({ store: ":memory:", env: {}, features: [poll] });
  const run = await parley.start({ protocol: "poll", question: "Which?", models: ["sim/ada"] });
  await run.outcome();
  const said = run.recorded().flatMap((entry) => (isEvent(entry, "answer-given") ? entry.data.text : []));
  expect(said).toEqual(["The first."]);
  await using without = await openParley({ store: ":memory:", env: {} });
  await expect(without.start({ protocol: "poll", question: "Which?", models: ["sim/ada"] })).rejects.toThrow(
    /there is no protocol "poll"/,
  );
});

it("brings a command, which help lists under its heading", async () => {
  const { io, written } = commandIo({ cwd: "/", env: {} });
  const features = [...shipped, poll];
  const own = { ...io, features, protocols: withProtocols([], features) };
  const parsed = await parseCommandLine(["poll", "count"], own);
  expect(await parsed?.command.run(own, {}, [])).toBe(7);
  expect(written.stderr).toBe("");
});

it("is on the first screen of help where it says so", async () => {
  const { io, written } = commandIo({ cwd: "/", env: {} });
  await parseCommandLine(["--help"], { ...io, features: [...shipped, poll] });
  expect(written.stdout).toMatch(/^\s+poll +Ask everybody once$/m);
  expect(written.stdout).not.toMatch(/^\s+forest /m);
});

it("brings formats, a command of a chat, and what its command was called", async () => {
  const { io, written } = commandIo({ cwd: "/", env: {} });
  const [command] = poll.commands;
  const own = defineFeature({
    ...poll,
    exports: {
      ...{ protocol: "poll", record: "tally", shows: "Every vote", help: "tally is a table of votes." },
      formats: { tally: { type: "text/plain", ending: "txt", whole: "its votes" } },
      load: () => Promise.resolve({ text: () => Promise.resolve("1 vote\n"), inFile: () => undefined }),
    },
    chat: { poll: "ask everybody" },
    commands: [{ ...command, meant: { count: "sum" }, was: { survey: ["count"] } }],
  });
  const all = { ...io, features: [...shipped, own], protocols: withProtocols([], [...shipped, own]) };
  for (const [name, listed] of [
    ["export", "debate, dialectic, review, sarif, github, tally, local2"],
    ["resume", "parley, dialectic (its DebateState) or tally (its votes)"],
  ] as const) {
    const row = await rowNamed(name, all);
    expect(row && isCommand(row) && row.options["format"]?.description).toContain(listed);
  }
  expect((await parseCommandLine(["survey"], all))?.command.name).toBe("count");
  expect(written.stderr).toBe("parley survey is now parley poll count\n");
  await expect(parseCommandLine(["sum"], all)).rejects.toMatchObject({
    details: { next: "parley poll count" },
  });
  expect(completeCommand(all, "/po")).toEqual([["/poll"], "/po"]);
  await using server = await testServer({ surfaces: [await nativeApi([own])] });
  const { paths } = (await server.get("openapi.json")).json;
  const [format] = paths["/deliberations/{id}/export"].get.parameters.filter(
    ({ name }: { readonly name: string }) => name === "format",
  );
  expect(format.schema.enum).toEqual(["md", "html", "json", "jsonl", "csv", "adr", "tally", "local2"]);
});

it("adds to a group that another feature has", async () => {
  const { io } = commandIo({ cwd: "/", env: {} });
  const more = defineFeature({
    name: "more",
    commands: [
      {
        name: "poll",
        summary: "More about polls",
        heading: "Evaluate",
        load: () =>
          Promise.resolve([
            defineCommand("close", "Close a poll", {
              examples: ["poll close", "poll close"],
              run: async () => 8,
            }),
          ]),
      },
    ],
  });
  const own = { ...io, features: [poll, more] };
  for (const [word, exit] of [
    ["count", 7],
    ["close", 8],
  ] as const)
    expect(await (await parseCommandLine(["poll", word], own))?.command.run(own, {}, [])).toBe(exit);
});

it("brings an operation, which the server answers and its document has", async () => {
  await using server = await testServer({ surfaces: [await nativeApi([poll])] });
  expect((await server.get("polls")).json).toEqual({ data: ["Which?"] });
  const { paths, components } = (await server.get("openapi.json")).json;
  expect(paths["/polls"].get.operationId).toBe("listPolls");
  expect(components.schemas.PollList.properties.data.type).toBe("array");
});

it("brings a tool, which asks by its protocol and stands behind all others", async () => {
  await using server = await mcpTestServer({ mcp: { features: [poll] } });
  await using client = await mcpClient(server);
  const { tools } = await client.listTools();
  expect(tools.at(-1)).toMatchObject({
    name: "poll",
    description: "Ask everybody once.",
    inputSchema: { required: ["question"], properties: { settings: {}, request: {}, on_disconnect: {} } },
  });
  // This server has no such protocol: the tool asked for it.
  expect(await refusal(client, "poll", { question: "Which?" })).toContain("poll");
});

describe("a feature that settings name", () => {
  built();
  const index = pathToFileURL(join(import.meta.dirname, "../dist/index.mjs")).href;
  const zod = pathToFileURL(join(import.meta.dirname, "../node_modules/zod/index.js")).href;
  const module = `
    import { defineFeature, defineProtocol } from ${JSON.stringify(index)};
    import * as z from ${JSON.stringify(zod)};
    const echo = defineProtocol({
      name: "echo", version: 1, summary: "Repeat the question", templates: [], settings: z.strictObject({}),
      seats: [{ name: "member", filledBy: "models", min: 1, max: 1 }],
      async deliberate({ question, run, seats }) {
        const [by] = seats("member");
        const answer = await run.derive({ key: "echo", outcomes: ["answer-given"], input: { question } }, () => ({
          type: "answer-given", data: { by: by.id, kind: "draft", round: 1, text: question, final: null },
        }));
        return { outcome: "answered", answer: answer.origin.step, control: null };
      },
    });
    export default defineFeature({
      name: "echoes",
      protocols: { echo: async () => echo },
      commands: [{ name: "echoes", summary: "Count echoes", heading: "Evaluate", load: async () => ({
        name: "echoes", summary: "Count echoes", options: {}, examples: ["echoes", "echoes"],
        run: async ({ output }) => { await output.result("none yet\\n"); return 0; },
      }) }],
    });`;

  it("takes effect where it is trusted as it is, with its protocol and its command", async () => {
    await using place = somewhere();
    writeFileSync(join(place.cwd, "echoes.mjs"), module);
    writeFileSync(join(place.cwd, "parley.yaml"), "features: ./echoes.mjs\n");
    const refused = await place.call(["echoes"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /parley\.yaml is not trusted as it is now, and names features: .*echoes\.mjs/,
    );
    expect((await place.call(["--version"])).code).toBe(0);
    expect((await place.call(["trust", "--yes"])).stdout).toContain("echoes.mjs");
    expect((await place.call(["echoes"])).stdout).toBe("none yet\n");
    const answered = await place.call(["echo", "hm hm", "--model", "sim/ada"]);
    expect(answered.stdout).toContain("hm hm");
    expect((await place.call(["show"])).stdout).toContain("hm hm");
    writeFileSync(join(place.cwd, "echoes.mjs"), `${module}\n`);
    expect((await place.call(["echoes"])).stderr).toContain("is not trusted as it is now");
  });

  it("is refused with what is wrong and what to do", async () => {
    await using place = somewhere();
    mkdirSync(place.home, { recursive: true });
    const refusal = async (named: string, text?: string) => {
      if (text !== undefined) writeFileSync(join(place.home, named), text);
      writeFileSync(
        join(place.home, "parley.yaml"),
        `features: [${named.endsWith("mjs") ? `./${named}` : named}]\n`,
      );
      const { code, stderr } = await place.call(["list"]);
      expect(code).toBe(2);
      return stderr.replaceAll(place.home, "HOME");
    };
    expect(await refusal("absent")).toBe(
      'parley: the feature "absent" is not installed.\nTry: cd "HOME" && npm install absent\n',
    );
    expect(await refusal("broken.mjs", "throw new Error('no')")).toMatch(
      /broken.mjs" cannot be loaded: Error: no\.\nTry: correct it/,
    );
    expect(await refusal("empty.mjs", "export default 7")).toMatch(/has no feature as its default export/);
    expect(await refusal("taken.mjs", "export default { name: 'forest' }")).toMatch(
      /is called forest, as another one is/,
    );
  });
});
