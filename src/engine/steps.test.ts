import { describe, expect, it } from "vitest";
import { StepKey, type Closing, type DeliberationId, type Frame } from "../kernel/index.ts";
import { answerOf, nothingToSay, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../testing/kit.ts";
import { council } from "../../test/support/toys/council.ts";
import { failing } from "../../test/support/toys/failing.ts";
import { measuring } from "../../test/support/toys/measuring.ts";
import { stage, type StageOptions } from "../testing/stage.ts";
import { LOCAL } from "../testing/store-samples.ts";
import type { ProtocolContext, StepRunner } from "./index.ts";

// DESIGN section 3, points 1, 3, 7, 8, 9, 13, 17; STEP-1 to STEP-7 of steps.ts.

const ada = toyParticipant("ada", "member");
const ends = ["answer-given", "degradation-noted"] as const;
const askAda = (run: StepRunner, key: string, text: string) =>
  run.call({ key, outcomes: ends, request: toyRequest(ada, text) }, answerOf(ada.id));

async function opened(options: StageOptions, protocol = "toy") {
  const on = stage(options);
  const { engine } = on;
  const { opened } = await engine.open("r1", toyAsked(protocol));
  return { ...on, id: opened.deliberation };
}

const toy = (deliberate: (run: StepRunner, context: ProtocolContext) => Promise<unknown>) =>
  toyProtocol(async (context) => {
    await deliberate(context.run, context);
    return nothingToSay;
  });

describe("one mechanism for retries (point 1)", () => {
  it("opens one deliberation for one request, however often it is sent, and by twenty rivals at once", async () => {
    const { engine, store } = stage({ protocols: [council] });
    const all = await Promise.all(
      Array.from({ length: 20 }, () => engine.open("r1", toyAsked("toy-council"))),
    );
    expect(new Set(all.map(({ opened }) => opened.id))).toEqual(
      new Set([`${all[0]?.opened.deliberation}/open#0`]),
    );
    expect(all.filter(({ fresh }) => fresh)).toHaveLength(1);
    const id = all[0]?.opened.deliberation;
    expect(id && (await store.for(LOCAL).read(id))).toHaveLength(1);
  });

  it("lets twenty rival drivers agree on one history, each step recorded once", async () => {
    const on = await opened(
      {
        protocols: [council],
        script: {
          ada: (_, nth) => ({ text: `ada's ${nth}`, latencyMs: (nth * 7) % 50 }),
          bob: (_, nth) => ({ text: `bob's ${nth}`, latencyMs: (nth * 11) % 50 }),
          cyd: (_, nth) =>
            nth % 2 ? { fail: "overloaded", latencyMs: nth } : { text: "cyd's", latencyMs: 40 - nth },
          chair: (_, nth) => ({ text: `short ${nth}`, latencyMs: (nth * 13) % 50 }),
        },
      },
      "toy-council",
    );
    const ended = await Promise.all(Array.from({ length: 20 }, () => on.drive(on.id, on.start().engine)));
    const closings = ended.map((driven) => driven.status === "closed" && driven.closing.id);
    expect(new Set(closings)).toEqual(new Set([`${on.id}/close#0`]));
    const origins = (await on.lines(on.id)).map((line) => line.replace(/^.* < /, ""));
    expect(new Set(origins).size).toBe(origins.length);
    expect([...origins].sort()).toMatchInlineSnapshot(`
      [
        "close",
        "open",
        "protocol/draft/ada",
        "protocol/draft/bob",
        "protocol/draft/cyd",
        "protocol/draft/roster",
        "protocol/synthesis",
      ]
    `);
    await on.engine.replay(on.id);
  });
});

describe("event ids (point 3)", () => {
  it("are the deliberation, the origin and the index, and no event refers to time or chance", async () => {
    const run = async (laterMs: number) => {
      const on = await opened({ protocols: [toy((run) => askAda(run, "a/b", "?"))], script: { ada: "!" } });
      await on.clock.advance(laterMs);
      await on.drive(on.id);
      return {
        ids: (await on.store.for(LOCAL).read(on.id)).map(({ id }) => id),
        facts: await on.facts(on.id),
      };
    };
    const [one, two] = [await run(0), await run(777)];
    expect(one.ids.map((id) => id.slice(12))).toEqual(["/open#0", "/protocol/a/b#0", "/close#0"]);
    expect(two).toEqual(one);
  });
});

describe("steps", () => {
  it("STEP-1: give what the journal holds, not what the work returned", async () => {
    let seen: unknown;
    const on = await opened({
      protocols: [toy(async (run) => (seen = (await askAda(run, "a", "?")).data))],
      script: { ada: "lone \ud800 surrogate" },
    });
    await on.drive(on.id);
    expect(seen).toMatchObject({ text: "lone \ufffd surrogate", call: { reply: "lone \ufffd surrogate" } });
  });

  it("STEP-2: end at once when a rival records the same step, and adopt what it recorded", async () => {
    const seen: string[] = [];
    const protocols = [
      toy(async (run) => {
        const event = await askAda(run, "a", "?");
        seen.push(event.type === "answer-given" ? event.data.text : "");
      }),
    ];
    const on = await opened({
      protocols,
      script: { ada: (_, nth) => (nth === 1 ? { hang: true } : { text: "the rival's", latencyMs: 1_000 }) },
    });
    const [first, second] = await Promise.all([on.drive(on.id), on.drive(on.id, on.start().engine)]);
    expect([first.status, second.status]).toEqual(["closed", "closed"]);
    expect(seen).toEqual(["the rival's", "the rival's"]);
    expect(on.models.calls.map(({ outcome }) => outcome)).toEqual(["aborted", "answered"]);
  });

  it("STEP-2: tell a driver that came second of all that a rival has recorded, so that it repeats one call at most", async () => {
    const keys = ["a", "b", "c", "d"];
    const protocols = [
      toy(async (run) => {
        for (const key of keys) await askAda(run, key, key);
      }),
    ];
    const on = await opened({
      protocols,
      script: { ada: (_, nth) => ({ text: "!", latencyMs: nth === 1 ? 150 : 10 }) },
    });
    const late = on.start();
    await Promise.all([on.drive(on.id, late.engine), on.drive(on.id)]);
    expect([late.begun("call"), on.models.count()]).toEqual([1, 5]);
  });

  it("STEP-3: refuse two steps of one name, before either does anything twice", async () => {
    const on = await opened({
      protocols: [toy((run) => Promise.all([askAda(run, "a", "?"), askAda(run, "a", "?")]))],
      script: { ada: () => ({ text: "!", latencyMs: 10 }) },
    });
    await expect(on.drive(on.id)).rejects.toMatchObject({ code: "step-repeated", details: { key: "a" } });
    expect(on.models.count()).toBe(1);
  });

  it("STEP-4: refuse a record of other input, on resume (point 7)", async () => {
    let text = "first";
    const protocols = [
      toy(async (run) => {
        await askAda(run, "a", text);
        await run.awaits("more");
      }),
    ];
    const on = await opened({ protocols, script: { ada: "!" } });
    expect(await on.drive(on.id)).toEqual({ status: "waiting", requests: ["more"] });
    text = "second";
    await expect(on.drive(on.id)).rejects.toMatchObject({ code: "step-changed", details: { key: "a" } });
    on.models.done();
  });

  it("STEP-4: refuse a rival's record of other input", async () => {
    const on = await opened({
      protocols: [toy((run) => askAda(run, "a", "ours"))],
      script: { ada: () => ({ text: "!", latencyMs: 500 }) },
    });
    const rival = stage({
      protocols: [toy((run) => askAda(run, "a", "theirs"))],
      script: { ada: () => "!" },
      store: () => on.store,
    });
    const ours = expect(on.drive(on.id)).rejects.toMatchObject({ code: "step-changed" });
    await rival.drive(on.id);
    await ours;
  });

  it("STEP-5: have one call each; a repair is a step of its own, and both replies are kept (point 9)", async () => {
    const on = await opened(
      { protocols: [council], script: { ada: ["???", "ada's"], bob: "bob's", cyd: "cyd's", chair: "short" } },
      "toy-council",
    );
    await on.drive(on.id);
    const replies = (await on.store.for(LOCAL).read(on.id)).flatMap((entry) =>
      "call" in entry.data && entry.data.call?.ok ? [`${entry.type}: ${entry.data.call.reply}`] : [],
    );
    expect(replies.sort()).toEqual([
      "answer-given: ada's",
      "answer-given: bob's",
      "answer-given: cyd's",
      "reply-received: ???",
      "synthesis-given: short",
    ]);
    on.models.done();
  });

  it("STEP-6: record a failure for good with its call, and never make it again (point 8)", async () => {
    const on = await opened(
      {
        protocols: [failing],
        script: {
          ada: { fail: "refused", usd: 0.25, message: "no" },
          bob: { fail: "out-of-credit" },
          cyd: { hang: true },
        },
      },
      "toy-failing",
    );
    const stop = new AbortController();
    const driving = on.engine.drive(on.id, { signal: stop.signal });
    await on.clock.advance(100);
    stop.abort();
    expect(await driving).toEqual({ status: "interrupted" });
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "degradation-noted < protocol/answer/ada",
        "degradation-noted < protocol/answer/bob",
      ]
    `);
    expect((await on.store.for(LOCAL).read(on.id))[1]?.data).toMatchObject({
      call: { ok: false, failure: { code: "refused", message: "no" }, cost: { usd: 0.25 } },
    });
    const again = stage({ protocols: [failing], script: { cyd: "at last" }, store: () => on.store });
    expect(await again.drive(on.id)).toMatchObject({
      status: "closed",
      closing: { data: { outcome: "answered" } },
    });
    again.models.done();
  });

  it("STEP-6: do not call at all when they are interrupted while reserving", async () => {
    const on = stage({ protocols: [toy((run) => askAda(run, "a", "?"))], script: {} });
    const { opened } = await on.engine.open("r1", { ...toyAsked("toy"), budget: { calls: 3 } });
    const stop = new AbortController();
    const { engine, store } = on.start();
    const part = store.for(opened.data.organization);
    const { reserve } = part;
    part.reserve = async (...args) => {
      await reserve(...args);
      stop.abort();
    };
    const { deliberation } = opened;
    expect(await on.clock.settle(engine.drive(deliberation, { signal: stop.signal }))).toEqual({
      status: "interrupted",
    });
    expect(on.models.count()).toBe(0);
  });

  it("refuse their own undeclared ending before it is recorded for good (point 8)", async () => {
    const on = await opened({
      protocols: [
        toy((run) =>
          run.call({ key: "a", outcomes: ["answer-given"], request: toyRequest(ada, "?") }, () => {
            // What no types stop, in JavaScript.
            return { type: "reply-received", data: { by: ada.id, why: "other" } } as never;
          }),
        ),
      ],
      script: { ada: "!" },
    });
    await expect(on.drive(on.id)).rejects.toMatchObject({ code: "step-ended-wrong" });
    expect(await on.lines(on.id)).toEqual(["deliberation-opened < open"]);
  });

  it("refuse what a rival of another version ended differently (point 8)", async () => {
    const { id, store, drive } = await opened({ protocols: [toy((run) => askAda(run, "a", "?"))] });
    const other = stage({
      protocols: [
        toy((run) =>
          run.call({ key: "a", outcomes: ["reply-received"], request: toyRequest(ada, "?") }, () => ({
            type: "reply-received",
            data: { by: ada.id, why: "other" },
          })),
        ),
      ],
      script: { ada: "!" },
      store: () => store,
    });
    const stop = new AbortController();
    const driving = other.engine.drive(id, {
      signal: stop.signal,
      onEntry: (entry) => entry.seq === 2 && stop.abort(),
    });
    await other.clock.settle(driving);
    await expect(drive(id)).rejects.toMatchObject({
      code: "step-ended-wrong",
      details: { key: "a", type: "reply-received" },
    });
  });

  it("run their effect once, and their conclusion from what was recorded", async () => {
    let measured = 0;
    const on = await opened(
      { protocols: [measuring(() => Promise.resolve((measured += 1)))] },
      "toy-measuring",
    );
    const doomed = on.start({ at: "append", nth: 2, when: "before" });
    await on.clock.settle(
      Promise.race([doomed.died, doomed.engine.drive(on.id, { signal: new AbortController().signal })]),
    );
    expect(measured).toBe(1);
    measured = 100;
    expect(await on.drive(on.id)).toMatchObject({ closing: { data: { why: '{"twice":2}' } } });
    expect(measured).toBe(100);
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "gate-decided < protocol/gate",
        "note-taken < protocol/conclusion",
        "deliberation-closed < close",
      ]
    `);
  });

  it("cannot end in anything undeclared, cannot call twice, and `read` gets no model (types, points 8 and 9)", () => {
    const typed = async (run: StepRunner): Promise<unknown> => {
      const request = toyRequest(ada, "?");
      // @ts-expect-error -- an undeclared ending does not compile
      await run.call({ key: "a", outcomes: ["answer-given"], request }, answerOf(ada.id));
      // @ts-expect-error -- an event that carries no call cannot be a model's
      await run.call({ key: "b", outcomes: ["gate-decided"], request }, () => ({
        type: "gate-decided",
        data: {},
      }));
      // @ts-expect-error -- outside of `call` there is no door to a model
      return run.ask;
    };
    expect(typed).toBeTypeOf("function");
  });
});

describe("concurrent steps (point 13)", () => {
  it("STEP-7: leave the same facts, whatever order they ended in", async () => {
    const run = async (seed: number) => {
      let chance = seed;
      const latencyMs = () => (chance = (chance * 1_103_515_245 + 12_345) % 2_147_483_648) % 1_000;
      const on = await opened(
        {
          protocols: [council],
          script: {
            ada: ({ messages }) => ({
              text: JSON.stringify(messages).includes("again") ? "ada's" : "?",
              latencyMs: latencyMs(),
            }),
            bob: () => ({ text: "bob's", latencyMs: latencyMs() }),
            cyd: () => ({ text: "cyd's", latencyMs: latencyMs() }),
            chair: ({ messages }) => JSON.stringify(messages),
          },
        },
        "toy-council",
      );
      await on.drive(on.id);
      const lines = await on.lines(on.id);
      const facts = (await on.facts(on.id)).map((fact) => fact.replace(/"latencyMs":\d+/, ""));
      return { order: lines.join(), facts };
    };
    const runs = await Promise.all(Array.from({ length: 20 }, (_, index) => run(index + 1)));
    expect(new Set(runs.map(({ order }) => order)).size).toBeGreaterThan(3);
    expect(new Set(runs.map(({ facts }) => facts.join())).size).toBe(1);
  });

  it("STEP-7: come after the same steps, whether those beside them are made or recalled", async () => {
    const protocol = toy(async (run) => {
      const derive = (key: string) =>
        run.derive({ key, outcomes: ["note-taken"], input: key }, () => ({
          type: "note-taken",
          data: { topic: key, reason: "", body: null },
        }));
      await Promise.all(["one", "two", "three"].map(derive));
      await derive("after");
    });
    const whole = await opened({ protocols: [protocol] });
    await whole.drive(whole.id);
    for (const nth of [1, 2, 3]) {
      const on = await opened({ protocols: [protocol] });
      const first = on.start({ at: "append", nth, when: "after" });
      await on.clock.settle(
        Promise.race([first.engine.drive(on.id, { signal: new AbortController().signal }), first.died]),
      );
      await on.drive(on.id, on.start().engine);
      expect(await on.facts(on.id)).toEqual(await whole.facts(whole.id));
    }
  });
});

describe("frames (point 17)", () => {
  it("carry the start and the text of a call, by step, attempt and offset, and are no events", async () => {
    const deltas = [
      { attempt: 1, offset: 0, text: "lo" },
      { attempt: 2, offset: 0, text: "long" },
      { attempt: 2, offset: 4, text: "er" },
    ];
    const on = await opened({
      protocols: [toy((run) => askAda(run, "a", "?"))],
      script: { ada: { text: "longer", attempts: 2, deltas } },
    });
    const heard: Frame[] = [];
    on.frames.listen(() => {
      throw new Error("a broken view");
    });
    on.frames.listen((frame) => heard.push(frame));
    await on.drive(on.id);
    const about = { deliberation: on.id, step: "a" };
    expect(heard).toEqual([
      { ...about, kind: "started" },
      ...deltas.map((delta) => ({ ...about, kind: "text", delta })),
    ]);
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < protocol/a",
        "deliberation-closed < close",
      ]
    `);
  });
});

describe("a protocol that begins early and awaits late", () => {
  it("brings nothing down when it is interrupted in between", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    const early = toyProtocol(async ({ run }): Promise<Closing> => {
      const said = run.awaits("word");
      const aside = askAda(run, "aside", "aside");
      await askAda(run, "first", "first");
      await Promise.all([said, aside]);
      return nothingToSay;
    });
    const on = await opened({ protocols: [early], script: { ada: () => ({ hang: true }) } });
    const stop = new AbortController();
    const driving = on.engine.drive(on.id, { signal: stop.signal });
    await on.clock.advance(10);
    stop.abort();
    expect(await driving).toEqual({ status: "interrupted" });
    await on.clock.advance(10);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});

describe("names", () => {
  it("of steps are paths of plain words", async () => {
    const bad = ["", "a//b", "a b", "/a", "a/", "ä", "a\n"];
    for (const key of bad) expect(StepKey.safeParse(key).success, JSON.stringify(key)).toBe(false);
    const on = await opened({ protocols: [toy((run) => askAda(run, "a b", "?"))] });
    await expect(on.drive(on.id)).rejects.toThrow("path segments");
    const id: DeliberationId = on.id;
    expect(await on.store.for(LOCAL).read(id)).toHaveLength(1);
  });
});
