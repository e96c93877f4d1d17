import { describe, expect, it } from "vitest";
import { openParley, type ParleyOptions } from "../src/app/parley.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { respond } from "../src/features/respond/protocol/index.ts";
import { isFault } from "../src/kernel/index.ts";
import { defineModel, type OwnCall, type OwnModels, type FunctionReply } from "../src/models/define-model.ts";
import { checkOwnModels } from "../src/models/own-model.ts";

const open = (models: OwnModels, options: Partial<ParleyOptions> = {}) =>
  openParley({ store: ":memory:", env: {}, protocols: [respond, council], models, ...options });

const ASKED = { question: "What is 2 + 2?", models: ["mine/echo"], reactions: false } as const;

/** What comes of a question to a model of one function. */
async function ask(
  reply: (call: OwnCall) => FunctionReply | void | Promise<FunctionReply | void>,
  more = {},
) {
  await using parley = await open({ "mine/echo": defineModel(reply) });
  const run = await parley.start({ ...ASKED, ...more }, { waitMs: 10_000 });
  const pieces: string[] = [];
  for await (const token of run.tokens()) if (token.kind === "text") pieces.push(token.delta.text);
  return { ...(await run.outcome()), pieces };
}

describe("a model that a function is", () => {
  it("is given the texts of a prompt alone, and the form that is asked for", async () => {
    const calls: OwnCall[] = [];
    const model = defineModel((call) => void calls.push(call));
    const part = (text: string) => ({ type: "text", text });
    const prompt = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [part("One"), { type: "file", data: "x" }, part("Two")] },
      { role: "tool", content: [{ type: "tool-result", text: "391" }] },
    ];
    const schema = { type: "object" };
    const options = { prompt, maxOutputTokens: 321, responseFormat: { type: "json", schema } };
    const { stream } = (await model.doStream(options)) as { stream: ReadableStream };
    await stream.getReader().read();
    expect(calls).toMatchObject([{ maxTokens: 321, schema }]);
    expect(calls[0]?.messages).toEqual([
      { role: "system", text: "Be brief." },
      { role: "user", text: "One\n\nTwo" },
    ]);
  });

  it("is given the prompt, and its text is the answer; what it costs is unknown", async () => {
    const calls: OwnCall[] = [];
    const { status, result } = await ask(
      (call) => {
        calls.push(call);
        return "It is 4.";
      },
      { temperature: 0.5 },
    );
    expect(status).toBe("answered");
    expect(result).toMatchObject({
      ...{ answer: "It is 4.", simulated: false, cost: { usd: null } },
      participants: [{ model: "mine/echo", without: [] }],
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ temperature: 0.5, maxTokens: expect.any(Number), schema: undefined });
    expect(calls[0]?.maxTokens).toBeGreaterThan(100);
    expect(calls[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(calls[0]?.messages.at(-1)?.text).toContain("What is 2 + 2?");
  });

  it("is heard while it writes, whether it returns the whole, its end or nothing", async () => {
    const long = "One sentence of the answer that is long enough to be shown. ";
    const write = async ({ onText }: OwnCall) => {
      onText(long);
      await new Promise((resolve) => setTimeout(resolve, 150));
      onText("Two.");
    };
    for (const last of ["", `${long}Two.`, `${long}Two.  `, `${long}Two. Three.`]) {
      const { result, pieces } = await ask(async (call) => {
        await write(call);
        return last === "" ? undefined : last;
      });
      expect(result?.answer).toBe(last === "" ? `${long}Two.` : last);
      expect(pieces.length).toBeGreaterThan(1);
    }
    const { status, problem } = await ask(async (call) => (await write(call), "Another."));
    expect([status, problem?.failures[0]?.message]).toEqual([
      "failed",
      "the function returned another text than it gave to onText",
    ]);
  });

  it("is not heard any more when it has replied, or is stopped", async () => {
    const late: string[] = [];
    const say = ({ onText }: OwnCall, text: string) =>
      setTimeout(() => {
        onText(text);
        late.push(text);
      }, 20);
    const { result } = await ask((call) => (say(call, "late"), "It is 4."));
    expect(result?.answer).toBe("It is 4.");
    const stopped = await ask(
      (call) =>
        new Promise((resolve) => {
          call.signal.addEventListener("abort", () => (say(call, "later"), resolve("Too late.")));
        }),
      { timeoutMs: 100 },
    );
    expect(stopped.status).not.toBe("answered");
    await expect.poll(() => late).toEqual(["late", "later"]);
  });

  it("says what it took, and has a price where the settings name one", async () => {
    const models = {
      "mine/echo": defineModel(() => ({ text: "4", tokens: { in: 1_000, out: 100 }, finish: "length" })),
    };
    const prices = { "mine/echo": { in: 1, out: 10 } };
    await using parley = await open(models, { settings: { prices } });
    const { result } = await (await parley.start({ ...ASKED, maxCostUsd: 1 })).outcome();
    expect(result).toMatchObject({ tokens: { in: 1_000, out: 100 }, cost: { usd: 0.002, source: "table" } });
    expect(result?.degraded[0]?.why).toMatch(/^cut off/);
    await using unpriced = await open(models);
    const refused = await unpriced.start({ ...ASKED, maxCostUsd: 1 }).catch((error: unknown) => error);
    expect(isFault(refused, "budget") && refused.message).toMatch(/the price of mine\/echo is unknown/);
  });

  it("is asked again after what a server or a network did, and not after an error of its own", async () => {
    const failing = (...errors: readonly unknown[]) => {
      const left = [...errors];
      let calls = 0;
      const reply = () => {
        calls += 1;
        if (left.length > 0) throw left.shift();
        return "4";
      };
      return { reply, calls: () => calls };
    };
    const busy = failing(Object.assign(new Error("slow down"), { status: 429 }));
    const gone = failing(new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }));
    for (const one of [busy, gone])
      expect([(await ask(one.reply)).result?.answer, one.calls()]).toEqual(["4", 2]);
    for (const error of [new TypeError("x is not a function"), new Error("boom"), "boom"]) {
      const own = failing(error);
      const { status, problem } = await ask(own.reply);
      expect([status, problem?.failures[0]?.code, own.calls()]).toEqual(["failed", "refused", 1]);
      expect(problem?.failures[0]?.message).toBe(typeof error === "string" ? "it failed" : error.message);
    }
    const { problem } = await ask(() => ({ text: 7 }) as never);
    expect(problem?.failures[0]?.message).toBe("the function returned no text");
    const closed = failing(Object.assign(new Error("who are you?"), { statusCode: 401 }));
    expect((await ask(closed.reply)).problem?.failures).toMatchObject([{ code: "unauthorised", http: 401 }]);
  });

  it("is told when it is given up, and not waited for", async () => {
    let given: AbortSignal | undefined;
    await using parley = await open({
      "mine/echo": defineModel(({ signal }) => {
        given = signal;
        return new Promise<string>(() => undefined);
      }),
    });
    const run = await parley.start(ASKED);
    const outcome = run.outcome();
    while (given === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    run.interrupt();
    expect([(await outcome).status, given.aborted]).toEqual(["interrupted", true]);
  });

  it("sits in a council beside others, is replayed without a call, and asked anew by a fork", async () => {
    let calls = 0;
    const four = defineModel(() => `It is ${(calls += 1) && 4}.`);
    await using parley = await open({ "mine/echo": four, "mine/other": four });
    const models = ["mine/echo", "mine/other", "sim/ada"];
    const run = await parley.start({ ...ASKED, protocol: "council", models, chair: ["sim/ada"] });
    expect((await run.outcome()).status).toMatch(/^answered/);
    const before = calls;
    expect(before).toBeGreaterThan(1);
    expect(await parley.replay(run.id)).toMatchObject({ closed: true });
    const fork = await parley.fork(run.id, { chair: ["mine/echo"] });
    expect((await fork.outcome()).result?.answer).toBe("It is 4.");
    expect(calls).toBe(before + 1);
  });

  it("may be a language model of the AI SDK, or come from a feature", async () => {
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "text-delta", id: "1", delta: "It is 4." },
      { type: "finish", finishReason: "stop", usage: { inputTokens: 9, outputTokens: 3 } },
    ];
    const stream = () =>
      new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
    const sdk = { specificationVersion: "v2", doStream: () => Promise.resolve({ stream: stream() }) };
    const features = [{ name: "mine", models: { "mine/echo": sdk } }];
    await using parley = await open({}, { features });
    const { result } = await (await parley.start(ASKED)).outcome();
    expect(result).toMatchObject({ answer: "It is 4.", tokens: { in: 9, out: 3 } });
  });

  it("is found by its name, and a wrong one is refused before a call", async () => {
    await using parley = await open({ "mine/echo": defineModel(() => "4") });
    await expect(parley.start({ ...ASKED, models: ["mine/ecco"] })).rejects.toThrow(
      "this program has no model mine/ecco; mine/echo",
    );
    const echo = defineModel(() => "4");
    for (const ref of [
      "echo",
      "openai/echo",
      "sim/echo",
      "recorded/x",
      "human/x",
      "any/x",
      "compatible/x/y",
      "codex/x",
      "ai-sdk/x/y",
      "mine/a b",
      "mine/a?b=1",
    ])
      expect(() => checkOwnModels({ [ref]: echo }), ref).toThrow(/cannot be called so/);
    for (const none of [undefined, () => "4", {}, { specificationVersion: "v9", doStream: () => 0 }])
      expect(() => checkOwnModels({ "mine/echo": none as never })).toThrow(/is none; give what defineModel/);
  });
});
