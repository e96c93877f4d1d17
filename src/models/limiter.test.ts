import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { createLimiter, type AttemptOutcome, type Slot } from "./limiter.ts";

const good: AttemptOutcome = { ok: true, crowded: false, pauseMs: null };
const crowded: AttemptOutcome = { ok: false, crowded: true, pauseMs: null };

const bench = (caps: { provider: number; model: number }, router = false) => {
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
    want: async (model: string, signal = new AbortController().signal) => {
      void limiter.acquire({ provider: "p", model, limits: caps, router }, signal).then((slot) => {
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
