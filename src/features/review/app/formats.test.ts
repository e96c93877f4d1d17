import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText, HOSTILE_TEXTS } from "../../../../test/support/hostile-texts.ts";
import { ReviewRules, type DecidedFinding } from "../protocol/work.ts";
import type { ReviewSection } from "../protocol/view.ts";
import { reviewAnnotations, reviewMarkdown, reviewSarif } from "./formats.ts";

const digest = "a".repeat(64) as ReviewSection["pins"]["diff"];

/** A review whose every foreign text is this one. */
function reviewOf(text: string): { id: string; section: ReviewSection } {
  const own = {
    file: text,
    from: 3,
    to: 4,
    severity: "major",
    kind: "security",
    title: text,
    why: text,
  } as const;
  const finding: DecidedFinding = {
    ...{ id: "f1", ...own, state: "confirmed", raised: [{ ...own, by: "ada" }] },
    ...{ checks: [{ by: "bob", verdict: "confirm", why: text }], stands: [] },
  };
  const section = {
    ...{ verdict: "block", why: text, findings: [finding], dropped: [], rulesFrom: text, base: null },
    reviewers: [{ id: "ada", name: text, model: "sim/ada", review: true }],
    ...{ rules: ReviewRules.parse({}), pins: { diff: digest, files: digest, rules: digest } },
    ...{ ignored: [], unseen: [{ path: text, why: text }] },
  };
  return { id: "run1", section: section as unknown as ReviewSection };
}

const COMMANDS = [
  "::error::x",
  "a\n::set-output name=x::y",
  "%0A::add-mask::x",
  "##[group]x",
  "a\r\n::stop-commands::t",
];

describe("what models write does nothing in", () => {
  const check = (text: string) => {
    const lines = reviewAnnotations(reviewOf(text)).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines.slice(0, 2).every((line) => /^::error /.test(line))).toBe(true);
    expect(lines.join("")).not.toContain("\r");
    const [, properties = ""] = /^::error (.*?)::/.exec(lines[0] ?? "") ?? [];
    expect(properties.split(",").map((one) => one.split("=", 1)[0])).toEqual([
      "file",
      "line",
      "endLine",
      "title",
    ]);
  };
  test.each([...COMMANDS, ...HOSTILE_TEXTS])("a workflow's log: %j", (text) => check(text));
  test("a workflow's log, whatever it is", () =>
    fc.assert(fc.property(hostileText, check), { numRuns: 300 }));

  test.each([...COMMANDS, ...HOSTILE_TEXTS, "@everybody closes #12", "a | b | c", "<!-- parley-review -->"])(
    "a comment: %j",
    (text) => {
      const markdown = reviewMarkdown(reviewOf(text));
      expect(markdown.match(/(?<!\\)<!--/g)).toHaveLength(1);
      expect(markdown.match(/^<summary>.*|<summary>(?!f1<)/gm)).toBeNull();
      expect(markdown).not.toMatch(/(?<!\\)<(?!\/?(?:details|summary|sub)>|!-- parley-review -->)/);
      expect(markdown).not.toMatch(/@(?!\u200b)|(?<!\\)!?\[[^\]]*\]\(/);
      const row = markdown.split("\n").find((line) => line.startsWith("| f1 ")) ?? "";
      expect(row.replaceAll(String.raw`\|`, "").split("|")).toHaveLength(7);
    },
  );

  test.each([...COMMANDS, ...HOSTILE_TEXTS])("SARIF: %j", (text) => {
    const { runs } = JSON.parse(reviewSarif(reviewOf(text))) as {
      runs: { results: { locations: object[] }[] }[];
    };
    const uri = JSON.stringify(runs[0]?.results[0]?.locations);
    expect(uri).not.toMatch(/"uri":"(?:[a-z]+:|\/)/i);
  });
});
