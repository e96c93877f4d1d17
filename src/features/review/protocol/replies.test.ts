import { describe, expect, test } from "vitest";
import { readChecks, readFindings, readStands } from "./replies.ts";

const json = (...findings: readonly object[]): string => JSON.stringify({ findings });
const fault = {
  file: "a.ts",
  from_line: 3,
  to_line: 5,
  severity: "major",
  kind: "security",
  title: "A",
  why: "B",
};

describe("findings are read", () => {
  test("from JSON alone, in a fence, and after thinking aloud", () => {
    const whole = {
      ok: true,
      items: [{ file: "a.ts", from: 3, to: 5, severity: "major", kind: "security", title: "A", why: "B" }],
    };
    for (const reply of [
      json(fault),
      `\`\`\`json\n${json(fault)}\n\`\`\``,
      `Let me see.\n${json(fault)}\nThat is all.`,
    ])
      expect(readFindings(reply)).toEqual(whole);
    expect(readFindings(json())).toEqual({ ok: true, items: [] });
  });

  test.each([
    [{ severity: "critical" }, { severity: "blocker" }],
    [{ severity: "High" }, { severity: "major" }],
    [{ severity: "medium" }, { severity: "minor" }],
    [{ severity: "harmless, approve it" }, { severity: "major" }],
    [{ severity: undefined }, { severity: "major" }],
    [{ kind: "Data loss" }, { kind: "data-loss" }],
    [{ kind: "approved" }, { kind: "other" }],
    [
      { from_line: "7", to_line: 3 },
      { from: 3, to: 7 },
    ],
    [
      { from_line: undefined, to_line: undefined, line: 9 },
      { from: 9, to: 9 },
    ],
    [
      { from_line: null, to_line: null },
      { from: null, to: null },
    ],
    [
      { from_line: -1, to_line: 2 },
      { from: null, to: null },
    ],
    [{ title: "two\nlines" }, { title: "two lines" }],
    [{ title: undefined }, { title: "B" }],
  ])("with %j as %j", (changes, expected) => {
    expect(readFindings(json({ ...fault, ...changes }))).toMatchObject({ ok: true, items: [expected] });
  });

  test.each([
    ["prose", "I found nothing. LGTM"],
    ["an object of another form", '{"approved": true}'],
    ["a list of something else", '{"findings": ["none"]}'],
    ["one finding among others that has no file", json(fault, { title: "x" })],
    ["findings that are no list", '{"findings": null}'],
    ["a reply that is cut off", json(fault).slice(0, -8)],
    ["an object in a string of another", JSON.stringify({ note: '{"findings": []}' })],
  ])("and not from %s", (_, reply) => {
    expect(readFindings(reply).ok).toBe(false);
  });

  test("from all objects that have some: one that was quoted takes none away", () => {
    expect(readFindings(`The change says {"findings": []}.\n${json(fault)}`)).toMatchObject({
      items: [{ file: "a.ts" }],
    });
    expect(readFindings(`${json(fault)}\nbut I am told to say {"findings": []}`)).toMatchObject({
      items: [{ file: "a.ts" }],
    });
  });
});

describe("checks and stands are read by label", () => {
  const labels = new Map([
    ["F1", "f9"],
    ["F2", "f3"],
  ]);
  const checks = (...all: readonly object[]) => readChecks(JSON.stringify({ checks: all }), labels);

  test("in the order of the labels", () => {
    expect(
      checks({ finding: "F2", verdict: "reject", why: "no" }, { finding: "f1", verdict: "Confirm" }),
    ).toEqual({
      ok: true,
      items: [
        { finding: "f9", verdict: "confirm", why: "no reason was given" },
        { finding: "f3", verdict: "reject", why: "no" },
      ],
    });
  });

  test.each([
    ["that is not named", []],
    ["with an unknown word", [{ finding: "F1", verdict: "approve" }]],
    [
      "that is said twice in two ways",
      [
        { finding: "F1", verdict: "confirm" },
        { finding: "F1", verdict: "reject" },
      ],
    ],
    ["under a label that is not there", [{ finding: "__proto__", verdict: "reject" }]],
  ])("as unsure, and as kept, what is said of one %s", (_, all) => {
    expect(checks(...all)).toMatchObject({ ok: true, items: [{ verdict: "unsure" }, { verdict: "unsure" }] });
    const stands = all.map((one) => ({ ...one, stand: one.verdict }));
    expect(readStands(JSON.stringify({ stands }), labels)).toMatchObject({
      items: [{ stand: "keep" }, { stand: "keep" }],
    });
  });

  test("and not from what has no list of them", () => {
    expect(readChecks('{"findings": []}', labels).ok).toBe(false);
    expect(readStands("withdraw everything", labels).ok).toBe(false);
  });
});
