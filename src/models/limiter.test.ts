import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { createLimiter, type AttemptOutcome, type RateKey, type Slot } from "./limiter.ts";

const good: AttemptOutcome = { ok: true, crowded: false, pauseMs: null };
const crowded: AttemptOutcome = { ok: false, crowded: true, pauseMs: null };

const bench = (caps: RateKey["limits"], router = false, rates?: RateKey["rates"]) => {
  const clock = createFakeClock();
  const limiter = createLimiter(clock);
  const order: string[] = [];
  const slots: Slot[] = [];
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  };
  return {
    clock,
    order,
    slots,
    settle,
    want: async (model: string, signal = new AbortController().signal, tokens = 0) => {
      const onWait = () => void order.push(`${model} waits`);
      const waiting = rates ? { tokens, onWait } : {};
      void limiter
        .acquire({ provider: "p", model, limits: caps, rates, router }, signal, waiting)
        .then((slot) => {
          order.push(slot === null ? `${model} left` : model);
          if (slot !== null) slots.push(slot);
        });
      await settle();
    },
    release: async (index: number, outcome = good) => {
      slots[index]?.release(outcome);
      await settle();
    },
  };
};

describe("places", () => {
  it("go to who waited longest, past a model that is full", async () => {
    const { want, order, release } = bench({ provider: 2, model: 1 });
    for (const model of ["a", "a", "b", "c", "a"]) await want(model);
    expect(order).toEqual(["a", "b"]);
    await release(1);
    expect(order).toEqual(["a", "b", "c"]);
    await release(0);
    expect(order).toEqual(["a", "b", "c", "a"]);
  });

  it("are given back once, whoever asks twice", async () => {
    const { want, order, release } = bench({ provider: 1, model: 1 });
    for (const model of ["a", "b", "c"]) await want(model);
    await release(0);
    await release(0);
    expect(order).toEqual(["a", "b"]);
  });

  it("are halved once by a wave of 429s, and come back one by one", async () => {
    const { want, order, slots, release } = bench({ provider: 8, model: 8 });
    for (let call = 0; call < 20; call += 1) await want("a");
    expect(order).toHaveLength(8);
    for (let call = 0; call < 8; call += 1) await release(call, crowded);
    expect(slots).toHaveLength(12);
    for (let call = 8; call < 12; call += 1) await release(call);
    expect(slots).toHaveLength(16);
    await release(12);
    expect(slots).toHaveLength(18);
  });

  it("of one crowded model behind a router are halved, and its other models' are not", async () => {
    const { want, order, release } = bench({ provider: 4, model: 4 }, true);
    for (let call = 0; call < 4; call += 1) await want("a");
    for (let call = 0; call < 4; call += 1) await release(call, crowded);
    for (let call = 0; call < 4; call += 1) await want("a");
    for (let call = 0; call < 4; call += 1) await want("b");
    expect(order.slice(4)).toEqual(["a", "a", "b", "b"]);
  });

  it("of a model that asked to be left alone are not given before its time; nobody waits for nobody", async () => {
    const { want, order, release, clock, settle } = bench({ provider: 4, model: 4 });
    await want("a");
    await release(0, { ok: false, crowded: true, pauseMs: 1_000 });
    expect(clock.pending()).toEqual([]);
    await want("b");
    const control = new AbortController();
    await want("a", control.signal);
    expect(order).toEqual(["a", "b"]);
    expect(clock.pending()).toEqual([1_000]);
    control.abort();
    await settle();
    expect(order).toEqual(["a", "b", "a left"]);
    expect(clock.pending()).toEqual([]);
    await want("a");
    clock.advance(1_000);
    await settle();
    expect(order).toEqual(["a", "b", "a left", "a"]);
  });
});

describe("places whose number nobody chose", () => {
  it("begin low, double with each round of answers, and grow one by one after a 429", async () => {
    const { want, slots, release } = bench({ provider: 64, model: 64, first: { provider: 4, model: 4 } });
    for (let call = 0; call < 100; call += 1) await want("a");
    const counts = [slots.length];
    for (let from = 0; slots.length < 60;) {
      const upTo = slots.length;
      for (; from < upTo; from += 1) await release(from);
      counts.push(slots.length - upTo);
    }
    expect(counts).toEqual([4, 8, 16, 32]);
    const before = slots.length;
    for (let call = 28; call < 60; call += 1) await release(call, crowded);
    expect(slots.length - before).toBe(16);
  });
});

describe("models of a machine that holds one at a time", () => {
  it("are asked one after another: whoever wants the one at work goes first, but not for ever", async () => {
    const { want, order, release, clock } = bench({ provider: 4, model: 4, models: 1 });
    for (const model of ["a", "b", "a"]) await want(model);
    expect(order).toEqual(["a", "a"]);
    await release(0);
    await want("a");
    expect(order).toEqual(["a", "a", "a"]);
    clock.advance(121_000);
    await want("a");
    await release(1);
    expect(order).toEqual(["a", "a", "a"]);
    await release(2);
    expect(order).toEqual(["a", "a", "a", "b"]);
    await release(3);
    expect(order).toEqual(["a", "a", "a", "b", "a"]);
  });
});

describe("what a minute may have", () => {
  it("is counted in requests, from each one's own time", async () => {
    const rates = { account: "p", requests: 2 };
    const { want, order, release, clock, settle } = bench({ provider: 9, model: 9 }, false, rates);
    await want("a");
    clock.advance(20_000);
    await want("a");
    await want("b");
    for (const index of [0, 1]) await release(index);
    expect(order).toEqual(["a", "a", "b waits"]);
    clock.advance(39_999);
    await settle();
    expect(order).toHaveLength(3);
    clock.advance(1);
    await settle();
    expect(order).toEqual(["a", "a", "b waits", "b"]);
    await want("c");
    clock.advance(20_000);
    await settle();
    expect(order.slice(4)).toEqual(["c waits", "c"]);
  });

  it("is counted in tokens that may be taken, and then in those that were", async () => {
    const rates = { account: "p", tokens: 1_000 };
    const { want, order, release, clock } = bench({ provider: 9, model: 9 }, false, rates);
    const signal = new AbortController().signal;
    await want("a", signal, 900);
    await want("b", signal, 500);
    expect(order).toEqual(["a", "b waits"]);
    await release(0, { ...good, tokens: 100 });
    expect(order).toEqual(["a", "b waits", "b"]);
    // What could take more than a minute has goes when nothing else did.
    await want("c", signal, 5_000);
    expect(order.at(-1)).toBe("c waits");
    clock.advance(60_000);
    await release(1);
    expect(order.at(-1)).toBe("c");
  });

  it("leaves no timer behind when the last one that waits has gone", async () => {
    const control = new AbortController();
    const rates = { account: "p", requests: 1 };
    const { want, order, clock, settle } = bench({ provider: 9, model: 9 }, false, rates);
    await want("a");
    await want("a", control.signal);
    expect(clock.pending()).toEqual([60_000]);
    control.abort();
    await settle();
    expect([order, clock.pending()]).toEqual([["a", "a waits", "a left"], []]);
  });
});
