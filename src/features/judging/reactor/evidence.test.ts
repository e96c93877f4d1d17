import { LOCAL } from "../../../testing/store-samples.ts";
import { describe, expect, it } from "vitest";
import { isEvent, type Entry, type ToolCall } from "../../../kernel/index.ts";
import { respondAsked, responding, second } from "../../../../test/support/toys/respondents.ts";
import { stage } from "../../../testing/stage.ts";
import { collectEvidence, type Evidence } from "./request.ts";

const alone = new AbortController().signal;
const call = (id: string, name: string): ToolCall => ({ id, name, arguments: '{"q":1}' });
const result = (tool: string) => ({ tool, arguments: { q: 1 }, result: { of: tool, found: '{"q":1}' } });

/** What the answers of both rest on, where both have one name or each its own. */
async function evidences(ada: readonly ToolCall[], bob: readonly ToolCall[], oneName = false) {
  const asked = respondAsked({});
  const on = stage({
    protocols: [responding],
    reactors: [second],
    script: Object.fromEntries(
      Object.entries({ ada, bob }).map(([name, toolCalls]) => [
        name,
        (_: unknown, nth: number) => (nth === 1 && toolCalls.length > 0 ? { text: "", toolCalls } : "so"),
      ]),
    ),
  });
  const { opened } = await on.engine.open("r1", asked);
  await on.drive(opened.deliberation);
  await on.clock.settle(on.engine.drain(opened.deliberation, { worker: "w", signal: alone }));
  const entries = (await on.store.for(LOCAL).read(opened.deliberation)).map(
    (entry) =>
      oneName && "by" in entry.data ? ({ ...entry, data: { ...entry.data, by: "ada" } } as Entry) : entry, // still the same event
  );
  return entries.flatMap((entry): Evidence[] =>
    isEvent(entry, "answer-given") ? [collectEvidence(entries, entry)] : [],
  );
}

describe("evidenceOf", () => {
  it("has the tools of an answer's own speaker, in the order of their calls", async () => {
    expect(await evidences([call("t1", "search"), call("t2", "fetch"), call("t3", "search")], [])).toEqual([
      {
        tools: ["search", "fetch"],
        results: [result("search"), result("fetch"), result("search")],
        missing: 0,
      },
      { tools: [], results: [], missing: 0 },
    ]);
  });

  it.each([false, true])("tells a protocol's tools from a reaction's, by one name: %s", async (oneName) => {
    expect(await evidences([call("t1", "search")], [call("t1", "fetch")], oneName)).toEqual([
      { tools: ["search"], results: [result("search")], missing: 0 },
      { tools: ["fetch"], results: [result("fetch")], missing: 0 },
    ]);
  });

  it("counts calls without a result", async () => {
    const [ada] = await evidences(
      [call("t1", "search"), call("lost1", "search"), call("lost2", "fetch")],
      [],
    );
    expect(ada).toEqual({ tools: ["search", "fetch"], results: [result("search")], missing: 2 });
  });
});
