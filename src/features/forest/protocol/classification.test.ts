import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { record } from "../../../../test/support/sample-forest.ts";
import { classify } from "./classification.ts";
import { ExecutionMode, isComplete, type GateDef, type GateOutcome } from "./state.ts";
import { sized } from "../../../../test/support/long.ts";

const SPEC: readonly GateDef[] = [
  { name: "G1", hard: true },
  { name: "G2", hard: true },
  { name: "G3", hard: true },
  { name: "G7", hard: false, needs_handoff: true },
];
const pass = { passed: true };
const fail = { passed: false };
const whole = { G1: pass, G2: pass, G3: pass };
const kindOf = (gates: Record<string, GateOutcome>) => {
  const { classification, finding, reason } = classify(record(gates), SPEC);
  return [classification, finding, reason];
};

describe("gates decide", () => {
  it.each<[string, Record<string, GateOutcome>, string, string, RegExp]>([
    ["alignment 2", { ...whole, G7: { score: 2 } }, "fruit", "promoted", /promoted/],
    ["alignment 1", { ...whole, G7: { score: 1 } }, "fruit", "ensemble", /ensemble/],
    ["alignment that passed", { ...whole, G7: pass }, "fruit", "ensemble", /ensemble/],
    [
      "alignment 0",
      { ...whole, G7: { score: 0 } },
      "golden_leaf",
      "unaligned",
      /^all hard gates passed; the evidence/,
    ],
    ["no alignment", whole, "golden_leaf", "unaligned", /^all hard gates passed; no record of G7/],
    ["an alignment nobody judged", { ...whole, G7: {} }, "golden_leaf", "unaligned", /nobody has judged/],
    [
      "a boundary",
      { ...whole, G2: { ...fail, boundary_informative: true }, G7: { score: 0 } },
      "golden_leaf",
      "boundary",
      /failed G2/,
    ],
    [
      "a regime",
      { G1: fail, G2: fail, G3: { ...fail, sub_regime: "2020" } },
      "golden_leaf",
      "boundary",
      /failed G1, G2, G3/,
    ],
    [
      "a weak signal with a hard gate",
      { G1: pass, G2: { ...fail, weak_signal: true }, G3: fail },
      "golden_leaf",
      "boundary",
      /G2, G3/,
    ],
    [
      "a weak signal alone",
      { G1: fail, G2: { ...fail, weak_signal: true }, G3: fail },
      "dead_leaf",
      "weak",
      /weak everywhere/,
    ],
    ["sanity and one failure", { G1: pass, G2: fail, G3: pass }, "golden_leaf", "boundary", /failed G2/],
    ["a failed bar", { G1: pass, G2: pass, G3: fail }, "normal_leaf", "partial", /failed G3/],
    ["nothing", {}, "dead_leaf", "weak", /weak everywhere/],
    [
      "nothing but alignment",
      { G1: fail, G2: fail, G3: fail, G7: { score: 2 } },
      "normal_leaf",
      "partial",
      /failed G1, G2, G3/,
    ],
    [
      "lookahead",
      { ...whole, G2: { ...pass, lookahead: true }, G7: { score: 3 } },
      "sick_leaf",
      "leaks",
      /G2 flags lookahead; blocked_from_reuse/,
    ],
    ["leakage", { ...whole, G7: { score: 3, leakage: true } }, "sick_leaf", "leaks", /G7 flags leakage/],
    ["bad data", { G1: { ...fail, status: "INVALID_DATA" } }, "sick_leaf", "leaks", /invalid_data/],
  ])("of %s", (_, gates, ...expected) => {
    const [classification, finding, reason] = expected;
    expect(kindOf(gates)).toEqual([classification, finding, expect.stringMatching(reason)]);
  });

  it("grow no fruit where the record lacks a gate, also a soft one", () => {
    const spec = [...SPEC, { name: "G8", hard: false }];
    const { classification, reason } = classify(record({ ...whole, G7: { score: 3 } }), spec);
    expect([classification, reason]).toEqual(["golden_leaf", "all hard gates passed; no record of G8"]);
  });

  it("without a hard gate grow no fruit", () => {
    expect(
      classify(record({ G7: { score: 3 } }), [{ name: "G7", hard: false, needs_handoff: true }])
        .classification,
    ).not.toBe("fruit");
  });

  it.each(ExecutionMode.options.filter((mode) => mode !== "tool_executed"))(
    "of a %s never grow a fruit",
    (mode) => {
      expect(() => classify(record({ ...whole, G7: { score: 2 } }, mode), SPEC)).toThrow(
        `a fruit requires execution_mode tool_executed (got ${mode})`,
      );
    },
  );

  it("leave no other way to a fruit, whatever gates say", () => {
    const gate = fc.record(
      {
        passed: fc.boolean(),
        score: fc.constantFrom(0, 1, 2, 3),
        lookahead: fc.boolean(),
        boundary_informative: fc.boolean(),
        status: fc.constantFrom("ok", "sick", "leakage"),
      },
      { requiredKeys: [] },
    );
    const gates = fc.dictionary(fc.constantFrom("G1", "G2", "G3", "G7"), gate);
    fc.assert(
      fc.property(gates, fc.constantFrom(...ExecutionMode.options), (given, mode) => {
        const made = record(given, mode);
        const before = JSON.stringify(made);
        let outcome: ReturnType<typeof classify> | undefined;
        try {
          outcome = classify(made, SPEC);
        } catch {
          expect(mode).not.toBe("tool_executed");
        }
        expect(JSON.stringify(made)).toBe(before);
        const flagged = Object.values(given).some(
          (one) => one.lookahead === true || ["sick", "leakage"].includes(one.status ?? ""),
        );
        if (flagged) expect(outcome?.classification).toBe("sick_leaf");
        if (outcome?.classification !== "fruit") return;
        expect(outcome.record.execution_mode).toBe("tool_executed");
        expect(isComplete(made, SPEC)).toBe(true);
        for (const name of ["G1", "G2", "G3"])
          expect(given[name]?.passed ?? (given[name]?.score ?? 0) > 0).toBe(true);
      }),
      { numRuns: sized(500) },
    );
  });
});
