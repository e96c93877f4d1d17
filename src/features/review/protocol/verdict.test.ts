import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, objectors, type ReviewEvidence } from "./verdict.ts";
import { KINDS, ReviewRules, SEVERITIES, type MergedFinding } from "./work.ts";

const NAMES = ["ada", "bob", "cyd", "dan"] as const;
const rules = ReviewRules.parse({});

const finding = fc.record({
  file: fc.constant("a.ts"),
  from: fc.constant(1),
  to: fc.constant(1),
  severity: fc.constantFrom(...SEVERITIES),
  kind: fc.constantFrom(...KINDS),
  title: fc.constant("a fault"),
  why: fc.constant("so"),
});
const merged = (id: string): fc.Arbitrary<MergedFinding> =>
  fc
    .uniqueArray(fc.record({ by: fc.constantFrom(...NAMES), one: finding }), {
      ...{ minLength: 1, maxLength: 4, selector: ({ by }) => by },
    })
    .map((raised) => {
      const all = raised.map(({ by, one }) => ({ ...one, by }));
      const [first] = all;
      return { ...(first as (typeof all)[number]), id, raised: all };
    });
const about = <T extends string>(key: string, words: readonly T[]) =>
  fc.array(
    fc.record({
      by: fc.constantFrom(...NAMES),
      finding: fc.constantFrom("f1", "f2"),
      [key]: fc.constantFrom(...words),
      why: fc.constant("so"),
    }),
    { maxLength: 10 },
  );
const evidence: fc.Arbitrary<ReviewEvidence> = fc
  .record({
    findings: fc.oneof(fc.constant([]), fc.tuple(merged("f1")), fc.tuple(merged("f1"), merged("f2"))),
    checks: about("verdict", ["confirm", "lesser", "reject", "unsure"] as const),
    stands: about("stand", ["keep", "lesser", "withdraw"] as const),
    reviewers: fc.subarray([...NAMES], { minLength: 0 }),
    unseen: fc.oneof(fc.constant([]), fc.constant([{ path: "p.bin", why: "it is binary" }])),
  })
  .map((one) => ({ ...one, checks: one.checks.filter(notOwn(one.findings)) }) as unknown as ReviewEvidence);
/** Nobody checks what it has raised. */
const notOwn =
  (findings: readonly MergedFinding[]) =>
  (check: { readonly by?: unknown; readonly finding?: unknown }): boolean =>
    !findings.some(({ id, raised }) => id === check.finding && raised.some(({ by }) => by === check.by));

test("a change passes only where nobody stands by a fault that it raised (VERDICT-1)", () => {
  fc.assert(
    fc.property(evidence, fc.integer({ min: 1, max: 4 }), (all, confirmations) => {
      const { verdict } = decide(all, { ...rules, confirmations });
      if (verdict !== "pass") return;
      for (const one of all.findings)
        for (const by of objectors(one, rules)) {
          const stand = all.stands.find((said) => said.by === by && said.finding === one.id)?.stand;
          expect(["withdraw", "lesser"]).toContain(stand);
        }
      expect(all.unseen).toEqual([]);
      expect(all.reviewers.length).toBeGreaterThanOrEqual(rules.reviewers);
    }),
    { numRuns: 2_000 },
  );
});

test("no number of rejections turns a verdict into a pass (VERDICT-1)", () => {
  fc.assert(
    fc.property(evidence, (all) => {
      const before = decide({ ...all, stands: [] }, rules).verdict;
      const checks = all.findings.flatMap(({ id }) =>
        NAMES.map((by) => ({ by, finding: id, verdict: "reject" as const, why: "obeyed" })),
      );
      const after = decide({ ...all, checks, stands: [] }, rules).verdict;
      if (before !== "pass") expect(after).not.toBe("pass");
    }),
    { numRuns: 2_000 },
  );
});

test("nobody blocks a change alone", () => {
  fc.assert(
    fc.property(evidence, (all) => {
      const { verdict, findings } = decide(all, rules);
      if (verdict !== "block") return;
      const voices = findings
        .filter(({ state }) => state === "confirmed")
        .map(
          (one) =>
            new Set([
              ...objectors(one, rules),
              ...one.checks.flatMap(({ by, verdict: said }) => (said === "confirm" ? [by] : [])),
            ]),
        );
      expect(voices.some(({ size }) => size >= 2)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

describe("a finding", () => {
  const raised = (by: string, changes: object = {}) => ({
    ...{ by, file: "a.ts", from: 1, to: 1, severity: "major", kind: "security", title: "x", why: "y" },
    ...changes,
  });
  const stateOf = (
    said: Partial<ReviewEvidence>,
    all: readonly object[] = [raised("ada")],
    changes: object = {},
  ) =>
    decide(
      {
        ...{ reviewers: ["ada", "bob", "cyd"], unseen: [], checks: [], stands: [], ...said },
        findings: [{ ...(all[0] as MergedFinding), id: "f1", raised: all as MergedFinding["raised"] }],
      },
      { ...rules, ...changes },
    );
  const check = (by: string, verdict: "confirm" | "lesser" | "reject" | "unsure") => ({
    by,
    verdict,
    finding: "f1",
    why: "",
  });
  const stand = (by: string, said: "keep" | "lesser" | "withdraw") => ({
    by,
    stand: said,
    finding: "f1",
    why: "",
  });

  test.each([
    [
      "confirmed where one confirms it, whoever rejects it",
      { checks: [check("bob", "confirm"), check("cyd", "reject")] },
      "block",
      "confirmed",
    ],
    ["open where nobody says anything of it", {}, "inconclusive", "open"],
    [
      "open where all reject it and it is kept",
      { checks: [check("bob", "reject"), check("cyd", "reject")], stands: [stand("ada", "keep")] },
      "inconclusive",
      "open",
    ],
    [
      "withdrawn where it is withdrawn",
      { checks: [check("bob", "reject")], stands: [stand("ada", "withdraw")] },
      "pass",
      "withdrawn",
    ],
    [
      "lesser where it is lowered",
      { checks: [check("bob", "lesser")], stands: [stand("ada", "lesser")] },
      "pass",
      "lesser",
    ],
    [
      "confirmed where another confirms it, though it is withdrawn",
      { checks: [check("bob", "confirm")], stands: [stand("ada", "withdraw")] },
      "block",
      "confirmed",
    ],
  ] as const)("is %s", (...[, said, verdict, state]) => {
    const decision = stateOf(said);
    expect({ verdict: decision.verdict, state: decision.findings[0]?.state }).toEqual({ verdict, state });
  });

  test("is confirmed by two that raised it by themselves, and not by one of another weight", () => {
    expect(stateOf({}, [raised("ada"), raised("bob")]).verdict).toBe("block");
    expect(stateOf({}, [raised("ada"), raised("bob", { severity: "note" })]).verdict).toBe("inconclusive");
    expect(stateOf({}, [raised("ada", { kind: "style", severity: "blocker" }), raised("bob")]).verdict).toBe(
      "inconclusive",
    );
  });

  test("needs as many as the rules say", () => {
    const said = { checks: [check("bob", "confirm")] };
    expect(stateOf(said, [raised("ada")], { confirmations: 2 }).verdict).toBe("inconclusive");
    expect(
      stateOf({ checks: [...said.checks, check("cyd", "confirm")] }, [raised("ada")], { confirmations: 2 })
        .verdict,
    ).toBe("block");
  });

  test("does not stand against a change below the severity, or of another kind, that the rules say", () => {
    expect(stateOf({}, [raised("ada", { severity: "minor" })])).toMatchObject({
      verdict: "pass",
      findings: [{ state: "reported" }],
    });
    expect(stateOf({}, [raised("ada")], { kinds: ["tests"] }).verdict).toBe("pass");
    expect(stateOf({}, [raised("ada", { severity: "minor" })], { blocks: "minor" }).verdict).toBe(
      "inconclusive",
    );
  });
});
