import { describe, expect, it } from "vitest";
import { ModelRef, type Delta } from "../kernel/index.ts";
import { scripted } from "./scripted-models.ts";
import { stepClock } from "./step-clock.ts";
import { toyRequest } from "./kit.ts";

const request = (name: string, text = "?") =>
  toyRequest({ model: ModelRef.parse(`sim/${name}?skill=1`) }, text);
const alone = () => ({ signal: new AbortController().signal });

describe("scripted models", () => {
  it("say their lines in order, under the last segment of the model, and count", async () => {
    const models = scripted({ ada: ["one", { text: "two", finish: "length" }], bob: "hi" });
    expect(await models.complete(request("ada"), alone())).toMatchObject({
      ok: true,
      reply: "one",
      finish: "stop",
    });
    expect(() => models.done()).toThrow(
      'the script was not followed: "ada" was called 1 of 2 times; "bob" was called 0 of 1 times',
    );
    expect(await models.complete(request("ada"), alone())).toMatchObject({ reply: "two", finish: "length" });
    expect(await models.complete(request("bob"), alone())).toMatchObject({ reply: "hi" });
    expect([models.count(), models.count("ada"), models.count("cyd")]).toEqual([3, 2, 0]);
    models.done();
  });

  it("reject a call that nobody scripted, which no provider's failure looks like", async () => {
    const models = scripted({ ada: "one" });
    await models.complete(request("ada"), alone());
    await expect(models.complete(request("ada"), alone())).rejects.toThrow('nobody scripted call 2 of "ada"');
    await expect(models.complete(request("constructor"), alone())).rejects.toThrow("nobody scripted");
    expect(() => models.done()).toThrow('"ada" was called and had nothing to say');
  });

  it("fail with a given code, hang until they are aborted, and take their time on a clock", async () => {
    const clock = stepClock();
    const models = scripted(
      {
        ada: { fail: "overloaded", usd: 0.5, message: "busy" },
        bob: { hang: true },
        cyd: { text: "slow", latencyMs: 500 },
      },
      { clock },
    );
    expect(await models.complete(request("ada"), alone())).toMatchObject({
      ok: false,
      failure: { code: "overloaded", message: "busy" },
      cost: { usd: 0.5 },
    });
    const stop = new AbortController();
    const hanging = models.complete(request("bob"), { signal: stop.signal });
    const slow = models.complete(request("cyd"), alone());
    await clock.advance(499);
    expect(models.calls.map(({ outcome }) => outcome)).toEqual(["failed", "pending", "pending"]);
    await clock.advance(1);
    expect(await slow).toMatchObject({ reply: "slow", latencyMs: 500 });
    stop.abort();
    expect(await hanging).toMatchObject({ ok: false, failure: { code: "cancelled" }, cost: { usd: null } });
    models.done();
  });

  it("stream what they are told to, and answer by name and number where a function is given", async () => {
    const heard: Delta[] = [];
    const models = scripted(
      { who: ({ messages }, nth) => `${nth}: ${JSON.stringify(messages[0])}` },
      { nameOf: () => "who" },
    );
    const call = await models.complete(request("ada", "hm"), {
      ...alone(),
      onDelta: (delta) => heard.push(delta),
    });
    expect(call).toMatchObject({ reply: '1: {"role":"user","text":"hm"}' });
    expect(heard).toEqual([{ attempt: 1, offset: 0, text: call.ok ? call.reply : "" }]);
    models.done();
  });
});

describe("the step clock", () => {
  it("moves when it is told to, and wakes sleepers in the order of their times", async () => {
    const clock = stepClock({ startMs: 0 });
    const log: string[] = [];
    const sleep = (ms: number, name: string) =>
      clock.sleep(ms, alone().signal).then(() => log.push(`${name} at ${clock.now()}`));
    void sleep(30, "c");
    void sleep(10, "a").then(() => sleep(10, "b"));
    void sleep(30, "d");
    await clock.advance(29);
    expect([log, clock.now(), clock.asleep]).toEqual([["a at 10", "b at 20"], 29, 2]);
    await clock.advance(10);
    expect([log, clock.now()]).toEqual([["a at 10", "b at 20", "c at 30", "d at 30"], 39]);
    expect([clock.id(), clock.id()]).toEqual(["id1", "id2"]);
  });

  it("wakes who is aborted, at once and only once", async () => {
    const clock = stepClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(1_000, stop.signal);
    stop.abort();
    await sleeping;
    await clock.sleep(1_000, stop.signal);
    expect(clock.asleep).toBe(0);
  });

  it("settles what only time keeps waiting, and says so when time would not help", async () => {
    const clock = stepClock({ startMs: 0 });
    expect(await clock.settle(clock.sleep(5_000, alone().signal).then(() => clock.now()))).toBe(5_000);
    await expect(clock.settle(Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(clock.settle(new Promise(() => undefined))).rejects.toThrow("nothing is left to wait for");
    const ticking = async () => {
      for (;;) await clock.sleep(1_000, alone().signal);
    };
    await expect(clock.settle(ticking(), 10_000)).rejects.toThrow("has not settled");
  });
});
