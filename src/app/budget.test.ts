import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPurse, type Grant } from "./budget.ts";
import { sized } from "../../test/support/long.ts";

const NOTHING = { calls: 0, tokens: 0, usd: 0 };
const spent = (usd: number) => ({ ...NOTHING, usd });
const purse = (usd: number, slots = 4, before = 0) => createPurse({ usd }, { spent: spent(before), slots });
const grantOf = (grant: Grant | undefined): Grant => {
  if (!grant) throw new Error("nothing was granted");
  return grant;
};

describe("a purse", () => {
  it("divides what is free evenly among those who may be at work", async () => {
    const four = purse(8);
    const first = grantOf(await four.share());
    const second = grantOf(await four.share());
    expect([first.cap, second.cap]).toEqual([{ usd: 2 }, { usd: 2 }]);
    first.settle(spent(0.5));
    // 8 less 0.5 spent and 2 held, for the three who may still come.
    expect(grantOf(await four.share()).cap.usd).toBeCloseTo(5.5 / 3);
  });
  it("caps nothing that is not capped", async () => {
    const none = createPurse({}, { spent: spent(99), slots: 2 });
    expect(grantOf(await none.share()).cap).toEqual({});
    expect(grantOf(await none.exactly({ usd: 5 })).cap).toEqual({ usd: 5 });
  });
  it("has nothing to give when earlier runs spent it", async () => {
    expect(await purse(1, 4, 1).share()).toBeUndefined();
  });
  it("gives the rest to one who is alone, and only where that is more than before", async () => {
    const one = purse(8);
    const other = grantOf(await one.share());
    let all: Grant | undefined;
    const waiting = one.rest({ usd: 2 }).then((grant) => (all = grant));
    const behind = one.share();
    await Promise.resolve();
    expect(all).toBeUndefined();
    other.settle(spent(1));
    await waiting;
    expect(all?.cap).toEqual({ usd: 7 });
    all?.settle(spent(6));
    expect(grantOf(await behind).cap).toEqual({ usd: 0.25 });
    expect(await purse(2).rest({ usd: 2 })).toBeUndefined();
  });
  it("grants exactly what an open deliberation still needs, or nothing", async () => {
    const one = purse(4);
    expect(grantOf(await one.exactly({ usd: 4 })).cap).toEqual({ usd: 4 });
    expect(await purse(4).exactly({ usd: 5 })).toBeUndefined();
    expect(await purse(4).exactly({})).toBeUndefined();
  });
  it("PURSE-1: never grants more than is left, whoever asks for what in which order", async () => {
    const wish = fc.oneof(
      fc.record({ kind: fc.constant("share" as const), use: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant("rest" as const), use: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({
        kind: fc.constant("exactly" as const),
        need: fc.integer({ min: 1, max: 60 }),
        use: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(wish, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (wishes, slots) => {
          const total = 100;
          const one = createPurse({ tokens: total }, { spent: NOTHING, slots });
          let held = 0;
          let gone = 0;
          const serve = async (left: Iterator<(typeof wishes)[number]>) => {
            for (let next = left.next(); next.done !== true; next = left.next()) {
              const { kind, use } = next.value;
              const grant = await (kind === "exactly"
                ? one.exactly({ tokens: next.value.need })
                : one[kind]());
              if (!grant) continue;
              const cap = grant.cap.tokens ?? Infinity;
              held += cap;
              expect(gone + held).toBeLessThanOrEqual(total);
              expect(cap).toBeGreaterThan(0);
              await Promise.resolve();
              const tokens = Math.floor(use * cap);
              held -= cap;
              gone += tokens;
              grant.settle({ calls: 1, tokens, usd: 0 });
            }
          };
          const all = wishes.values();
          await Promise.all(Array.from({ length: slots }, () => serve(all)));
          expect(held).toBe(0);
        },
      ),
      { numRuns: sized(100) },
    );
  });
});
