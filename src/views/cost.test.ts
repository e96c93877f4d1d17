import { describe, expect, it } from "vitest";
import { draftGiven, opened, sampleCall, stepKey } from "../../test/support/sample-council.ts";
import { Digest, type Call } from "../kernel/index.ts";
import { costBy, sumCosts } from "./cost.ts";
import { spent } from "./spending.ts";

const digest = Digest.parse("0".repeat(64));
const none = { in: null, out: null, cached: null, reasoning: null };
const unknown = { source: "unknown", usd: null } as const;

/** A run of these calls, one draft of `analyst` each. */
function runOf(...calls: readonly Call[]) {
  const sample = opened();
  for (const [index, call] of calls.entries()) {
    const draft = draftGiven("analyst", "text");
    const event = { ...draft, data: { ...draft.data, call } } as typeof draft;
    sample.add(event, { by: "protocol", step: stepKey(`draft/${index}`), digest, after: [] });
  }
  return sample.entries;
}

const failedCall = (code: "network" | "refused"): Call => ({
  ...{ ok: false, failure: { code, message: "" }, model: sampleCall("").model, family: null },
  ...{ tokens: none, cost: unknown, latencyMs: 1, attempts: 1 },
});

const rowOf = (...calls: readonly Call[]) => costBy([runOf(...calls)], "model", { dayOf: () => "" })[0];

describe("the cost of calls", () => {
  it("is added up by model, protocol, persona and day", () => {
    const run = runOf(sampleCall("a"), sampleCall("b"));
    const figures = {
      calls: 2,
      unknown: 0,
      unpriced: 0,
      tokens: { in: 2_000, out: 624, thinking: 0 },
      usd: 0.0042,
      subscription: 0,
    };
    for (const [by, key] of [
      ["model", "openai/gpt-of-analyst"],
      ["protocol", "council"],
      ["persona", "Analyst"],
      ["day", "2026-01-02"],
    ] as const)
      expect(costBy([run], by, { dayOf: (ms) => new Date(ms).toISOString().slice(0, 10) })).toEqual([
        { key, ...figures },
      ]);
  });

  it("has the tokens that were thinking, of those out", () => {
    const tokens = (reasoning: number | null) => ({ in: 10, out: 500, cached: null, reasoning });
    const calls = [480, null, 20].map((reasoning) => sampleCall("text", { tokens: tokens(reasoning) }));
    expect(rowOf(...calls)?.tokens).toEqual({ in: 30, out: 1_500, thinking: 500 });
    expect(rowOf(sampleCall("text", { tokens: tokens(0) }))?.tokens).toEqual({
      in: 10,
      out: 500,
      thinking: 0,
    });
  });

  it("is unknown, never free, of a reply with text and zero or no usage", () => {
    const zero = { in: 0, out: 0, cached: null, reasoning: null };
    expect(rowOf(sampleCall("text", { tokens: zero, cost: { source: "table", usd: 0 } }))).toMatchObject({
      unknown: 1,
      usd: 0,
    });
    expect(rowOf(sampleCall("text", { tokens: none, cost: unknown }))).toMatchObject({ unknown: 1 });
    expect(rowOf(sampleCall("text", { tokens: zero, cost: { source: "free", usd: 0 } }))).toMatchObject({
      unknown: 0,
    });
  });

  it("is no dollars and counted in calls where a subscription pays, whatever was reported", () => {
    const cost = { source: "subscription", usd: 0 } as const;
    const paid = sampleCall("text", { tokens: none, cost });
    const row = { calls: 1, unknown: 0, unpriced: 0, usd: 0, subscription: 1 };
    expect(rowOf(paid)).toMatchObject(row);
    expect(rowOf({ ...failedCall("network"), cost, unreported: 1 })).toMatchObject(row);
    const rows = [rowOf(paid), rowOf(sampleCall("text"))].flatMap((one) => one ?? []);
    expect(sumCosts(rows)).toMatchObject({ calls: 2, usd: 0.0021, subscription: 1 });
    expect(sumCosts(rows.slice(1))).toMatchObject({ subscription: 0 });
    expect(spent([paid, paid])).toMatchObject({
      calls: 2,
      unknown: 0,
      cost: { usd: 0, source: "subscription" },
    });
  });

  it("is known of a model on the user's own machine, also where its call failed unreported", () => {
    const free = { source: "free", usd: 0 } as const;
    expect(rowOf({ ...failedCall("network"), cost: free, unreported: 1 })).toMatchObject({
      unknown: 0,
      usd: 0,
    });
    expect(rowOf({ ...failedCall("network"), unreported: 1 })).toMatchObject({ unknown: 1 });
  });

  it("is unknown of a whole run, too, where one of its calls was silent, or one of a call's requests", () => {
    const billOf = (...calls: readonly Call[]) => spent(calls);
    const known = sampleCall("a");
    const { cost } = billOf(known);
    expect(billOf(known)).toMatchObject({ calls: 1, unknown: 0, cost: { source: "table" } });
    expect(billOf(known, { ...known, cost: unknown, tokens: none, unreported: 1 })).toMatchObject({
      ...{ calls: 1, unknown: 1, cost },
    });
    const zero = { in: 9, out: 0, cached: null, reasoning: null };
    const silent = sampleCall("text", { tokens: zero, cost: { source: "table", usd: 0 } });
    expect(billOf(known, silent)).toMatchObject({ calls: 1, unknown: 1, cost });
    expect(billOf(silent)).toMatchObject({ calls: 0, unknown: 1, cost: unknown });
    expect(billOf(known, failedCall("refused"))).toMatchObject({ calls: 2, unknown: 0, cost });
    expect(billOf({ ...known, attempts: 3, unreported: 1 })).toMatchObject({ calls: 2, unknown: 1, cost });
    expect(billOf(known, { ...known, cost: unknown })).toMatchObject({ calls: 2, unknown: 0, cost: unknown });
  });

  it("is what the provider reports, where it reports one", () => {
    const tokens = { in: 5, out: 0, cached: null, reasoning: null };
    const row = rowOf(sampleCall("text", { tokens, cost: { source: "provider", usd: 0.5 } }));
    expect(row).toMatchObject({ unknown: 0, usd: 0.5 });
  });

  it("counts a failed call apart that may have been charged for, and not one that was refused", () => {
    expect(rowOf(failedCall("network"), failedCall("refused"))).toMatchObject({ calls: 1, unknown: 1 });
  });

  it("is summed up over all rows", () => {
    const rows = costBy([runOf(sampleCall("a")), runOf(failedCall("network"))], "persona", {
      dayOf: () => "",
    });
    expect(sumCosts(rows)).toMatchObject({ key: "Total", calls: 1, unknown: 1, usd: 0.0021 });
  });
});
