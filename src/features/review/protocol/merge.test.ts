import fc from "fast-check";
import { expect, test } from "vitest";
import { faultyDiff } from "../../../../test/support/review-table.ts";
import { readUnifiedDiff } from "../../../text/unified-diff.ts";
import { mergeFindings } from "./merge.ts";
import { KINDS, SEVERITIES, type By, type ReviewFinding } from "./work.ts";

const read = readUnifiedDiff(faultyDiff());
const files = read.ok ? read.files : [];

const one = (changes: Partial<By<ReviewFinding>> = {}): By<ReviewFinding> => ({
  ...{ by: "ada", file: "src/save.ts", from: 7, to: 7, severity: "major", kind: "correctness" },
  ...{ title: "The write is not awaited", why: "so", ...changes },
});
const merge = (...raised: readonly By<ReviewFinding>[]) => mergeFindings(raised, files);

const finding: fc.Arbitrary<By<ReviewFinding>> = fc
  .record({
    by: fc.constantFrom("ada", "bob", "cyd"),
    file: fc.constantFrom("src/save.ts", "b/src/save.ts", "other.ts"),
    lines: fc.oneof(
      fc.constant(null),
      fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 60 })),
    ),
    severity: fc.constantFrom(...SEVERITIES),
    kind: fc.constantFrom(...KINDS),
    title: fc.constantFrom("The write is not awaited", "The text is not checked", "not awaited write", "odd"),
    why: fc.string(),
  })
  .map(({ lines, ...rest }) => ({
    ...rest,
    from: lines?.[0] ?? null,
    to: lines ? lines[0] + lines[1] : null,
  }));

test("every finding that was raised is in one merged finding or dropped with a reason, whatever the order", () => {
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (raised, noise) => {
      const merged = mergeFindings(raised, files);
      const kept = merged.findings.flatMap((each) => each.raised);
      expect(kept.length + merged.dropped.length).toBe(raised.length);
      expect(new Set(merged.findings.map(({ id }) => id)).size).toBe(merged.findings.length);
      const shuffled = raised
        .map((each) => [noise.next().value ?? 0, each] as const)
        .sort(([a], [b]) => a - b);
      expect(
        mergeFindings(
          shuffled.map(([, each]) => each),
          files,
        ),
      ).toEqual(merged);
    }),
    { numRuns: 300 },
  );
});

test("one fault that two raise is one finding, with the words and the severity of the worse", () => {
  const { findings } = merge(
    one({ severity: "minor", title: "write() is never awaited" }),
    one({ by: "bob", severity: "blocker" }),
  );
  expect(findings).toMatchObject([
    {
      id: "f1",
      severity: "blocker",
      title: "The write is not awaited",
      raised: [{ by: "bob" }, { by: "ada" }],
    },
  ]);
});

test("two faults in one place are two where neither kind nor words are the same", () => {
  expect(
    merge(one(), one({ by: "bob", kind: "security", title: "Text reaches a shell" })).findings,
  ).toHaveLength(2);
});

test("a finding over everything does not take in others of its kind", () => {
  const wide = one({ by: "bob", from: 1, to: 999, title: "Something is odd" });
  expect(merge(one(), wide).findings).toHaveLength(2);
});

test("findings of other files and lines are dropped with the reason, and those a few lines off are kept", () => {
  const { findings, dropped } = merge(
    one({ file: "other.ts" }),
    one({ from: 40, to: 41 }),
    one({ from: 10, to: 11 }),
    one({ by: "bob", from: null, to: null, title: "It has no test" }),
    one({ by: "cyd", file: "b/src/save.ts", kind: "security", title: "Named as a diff names it" }),
  );
  expect(dropped.map(({ reason }) => reason).sort()).toEqual([
    "the change does not touch these lines",
    "the change does not touch this file",
  ]);
  expect(findings.map(({ title }) => title).sort()).toEqual([
    "It has no test",
    "Named as a diff names it",
    "The write is not awaited",
  ]);
});

test.each([
  ["as git writes it", String.raw`"b/sp ace \303\251.js"`],
  ["without the quotes", String.raw`sp ace \303\251.js`],
  ["in quotes", '"b/sp ace é.js"'],
  ["decomposed", "a/sp ace é.js".normalize("NFD")],
  ["by its name before", String.raw`"a/o\"ld.js"`],
  ["in a folder that looks like a prefix", "b/o.js", "b/o.js"],
])("a finding on a file with an uncommon name is kept: %s", (_, file, path = "sp ace é.js") => {
  const hunk = ["@@ -7 +7 @@", "-a", "+b", ""];
  const changed = readUnifiedDiff(
    [
      String.raw`diff --git "a/o\"ld.js" "b/sp ace \303\251.js"`,
      "similarity index 90%",
      String.raw`rename from "o\"ld.js"`,
      String.raw`rename to "sp ace \303\251.js"`,
      ...[String.raw`--- "a/o\"ld.js"`, String.raw`+++ "b/sp ace \303\251.js"`, ...hunk.slice(0, 3)],
      ...["diff --git a/o.js b/o.js", "--- a/o.js", "+++ b/o.js", "@@ -90 +90 @@", "-a", "+b"],
      ...["diff --git a/b/o.js b/b/o.js", "--- a/b/o.js", "+++ b/b/o.js", ...hunk],
    ].join("\n"),
  );
  if (!changed.ok) throw new Error(changed.reason);
  expect(mergeFindings([one({ file })], changed.files).findings).toMatchObject([{ file: path }]);
});

test("of one reviewer the forty worst count", () => {
  const many = Array.from({ length: 60 }, (_, nth) =>
    one({ severity: "note", kind: "style", title: `word${nth}`, from: null, to: null }),
  );
  const { findings, dropped } = merge(...many, one(), one({ by: "bob" }));
  expect(findings[0]?.raised).toHaveLength(2);
  expect(dropped).toHaveLength(21);
});
