import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combinePreference } from "./judge-leans.ts";
import type { Preference } from "../replies/preference.ts";

const said = (winner: "A" | "B" | "tie"): Preference => ({ ok: true, winner, reason: "" });
const unread: Preference = { ok: false, reason: "the reply is empty" };

describe("combinePreference", () => {
  it.each([
    ["A", "B", "A", false],
    ["B", "A", "B", false],
    ["A", "A", "tie", true],
    ["B", "B", "tie", true],
    ["tie", "tie", "tie", false],
    ["tie", "A", "tie", true],
    ["tie", "B", "tie", true],
    ["A", "tie", "tie", true],
    ["B", "tie", "tie", true],
  ] as const)("of %s, then %s in the other order, makes %s (order sensitive: %s)", (...row) => {
    const [first, second, winner, orderSensitive] = row;
    expect(combinePreference(said(first), said(second))).toEqual({ winner, orderSensitive });
  });

  it("tells nothing where a side cannot be read, and says which", () => {
    expect(combinePreference(said("A"), unread)).toEqual({
      winner: null,
      orderSensitive: null,
      why: "the second order: the reply is empty",
    });
    expect(combinePreference(unread, unread)).toMatchObject({
      winner: null,
      why: "the first order: the reply is empty; the second order: the reply is empty",
    });
  });

  it("says the same of the pair the other way round", () => {
    const winners = fc.constantFrom("A", "B", "tie" as const);
    const other = { A: "B", B: "A", tie: "tie" } as const;
    fc.assert(
      fc.property(winners, winners, (first, second) => {
        const one = combinePreference(said(first), said(second));
        const turned = combinePreference(said(second), said(first));
        expect(turned.orderSensitive).toBe(one.orderSensitive);
        expect(turned.winner).toBe(one.winner === null ? null : other[one.winner]);
      }),
    );
  });
});
