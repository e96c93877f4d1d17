import { describe, expect, it } from "vitest";
import { debateAsked, debaters, type Says } from "../../../../../test/support/debate-table.ts";
import type { Json } from "../../../../kernel/index.ts";
import { closingOf, eventsOf, stage, type Stage, type StageOptions } from "../../../../testing/stage.ts";
import { debate } from "./index.ts";

const table = (says: Readonly<Record<string, Says>> = {}, options: Partial<StageOptions> = {}): Stage =>
  stage({ protocols: [debate], script: debaters(says), ...options });

describe("tools", () => {
  const spec = {
    name: "context_search",
    description: "searches",
    parameters: { type: "object", properties: { term: { type: "string" } } },
  };
  const settings = (limit: number) => ({
    rounds: 1,
    tools: { ada: { names: ["context_search"], limit } },
    toolSpecs: [spec],
  });
  const calls = (term: string) => ({
    text: "",
    finish: "tool-calls",
    toolCalls: [{ id: "t1", name: "context_search", arguments: JSON.stringify({ term }) }],
  });

  it("answers a tool call with data, one step each", async () => {
    const on = table({
      ada: {
        critique: (request) =>
          request.messages.some(({ role }) => role === "tool") ? "Found." : calls("proposal"),
      },
    });
    const { entries } = await on.play(debateAsked({ settings: settings(10) }));
    const called = eventsOf(entries, "tool-called");
    expect(called).toHaveLength(2);
    // What was proposed in this very round is found, under labels.
    for (const { data } of called) expect(data.result).toMatchObject({ total: 3 });
    const steps = entries.flatMap(({ origin }) =>
      "step" in origin && origin.step.startsWith("round-1/critique/ada/of/bob") ? [origin.step] : [],
    );
    expect(steps).toEqual([
      "round-1/critique/ada/of/bob",
      "round-1/critique/ada/of/bob/tool-1",
      "round-1/critique/ada/of/bob/turn-2",
    ]);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
  });

  it("takes the tools away when its calls are used up", async () => {
    const on = table({
      ada: { proposal: (request) => (request.tools ? calls("x") : "Proposal without tools.") },
    });
    const { entries } = await on.play(debateAsked({ settings: settings(3) }));
    expect(eventsOf(entries, "tool-called")).toHaveLength(3);
    expect(
      eventsOf(entries, "answer-given").some(({ data }) => data.text === "Proposal without tools."),
    ).toBe(true);
  });

  it.each([
    [1, 5],
    [2, 3],
    [3, 3],
    [4, 9],
    [10, 30],
  ])(
    "with a limit of %i sends a reply of %i calls back whole: those beyond it have an error",
    async (limit, made) => {
      const all = Array.from({ length: made }, (_, nth) => ({
        ...{ id: `c${nth}`, name: "context_search" },
        arguments: '{"term": "x"}',
      }));
      const on = table({
        ada: {
          proposal: (request) =>
            request.messages.some(({ role }) => role === "tool")
              ? "Proposal."
              : { text: "Let me look.", finish: "tool-calls", toolCalls: all },
        },
      });
      const { id, entries } = await on.play(debateAsked({ settings: settings(limit) }));
      expect(eventsOf(entries, "tool-called")).toHaveLength(Math.min(limit, made));
      const turn = on.models.calls.find(({ request }) =>
        request.messages.some(({ role }) => role === "tool"),
      );
      const messages = turn?.request.messages ?? [];
      expect(messages.find(({ role }) => role === "assistant")).toMatchObject({
        text: "Let me look.",
        toolCalls: all,
      });
      const results = messages.filter((message) => message.role === "tool");
      expect(results.map((one) => one.id)).toEqual(all.map((one) => one.id));
      expect(
        results.map(({ text }) => text.includes(`not called: the limit is ${limit} tool calls`)),
      ).toEqual(all.map((_, nth) => nth >= limit));
      await expect(on.engine.replay(id)).resolves.toMatchObject({ calls: 14 });
    },
  );

  it.each<[string, () => Promise<Json>, RegExp]>([
    ["throws", () => Promise.reject(new Error("EIO: the disk is gone")), /the tool failed: EIO/],
    [
      "gives more than an event holds",
      () => Promise.resolve("x".repeat(5_000_000)),
      /the result is too large: 5000\d+ bytes/,
    ],
    [
      "gives many characters of many bytes",
      () => Promise.resolve(["€".repeat(1_500_000)]),
      /too large: 4500\d+ bytes/,
    ],
    ["gives nothing", () => Promise.resolve(undefined as never), /its result is not JSON/],
    ["gives what is no JSON", () => Promise.resolve({ at: 1n } as never), /its result is not JSON/],
  ])("goes on with an error as the result where a tool %s", async (_, use, error) => {
    const on = table(
      {
        ada: {
          proposal: (request) =>
            request.messages.some(({ role }) => role === "tool")
              ? "Proposal all the same."
              : {
                  text: "",
                  finish: "tool-calls",
                  toolCalls: [{ id: "t", name: "file_read", arguments: "{}" }],
                },
        },
      },
      {
        ports: {
          tools: () => Promise.resolve({ specs: [], call: async () => ({ ok: true, result: await use() }) }),
        },
      },
    );
    const asked = debateAsked({
      settings: {
        ...settings(3),
        tools: { ada: { names: ["file_read"], limit: 3 } },
        toolSpecs: [{ ...spec, name: "file_read" }],
      },
    });
    const { entries } = await on.play(asked);
    const [called] = eventsOf(entries, "tool-called");
    expect(JSON.stringify(called?.data.result)).toMatch(error);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
  });

  it("answers no more calls of one reply than are left", async () => {
    const three = ["a", "b", "c"].map((id) => ({ id, name: "context_search", arguments: '{"term": "x"}' }));
    const on = table({
      ada: {
        proposal: (request) =>
          request.tools ? { text: "", finish: "tool-calls", toolCalls: three } : "Proposal after two.",
      },
    });
    const { entries } = await on.play(debateAsked({ settings: settings(2) }));
    expect(eventsOf(entries, "tool-called")).toHaveLength(2);
  });

  it("refuses a tool that was not given, in the result", async () => {
    const on = table({
      ada: {
        proposal: (request) =>
          request.messages.some(({ role }) => role === "tool")
            ? "Well."
            : { ...calls("x"), toolCalls: [{ id: "t", name: "file_read", arguments: "{" }] },
      },
    });
    const { entries } = await on.play(debateAsked({ settings: settings(3) }));
    expect(eventsOf(entries, "tool-called")[0]?.data).toMatchObject({
      tool: "file_read",
      arguments: "{",
      result: { error: "there is no such tool" },
    });
  });
});
