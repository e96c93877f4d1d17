import { describe, expect, it } from "vitest";
import { ModelRef, type Call, type CallNews, type Delta, type ModelRequest } from "../kernel/model.ts";
import { noUsage, type Attempt, type SendContext, type Transport } from "../kernel/transport.ts";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { createModels, type CallLimits } from "./models.ts";

const request: ModelRequest = {
  model: ModelRef.parse("sim/ada?family=x"),
  messages: [{ role: "user", text: "hello" }],
  maxOutputTokens: 100,
};

type Line = (sending: SendContext) => Attempt | Promise<Attempt>;

const used = (sent: number, usd: number | null = null) => ({
  tokens: { in: sent, out: 1, cached: null, reasoning: null },
  usd,
});
const answers: Line = ({ onText }) => {
  onText("yes");
  return { ok: true, text: "yes", toolCalls: [], finish: "stop", usage: used(5) };
};
const fails =
  (over: Partial<Extract<Attempt, { ok: false }>> = {}): Line =>
  ({ onText }) => {
    onText("ye");
    const failure = { code: "overloaded", message: "too much" } as const;
    return { ok: false, failure, retry: "later", waitMs: null, crowded: false, usage: noUsage, ...over };
  };
const hangs: Line = ({ signal }) =>
  new Promise((resolve) => {
    const end = async (): Promise<void> =>
      resolve(await fails({ usage: used(7) })({ attempt: 1, signal, onText: () => {} }));
    signal.addEventListener("abort", () => void end());
  });

/** A transport that says its lines in turn, and fails the test when it has no line left. */
const scripted = (lines: readonly Line[], limits: Partial<CallLimits> = {}) => {
  const clock = createFakeClock();
  const attempts: number[] = [];
  const limitsAsked: number[] = [];
  const transport: Transport = {
    send: async (asked, sending) => {
      attempts.push(sending.attempt);
      limitsAsked.push(asked.maxOutputTokens);
      const line = lines[attempts.length - 1];
      if (line === undefined) throw new Error(`nobody scripted attempt ${attempts.length}`);
      return line(sending);
    },
  };
  const models = createModels({
    env: {},
    locals: { sim: transport },
    limits,
    substitutes: { clock, random: () => 1 },
  });
  const deltas: Delta[] = [];
  const complete = (timeoutMs?: number, signal = new AbortController().signal): Promise<Call> =>
    models.complete(request, { signal, timeoutMs, onDelta: (delta) => deltas.push(delta) });
  return { clock, attempts, limits: limitsAsked, deltas, complete, models };
};

const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 1_000 && !holds(); turns += 1) await Promise.resolve();
};

const settle = (): Promise<void> => until(() => false);

describe("usage that cannot be", () => {
  it.each([
    [
      { in: 0, out: 0 },
      { in: null, out: null },
    ],
    [
      { in: 0, out: 12 },
      { in: null, out: 12 },
    ],
    [
      { in: 5, out: 0 },
      { in: 5, out: null },
    ],
    [
      { in: 5, out: 12 },
      { in: 5, out: 12 },
    ],
    [
      { in: null, out: null },
      { in: null, out: null },
    ],
  ])("of a reply with text is unknown: %j", async (given, expected) => {
    const usage = { tokens: { ...given, cached: null, reasoning: null }, usd: null };
    const { complete } = scripted([
      ({ onText }) => {
        onText("yes");
        return { ok: true, text: "yes", toolCalls: [], finish: "stop", usage };
      },
    ]);
    const call = await complete();
    expect(call.tokens).toMatchObject(expected);
    expect(call.unreported ?? 0).toBe(expected.in === null || expected.out === null ? 1 : 0);
  });
});

it("keeps the searches of a reply whose text was heard", async () => {
  const usage = { ...used(5), searches: 2 };
  const { complete } = scripted([
    ({ onText }) => {
      onText("yes");
      return { ok: true, text: "yes", toolCalls: [], finish: "stop", usage };
    },
  ]);
  expect(await complete()).toMatchObject({ searches: 2 });
});

describe("a call answered inside this process", () => {
  it("is retried, counted and streamed like any other, and costs nothing", async () => {
    const { clock, attempts, deltas, complete } = scripted([fails(), answers]);
    const call = complete();
    await clock.skip(20_000);
    expect(await call).toEqual({
      ok: true,
      limit: 100,
      reply: "yes",
      finish: "stop",
      model: request.model,
      family: "x",
      tokens: { in: 5, out: 1, cached: null, reasoning: null },
      cost: { source: "free", usd: 0 },
      latencyMs: 500,
      attempts: 2,
      unreported: 1,
    });
    expect(attempts).toEqual([1, 2]);
    expect(deltas.map(({ attempt, offset, text }) => `${attempt}/${offset} ${text}`)).toEqual([
      "1/0 ye",
      "2/0 yes",
    ]);
  });

  it("is cancelled whatever its transport makes of the abort, and CALL-4: pays for what was used", async () => {
    const { complete, attempts } = scripted([hangs]);
    const control = new AbortController();
    const call = complete(undefined, control.signal);
    await until(() => attempts.length === 1);
    control.abort();
    expect(await call).toMatchObject({
      ok: false,
      failure: { code: "cancelled" },
      tokens: { in: 7 },
      attempts: 1,
    });
  });

  it("stands when its whole reply came before the abort was noticed", async () => {
    const control = new AbortController();
    const { complete } = scripted([
      (sending) => {
        control.abort();
        return answers(sending);
      },
    ]);
    expect(await complete(undefined, control.signal)).toMatchObject({ ok: true, reply: "yes" });
  });

  it("was never sent when it was aborted before", async () => {
    const { complete, attempts } = scripted([]);
    expect(await complete(undefined, AbortSignal.abort())).toMatchObject({
      ok: false,
      failure: { code: "cancelled" },
      attempts: 0,
    });
    expect(attempts).toEqual([]);
  });

  it("gives up at once when the next attempt would come after the deadline", async () => {
    const { complete, clock } = scripted([fails()]);
    expect(await complete(400)).toMatchObject({ ok: false, failure: { code: "overloaded" }, attempts: 1 });
    expect(clock.pending()).toEqual([]);
  });

  it("is cancelled while it waits to be sent again", async () => {
    const { complete, clock } = scripted([fails({ waitMs: 1_000 })]);
    const control = new AbortController();
    const call = complete(60_000, control.signal);
    await until(() => clock.pending().length === 2);
    control.abort();
    expect(await call).toMatchObject({
      failure: {
        code: "cancelled",
        message: "cancelled while waiting to send it again; the last attempt failed: too much",
      },
    });
  });

  it("gives its place back while it waits, and when its transport breaks", async () => {
    const broken: Line = () => {
      throw new Error("a bug");
    };
    const { complete, clock } = scripted([fails(), answers, broken, answers], {
      concurrency: { provider: 1, model: 1 },
    });
    const first = complete();
    expect(await complete()).toMatchObject({ ok: true });
    const third = complete();
    await expect(third).rejects.toThrow("a bug");
    await clock.skip(20_000);
    expect(await first).toMatchObject({ ok: true, attempts: 2 });
  });

  it("has a latency that counts its waits between attempts, and not its waits for a place", async () => {
    const { complete, clock, attempts } = scripted([fails(), hangs, answers], {
      concurrency: { provider: 1, model: 1 },
    });
    const control = new AbortController();
    const first = complete();
    await until(() => attempts.length === 1);
    const second = complete(undefined, control.signal);
    await until(() => attempts.length === 2);
    await clock.skip(20_000);
    await settle();
    clock.advance(3_000);
    control.abort();
    await second;
    expect(await first).toMatchObject({ ok: true, attempts: 2, latencyMs: 500 });
  });

  it("throws what its reader throws, and holds no place after it", async () => {
    const { models } = scripted([answers, answers], { concurrency: { provider: 1, model: 1 } });
    const options = { signal: new AbortController().signal };
    const onDelta = (): void => {
      throw new Error("cannot draw");
    };
    await expect(models.complete(request, { ...options, onDelta })).rejects.toThrow("cannot draw");
    expect(await models.complete(request, options)).toMatchObject({ ok: true });
  });

  it.each([1, 2, 3])("CALL-5: sends %i requests at most where it is told so", async (most) => {
    const { models, clock, attempts } = scripted([fails(), fails({ crowded: true }), fails(), fails()]);
    const call = models.complete(request, { signal: new AbortController().signal, attempts: most });
    for (let sent = 1; sent < most; sent += 1) await clock.skip(60_000);
    expect(await call).toMatchObject({ ok: false, failure: { code: "overloaded" }, attempts: most });
    expect(attempts).toHaveLength(most);
    expect(clock.pending()).toEqual([]);
  });

  it("CALL-5: counts no request that goes out again without what was refused, and a bound above the usual one changes nothing", async () => {
    const options = { signal: new AbortController().signal };
    const refused = [fails({ retry: "now" }), fails({ retry: "now" })];
    const once = scripted([...refused, answers]);
    const bound = { ...options, attempts: 1 };
    expect(await once.models.complete(request, bound)).toMatchObject({ ok: true, attempts: 3 });
    const twice = scripted([...refused, fails({ waitMs: 0 }), answers]);
    expect(await twice.models.complete(request, bound)).toMatchObject({ ok: false, attempts: 3 });
    const usual = scripted([fails({ waitMs: 0 }), fails({ waitMs: 0 })], { attempts: 2 });
    expect(await usual.models.complete(request, { ...options, attempts: 9 })).toMatchObject({ attempts: 2 });
  });

  it("CALL-5: comes to its reply when that is the only one allowed", async () => {
    const { models } = scripted([answers]);
    const options = { signal: new AbortController().signal, attempts: 1 };
    expect(await models.complete(request, options)).toMatchObject({ ok: true, reply: "yes", attempts: 1 });
  });
});

describe("what a call waits for", () => {
  const asking = (lines: readonly Line[], limits: Partial<CallLimits> = {}) => {
    const { models, clock, attempts } = scripted(lines, limits);
    const news: CallNews[] = [];
    const ask = (options: { timeoutMs?: number; withinMs?: number } = {}): Promise<Call> =>
      models.complete(request, {
        ...{ signal: new AbortController().signal, ...options },
        onNews: (one) => news.push(one),
      });
    return { ask, news, clock, attempts };
  };
  const one = { callsAtOnce: { sim: 1 } };
  const takes =
    (clock: { after: (ms: number, run: () => void) => unknown }, ms: number): Line =>
    (sending) =>
      new Promise((resolve) => void clock.after(ms, () => resolve(answers(sending))));

  it("is told: a place, and another attempt with its time and number; nothing where it waits for nothing", async () => {
    const { ask, news, clock, attempts } = asking([answers, fails({ waitMs: 14_000 }), answers]);
    await ask();
    expect(news).toEqual([]);
    const call = ask();
    await until(() => attempts.length === 2 && news.length > 0);
    const again = { kind: "waiting", for: "again", code: "overloaded", attempt: 2, of: 4 };
    expect(news).toMatchObject([again]);
    expect(news[0]).toMatchObject({ ms: 14_500 });
    await clock.skip(14_500);
    expect(await call).toMatchObject({ ok: true });
    expect(news.slice(1)).toEqual([{ kind: "sent", attempt: 2 }]);
  });

  it("is not its time where that is a place, and all the time where the caller has no more", async () => {
    const lines: Line[] = [];
    const { ask, news, clock, attempts } = asking(lines, one);
    lines.push(takes(clock, 5_000), takes(clock, 900), takes(clock, 5_000));
    const first = ask();
    const second = ask({ timeoutMs: 1_000 });
    const third = ask({ timeoutMs: 60_000, withinMs: 5_400 });
    await settle();
    expect(news).toEqual(Array(2).fill({ kind: "waiting", for: "place" }));
    clock.advance(5_000);
    await until(() => attempts.length === 2);
    expect(news.at(-1)).toEqual({ kind: "sent", attempt: 1 });
    expect(await first).toMatchObject({ ok: true });
    clock.advance(400);
    expect(await third).toMatchObject({
      failure: { code: "timed-out", cap: "time", message: expect.stringMatching(/^no reply within 5\.4 s/) },
    });
    clock.advance(500);
    expect(await second).toMatchObject({ ok: true, latencyMs: 900 });
    expect(clock.pending()).toEqual([]);
  });

  it("takes up its own time where it left it when it waits for a place again", async () => {
    const lines: Line[] = [];
    const { ask, clock, attempts } = asking(lines, one);
    lines.push(fails(), takes(clock, 5_000), hangs);
    let isOver = false;
    const first = ask({ timeoutMs: 1_000 }).finally(() => (isOver = true));
    await until(() => attempts.length === 1);
    const second = ask();
    await until(() => attempts.length === 2);
    clock.advance(500); // Half of its own time, and then a place is what it waits for.
    await settle();
    clock.advance(4_500);
    expect(await second).toMatchObject({ ok: true });
    await until(() => attempts.length === 3);
    clock.advance(499);
    await settle();
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await first).toMatchObject({
      failure: {
        code: "timed-out",
        message: expect.stringMatching(/^no reply within 1 s, before the first text came;/),
      },
    });
  });
});

describe("a reply that reached its limit before a word of it came", () => {
  const thinks =
    (limit: number): Line =>
    ({ onThinking }) => {
      onThinking?.("hm");
      const tokens = { in: 5, out: limit, cached: null, reasoning: limit };
      return {
        ...{ ok: true, text: " ", thinking: { text: "hm" }, toolCalls: [], finish: "length" },
        usage: { tokens, usd: null },
      };
    };

  it("is asked for once more, with twice the room, and both are paid", async () => {
    const { complete, limits } = scripted([thinks(100), answers]);
    const call = await complete();
    expect(call).toMatchObject({
      ok: true,
      reply: "yes",
      attempts: 2,
      limit: 200,
      tokens: { out: 101, reasoning: 100 },
    });
    expect(limits).toEqual([100, 200]);
  });

  it("is a failure that says so, with its thinking, when it comes again", async () => {
    const { complete, limits } = scripted([thinks(100), thinks(200)]);
    expect(await complete()).toMatchObject({
      ...{ ok: false, attempts: 2, limit: 200, thinking: { text: "hm" } },
      failure: { code: "unreadable", lost: true, message: "it thought for 200 tokens and wrote nothing" },
    });
    expect(limits).toEqual([100, 200]);
  });

  it("is asked for no more than the caller allows, and by its caps", async () => {
    const { models } = scripted([thinks(100)]);
    const signal = new AbortController().signal;
    const asked: (number | undefined)[] = [];
    const call = await models.complete(request, {
      signal,
      beforeRetry: (_, limit) => {
        asked.push(limit);
        return Promise.resolve({ why: "could exceed the limit of $1", cap: "usd" });
      },
    });
    expect(asked).toEqual([200]);
    expect(call).toMatchObject({ failure: { cap: "usd", lost: true }, limit: 100 });
    const once = scripted([thinks(100)]);
    expect(await once.models.complete(request, { signal, attempts: 1 })).toMatchObject({
      ok: false,
      attempts: 1,
    });
  });

  it("has the limit that the budget leaves, where that is less", async () => {
    const { models, limits } = scripted([answers]);
    const { signal } = new AbortController();
    expect(await models.complete(request, { signal, limit: 60 })).toMatchObject({ ok: true, limit: 60 });
    expect(limits).toEqual([60]);
  });
});

it("asks for the context that all calls of a run have, or for more where the request does", async () => {
  const seen: (number | undefined)[] = [];
  const send: Transport["send"] = async ({ contextTokens }, sending) => {
    seen.push(contextTokens);
    return answers(sending);
  };
  const models = createModels({ env: {}, locals: { sim: { send } } });
  const { signal } = new AbortController();
  await models.complete(request, { signal });
  await models.complete(request, { signal, contextTokens: 16_384 });
  await models.complete({ ...request, contextTokens: 32_768 }, { signal, contextTokens: 16_384 });
  expect(seen).toEqual([undefined, 16_384, 32_768]);
});
