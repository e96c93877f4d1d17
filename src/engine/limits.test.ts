import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { callOf, isEvent, type CallUsage, type Models, type NewEvent } from "../kernel/index.ts";
import { waiting } from "../../test/support/toys/waiting.ts";
import { answerOf, nothingToSay, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../testing/kit.ts";
import { stage } from "../testing/stage.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { defineReactor, type AnyReactor, type StepRunner } from "./index.ts";

// BUDGET-6 and BUDGET-7 of budget.ts, REACT-5 of reactions.ts, and what a drive leaves on its caller's signal.

const ada = toyParticipant("ada", "member");
const alone = new AbortController().signal;
const NONE = { in: null, out: null, cached: null, reasoning: null };
const ask = (run: StepRunner, key: string) =>
  run.call(
    { key, outcomes: ["answer-given", "degradation-noted"], request: toyRequest(ada, key) },
    answerOf(ada.id),
  );
const sequence = (...keys: readonly string[]) =>
  toyProtocol(async ({ run }) => {
    for (const key of keys) await ask(run, key);
    return nothingToSay;
  });

/** Models whose first request of each call fails so, and which ask before they send it again. */
function retrying(models: Models, failed: Partial<CallUsage>, onRetry: () => void = () => undefined): void {
  const { complete } = models;
  models.complete = async (request, options) => {
    const usage = {
      attempts: 1,
      unreported: 0,
      tokens: NONE,
      cost: { source: "unknown", usd: null },
      ...failed,
    } as const;
    const refused = await options.beforeRetry?.(usage);
    if (refused) {
      const failure = {
        code: "network",
        message: `not sent again: ${refused.why}`,
        cap: refused.cap,
      } as const;
      return { ok: false, failure, model: request.model, family: null, latencyMs: 0, ...usage };
    }
    onRetry();
    const call = await complete(request, options);
    return { ...call, attempts: call.attempts + 1, unreported: usage.unreported };
  };
}

describe("requests that are sent again", () => {
  it.each([
    ["calls", { calls: 3 }, { unreported: 1 }, 1],
    ["calls, also where nothing was charged", { calls: 3 }, {}, 1],
    ["tokens, at their worst where they are unknown", { tokens: 300 }, { unreported: 1 }, 1],
    ["tokens, as reported", { tokens: 300 }, { tokens: { ...NONE, in: 10, out: 20 } }, 4],
    ["tokens, of which a refusal has none", { tokens: 200 }, {}, 4],
    ["money, at its worst where it is unknown", { usd: 0.003 }, { unreported: 1 }, 1],
  ] as const)("BUDGET-6: count in %s", async (...[, budget, failed, sent]) => {
    const on = stage({ protocols: [sequence("a", "b", "c", "d")], script: { ada: () => "!" } });
    retrying(on.models, failed);
    const { entries } = await on.play(toyAsked("toy", { budget }));
    expect(on.models.count()).toBe(sent);
    expect(entries.filter((entry) => isEvent(entry, "answer-given"))).toHaveLength(sent);
  });

  it("BUDGET-3, BUDGET-6: count after a resume, when their process died between two of them", async () => {
    const on = stage({ protocols: [sequence("a", "b")], script: { ada: () => "!" } });
    const { opened } = await on.engine.open("r1", toyAsked("toy", { budget: { calls: 3 } }));
    const id = opened.deliberation;
    const doomed = on.start({ at: "call", nth: 1, when: "after" });
    retrying(doomed.models, { unreported: 1 });
    await on.clock.settle(Promise.race([doomed.died, doomed.engine.drive(id, { signal: alone })]));
    const [step] = await on.store.for(LOCAL).reservations(id);
    expect(step).toMatchObject({ recorded: null, calls: 2, tokens: 220, usd: 0.002 });
    await on.drive(id);
    const [, a, b] = await on.store.for(LOCAL).read(id);
    expect([a && callOf(a)?.ok, b && callOf(b)?.ok]).toEqual([true, false]);
    expect(b && callOf(b)).toMatchObject({
      failure: { code: "over-budget", message: "would exceed the limit of 3 calls; 4 calls would do" },
    });
  });

  it("BUDGET-6: count as recorded after a resume, each once", async () => {
    const waits = toyProtocol(async ({ run }) => {
      await ask(run, "a");
      await run.awaits("word");
      for (const key of ["b", "c"]) await ask(run, key);
      return nothingToSay;
    });
    const on = stage({ protocols: [waits], script: { ada: () => "!" } });
    retrying(on.models, { unreported: 1 });
    const { opened } = await on.engine.open("r1", toyAsked("toy", { budget: { calls: 4, tokens: 390 } }));
    const id = opened.deliberation;
    await on.drive(id);
    const answered: NewEvent = { type: "clarification-answered", data: { answers: [] } };
    await on.store.for(LOCAL).append(id, [answered], { by: "client", request: "word" });
    await on.drive(id, on.start().engine);
    // a: 110 + 30 tokens, b the same; a third pair of requests would pass both limits.
    const ends = (await on.store.for(LOCAL).read(id)).flatMap((entry) => callOf(entry)?.ok ?? []);
    expect(ends).toEqual([true, true, false]);
    expect(on.models.count()).toBe(2);
  });
});

/** A reactor that makes one call for each opening. */
const caller = (name: string): AnyReactor =>
  defineReactor({
    name,
    on: ["deliberation-opened"],
    emits: ["degradation-noted", "reply-received"],
    async react(_event, { run }) {
      await run.call({ key: "call", outcomes: ["reply-received"], request: toyRequest(ada, name) }, () => ({
        type: "reply-received",
        data: { by: ada.id, why: name },
      }));
    },
  });

describe("reactions", () => {
  it.each([
    [{ calls: 1 }, 1],
    [{ calls: 2 }, 2],
    [{ calls: 3 }, 3],
    [{ tokens: 250 }, 2],
    [{ usd: 0.0015 }, 1],
  ])("BUDGET-7: that begin together share one account: %j", async (budget, sent) => {
    const names = ["one", "two", "three", "four"];
    const on = stage({
      protocols: [toyProtocol(() => Promise.resolve(nothingToSay))],
      reactors: names.map(caller),
      script: { ada: () => ({ text: "!", latencyMs: 100, tokens: { in: null, out: null }, usd: null }) },
    });
    const { opened } = await on.engine.open("r1", toyAsked("toy", { budget }));
    const id = opened.deliberation;
    await on.drive(id);
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(on.models.count()).toBe(sent);
    // Nobody holds the account open any more: another process counts the same.
    await on.clock.settle(on.start().engine.drain(id, { worker: "x", signal: alone }));
    expect(on.models.count()).toBe(sent);
  });

  const answered: NewEvent = {
    type: "clarification-answered",
    data: { answers: [{ id: "q1", text: "this" }] },
  };
  const note = (topic: string): NewEvent => ({ type: "note-taken", data: { topic, reason: "", body: null } });
  it.each<[string, readonly NewEvent[]]>([
    ["an answer", [answered]],
    ["an answer and a note", [answered, note("one")]],
    ["notes before an answer", [note("one"), note("two"), answered]],
    ["notes alone", [note("one")]],
    ["an answer that changes nothing", [{ ...answered, data: { answers: [] } }]],
  ])("REACT-5: are made to what a client says, and not to its copy in a fork: %s", async (_, said) => {
    const heard: string[] = [];
    const listener = defineReactor({
      name: "listener",
      on: ["clarification-answered", "note-taken"],
      emits: ["grade-given"],
      react: (event) => (heard.push(event.deliberation), Promise.resolve()),
    });
    const on = stage({
      protocols: [waiting],
      reactors: [listener],
      script: { ada: () => "so", bob: () => "aside" },
    });
    const { opened } = await on.engine.open("r1", toyAsked("toy-waiting"));
    const id = opened.deliberation;
    await on.drive(id);
    for (const [index, event] of said.entries()) {
      // What the protocol looks at goes by its name, and is what a fork copies.
      const request = event.type === "clarification-answered" ? "clarification" : `said-${index}`;
      await on.store.for(LOCAL).append(id, [event], { by: "client", request });
    }
    await on.drive(id);
    const { opened: forked } = await on.engine.fork(id, { request: "f1", changes: {} });
    await on.drive(forked.deliberation);
    const copied = (await on.store.for(LOCAL).read(forked.deliberation)).map(({ origin }) => origin);
    const isAnswered = said.some(({ type }) => type === "clarification-answered");
    const copy = { by: "client", request: "clarification", from: id };
    expect(copied.filter((origin) => JSON.stringify(origin) === JSON.stringify(copy))).toHaveLength(
      isAnswered ? 1 : 0,
    );
    for (const one of [id, forked.deliberation])
      await on.clock.settle(on.engine.drain(one, { worker: "w", signal: alone }));
    expect(heard).toEqual(said.map(() => id));
  });
});

describe("a caller's signal", () => {
  /** What is left on a signal: its listeners, and the signals that Node makes depend on it. */
  function leftOn(signal: AbortSignal): number {
    const kept = Object.getOwnPropertySymbols(signal).map((symbol) => {
      // Node keeps dependent signals in a set under a symbol of its own.
      const value: unknown = (signal as unknown as Record<symbol, unknown>)[symbol];
      const isSet = typeof value === "object" && value !== null && "size" in value;
      return isSet ? Number(value.size) : 0;
    });
    return kept.reduce((sum, count) => sum + count, getEventListeners(signal, "abort").length);
  }

  it.each(["closed", "waiting", "closed before", "with a reaction", "failed"])(
    "has nothing left on it after drives and drains that ended: %s",
    async (how) => {
      const on = stage({
        protocols: [sequence("a"), waiting],
        reactors: how === "with a reaction" ? [caller("one")] : [],
        script: { ada: () => "!", bob: () => "!" },
      });
      if (how === "failed") on.models.complete = () => Promise.reject(new Error("a bug"));
      const { signal } = new AbortController();
      const before = leftOn(signal);
      const name = how === "waiting" ? "toy-waiting" : "toy";
      for (let nth = 0; nth < 12; nth += 1) {
        const { opened } = await on.engine.open(`r${how === "closed before" ? 0 : nth}`, toyAsked(name));
        const id = opened.deliberation;
        const driven = on.engine.drive(id, { signal });
        // A drive that ends by a bug rejects.
        await on.clock.settle(how === "failed" ? driven.catch(() => undefined) : driven);
        await on.clock.settle(on.engine.drain(id, { worker: "w", signal }));
      }
      expect(leftOn(signal)).toBe(before);
    },
  );
});
