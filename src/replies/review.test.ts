import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseReview, ReviewReply } from "./review.ts";

const labels = ["A", "B"];
const text = `Answer A
Strengths:
- It is **right**.
- It is short
Weaknesses:
1. None to speak of

### Response B
**Strengths:** Friendly. **Weaknesses:** Wrong about the boiling point.

FINAL RANKING:
1. Response A
2. Response B`;

const remarks = [
  { label: "A", strengths: ["It is **right**.", "It is short"], weaknesses: ["None to speak of"] },
  { label: "B", strengths: ["Friendly."], weaknesses: ["Wrong about the boiling point."] },
];

describe("parseReview", () => {
  it("reads the text form", () => {
    expect(parseReview(text, labels)).toEqual({ ok: true, ranking: ["A", "B"], remarks });
  });
  it("reads the text form with the marker first", () => {
    const [reviews = "", ranking = ""] = text.split("FINAL RANKING:\n");
    expect(parseReview(`FINAL RANKING:\n\n${reviews}\nRanking:\n${ranking}`, labels)).toEqual({
      ok: true,
      ranking: ["A", "B"],
      remarks,
    });
  });
  it.each([
    "FINAL RANKING:\n\nA\n> 1. **Strengths**: right\n> 2. **Weaknesses**: dull\n\nB\n> 1. **Strengths**: short\n> 2. **Weaknesses**: wrong\n\n1. B\n2. A",
    "FINAL RANKING:\n\nResponse A\n> 1. **Strengths:** right\n> 2. **Weaknesses:** dull\n\nResponse B\n> 1. **Strengths:** short\n> 2. **Weaknesses:** wrong\n\n1. Response B\n2. Response A",
    "**FINAL RANKING:**\n\n**A**\n> Strengths: right\n> Weaknesses: dull\n\n**B**\n> Strengths: short\n> Weaknesses: wrong\n\nB > A",
    "FINAL RANKING:\n\nA:\n- Strengths: right\n- Weaknesses: dull\n\nB:\n- Strengths: short\n- Weaknesses: wrong\n\n1. B\n2. A",
    "# FINAL RANKING:\n\n## Response A\n> 1. Strengths\n> right\n> 2. Weaknesses\n> dull\n\n## Response B\n> 1. Strengths:\n> - short\n> 2. Weaknesses:\n> - wrong\n\nRanking:\n1. B\n2. A",
  ])("reads remarks that stand behind the marker: %j", (reply) => {
    expect(parseReview(reply, labels)).toEqual({
      ok: true,
      ranking: ["B", "A"],
      remarks: [
        { label: "A", strengths: ["right"], weaknesses: ["dull"] },
        { label: "B", strengths: ["short"], weaknesses: ["wrong"] },
      ],
    });
  });
  it("reads the JSON form, in the order and spelling of the labels", () => {
    const reply: ReviewReply = {
      reviews: [
        { label: "Response B", strengths: [], weaknesses: ["long", " "] },
        { label: "a", strengths: ["right"], weaknesses: [] },
        { label: "Z", strengths: ["nobody"], weaknesses: [] },
      ],
      ranking: ["B", "A"],
    };
    expect(parseReview(`\`\`\`json\n${JSON.stringify(reply)}\n\`\`\``, labels)).toEqual({
      ok: true,
      ranking: ["B", "A"],
      remarks: [
        { label: "A", strengths: ["right"], weaknesses: [] },
        { label: "B", strengths: [], weaknesses: ["long"] },
      ],
    });
  });
  it.each([
    '{"ranking": ["A", "B"]}',
    '{"ranking": ["A", "B"], "reviews": "none"}',
    '{"ranking": ["A", "B"], "reviews": [3, {"label": 1}, {"label": "A", "strengths": [7]}]}',
    "FINAL RANKING: A > B",
    "Both are good.\n\nFINAL RANKING:\n1. A\n2. B",
  ])("takes a good ranking without remarks: %j", (reply) => {
    expect(parseReview(reply, labels)).toEqual({ ok: true, ranking: ["A", "B"], remarks: [] });
  });
  it("reads a single remark that is no list", () => {
    const reply = '{"reviews": [{"label": "A", "strengths": "right"}], "ranking": ["A", "B"]}';
    expect(parseReview(reply, labels)).toMatchObject({
      remarks: [{ label: "A", strengths: ["right"], weaknesses: [] }],
    });
  });
  it("refuses where the ranking does", () => {
    expect(parseReview('{"reviews": [], "ranking": ["A", "A"]}', labels).ok).toBe(false);
    expect(parseReview(text.replace("2. Response B", ""), labels).ok).toBe(false);
  });
  it("bounds the number and the length of remarks", () => {
    const many = Array.from({ length: 60 }, () => "x".repeat(3_000));
    const review = parseReview(
      JSON.stringify({ reviews: [{ label: "A", strengths: many, weaknesses: [] }], ranking: labels }),
      labels,
    );
    const strengths = review.ok ? (review.remarks[0]?.strengths ?? []) : [];
    expect(strengths.length).toBe(50);
    expect(strengths[0]?.length).toBe(2_000);
  });
});

describe("ReviewReply", () => {
  it("becomes a closed JSON schema for structured replies", () => {
    expect(z.toJSONSchema(ReviewReply)).toMatchObject({
      type: "object",
      required: ["reviews", "ranking"],
      additionalProperties: false,
      properties: { ranking: { type: "array", items: { type: "string" } } },
    });
  });
});
