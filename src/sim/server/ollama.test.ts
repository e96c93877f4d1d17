import { describe, expect, it } from "vitest";
import { ollama, type ChatOrder } from "./wires.ts";

const asked = { model: "ada", messages: [{ role: "user", content: "x" }] };
const read = (over: object): ChatOrder => {
  const reading = ollama.read({ ...asked, ...over });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.order;
};

describe("a request of Ollama's form", () => {
  it("streams unless it says otherwise, and has no bound unless it says one", () => {
    expect(read({})).toEqual({
      model: "ada",
      messages: [{ role: "user", text: "x" }],
      maxOutputTokens: 4_096,
      temperature: undefined,
      reply: undefined,
      stream: true,
      usage: true,
    });
    expect(read({ stream: null }).stream).toBe(true);
    expect(read({ stream: false }).stream).toBe(false);
  });

  it("is bounded by num_predict; num_ctx is read and changes nothing", () => {
    const options = { num_predict: 7, num_ctx: 1, temperature: 0, top_k: 4 };
    expect(read({ options, keep_alive: "5m" })).toEqual({ ...read({}), maxOutputTokens: 7, temperature: 0 });
    expect(read({ options: { num_predict: -1 } }).maxOutputTokens).toBe(4_096);
    expect(read({ options: null }).maxOutputTokens).toBe(4_096);
  });

  it.each([
    [{ type: "array" }, { type: "array" }],
    ["json", { type: "object" }],
    ["", undefined],
    [null, undefined],
  ])("wants a reply in the format %j", (format, schema) => {
    expect(read({ format }).reply?.schema).toEqual(schema);
  });

  it.each([
    ["ada:latest", "ada"],
    ["ada:latest?skill=1&family=a:latest", "ada?skill=1&family=a:latest"],
    ["sim/ada?skill=1", "sim/ada?skill=1"],
    ["ada:7b", "ada:7b"],
  ])("names %s, which is %s", (model, name) => {
    expect(read({ model }).model).toBe(name);
  });

  it("has messages of every role, with the name of a tool as its id", () => {
    const messages = [
      { role: "system", content: "s" },
      { role: "assistant", content: "", tool_calls: [{ function: { name: "look", arguments: {} } }] },
      { role: "tool", content: "rain", tool_name: "look" },
      { role: "tool" },
      { role: "other", content: null },
    ];
    expect(read({ messages }).messages).toEqual([
      { role: "system", text: "s" },
      { role: "assistant", text: "" },
      { role: "tool", id: "look", text: "rain" },
      { role: "tool", id: "", text: "" },
      { role: "user", text: "" },
    ]);
  });

  it.each([[{ messages: [] }], [{ model: "" }], [{ options: { num_ctx: 0 } }], [{ format: 5 }]])(
    "is refused with %j",
    (over) => {
      expect(ollama.read({ ...asked, ...over }).ok).toBe(false);
    },
  );
});

describe("a refusal of Ollama's form", () => {
  it("says that a model is not there in Ollama's words, and everything else as it is", () => {
    expect(JSON.parse(ollama.error(404, "simulated: why", "gemma3:27b"))).toEqual({
      error: "model 'gemma3:27b' not found; simulated: why",
    });
    expect(JSON.parse(ollama.error(404, "simulated: no such path"))).toEqual({
      error: "simulated: no such path",
    });
    expect(JSON.parse(ollama.error(503, "simulated: full", "ada"))).toEqual({ error: "simulated: full" });
  });
});
