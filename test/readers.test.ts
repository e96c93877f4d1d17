import { existsSync, readFileSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PIECE_READERS, READERS } from "./support/readers.ts";
import { expectLinearReading } from "./support/growth.ts";

const REVIEW = `### Response A
**Strengths:**
- Clear, and it names the source.
- Short
**Weaknesses:**
1. No test

### Response B
**Strengths:** Friendly. **Weaknesses:** Wrong about the boiling point.

### Response C
Strengths:
- right

FINAL RANKING:
1. Response A
2. Response C
3. Response B`;

/** Replies and questions as models and people write them. */
const REPLIES = [
  REVIEW,
  `FINAL RANKING:\n\nA\n> 1. **Strengths**: right\n> 2. **Weaknesses**: dull\n\nB\n> 1. **Strengths**: short\n\n1. B\n2. A\n3. C`,
  `I compared them.\n\n\`\`\`json\n{\n  "reviews": [{"label": "A", "strengths": ["one\nline"], "weaknesses": []}],\n  "ranking": ["A", "C", "B"]\n}\n\`\`\`\n`,
  `My ranking:\n\n[\n  {"label": "A", "rank": 1},\n  {"label": "C", "rank": 2},\n  {"label": "B", "rank": 3}\n]`,
  "Feedback: It is right.\nIt is short.\n[RESULT] 4\n",
  '```json\n{\n  "feedback": "one\n\ntwo",\n  "score": 3\n}\n```',
  "It misses a case.\n\nScore: 2",
  "Answer A is longer.\nAnswer B is right.\n\nTherefore, Output (b) is better.",
  "### Verdict:\nB\n\n### Why\nIt is right.",
  "The first is wrong.\n[[B]]\n",
  `Use a queue.\n\nFinal answer: yes\n\n## Dissent\n- B: it may be slow\n\n## Unique insights\n- A saw the lock\n\n## Vetoed\n- C: wrong\n\n\`\`\`json\n{"contributors": [\n  {"id": "A", "weight": 0.7, "reason": "plan"},\n  {"id": "B", "weight": 0.3, "reason": "risk"}\n]}\n\`\`\`\n`,
  `Do it.\n{"contributors":[{"id":"A","weight":1.0,"reason":"f"}]}`,
  `Do it.\n\n\`\`\`json\n{"contributors": [{"id": "A", "weight": 1}]}\n\nMore.`,
  "## A\nIt forgets zero.\n\n## B\nGood.\n\n## My answer\nx = 4\n\nFinal answer:\n4\n",
  '{"agreements": [{"claim": "it\nis so", "answers": ["A", "B"]}],\n "contradictions": [{"topic": "t", "stances": [{"claim": "x", "answers": ["A"]}, {"claim": "y", "answers": ["B"]}]}]}',
  '{"reason": "two\nlines", "confidence": 85}',
  '{"evaluation": {"functional_completeness": {"reasoning": "a\nb", "score": 7}}, "overall_summary": {"strengths": "- one\n- two", "overall_score": 8}}',
  '{"solutionMarkdown": "# Plan\n\n- a\n- b\n", "tradeoffs": "- x\n- y", "confidence": 80}',
  '{"questions": [{"text": "Which\nregion?"}, {"text": "How many?"}]}',
  "17 * 23 is\n\n\\[ 391 \\]\n\nFinal answer:\n\n391",
  "The answer is\n(C)\n",
  "So:\n\\boxed{\n42\n}",
  "Step one.\n\n**Total = 7**",
  "Final answer (in km):\n12.5",
  "# Design\n\nText.\n\nRequirements Coverage\n---------------------\n- R1: met\n- R2: partly\n\n# End\n",
  "# Queue\n\nThe service must:\n- keep order\n  across restarts\n- scale out\n\nIt should be cheap.\n\n```sh\nmust not count\n```\n\nLatency shall\nstay low. Nobody is sure?\n",
  "Dr. Who met Ada Lovelace.\nParis is big. See `x_y`\nand 1,234 km.\n",
  "Here it is:\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nThat adds up to three. Hope this helps!\n",
  "What is\nthe difference between A and B?\nAnd how do I choose?",
  "Fix it\nWhy is the sky blue\n",
  "~~~~\n```\nFINAL RANKING: A, B, C\n```\n~~~~\n\n1) x\n2) y",
  "[BEGIN draft A #0123456789abcdef]\nline\nline\n[END draft A #0123456789abcdef]\nbehind\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n> more\n",
  "The city\n\nhas two paragraphs.",
];

const ENDINGS = [
  ["CR LF", "\r\n"],
  ["CR", "\r"],
] as const;

/** What is read, with every line end in it as LF: what a reader hands on verbatim may keep its own. */
const simplify = (value: unknown): unknown =>
  typeof value === "string"
    ? value.replaceAll(/\r\n?/g, "\n")
    : value instanceof Map
      ? simplify([...value])
      : Array.isArray(value)
        ? value.map(simplify)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value).map(([name, inner]) => [name, name === "at" ? 0 : simplify(inner)]),
            )
          : value;

function expectSameReadings(text: string): void {
  for (const [name, read] of Object.entries(READERS)) {
    const plain = simplify(read(text));
    for (const [ending, sign] of ENDINGS)
      expect({ name, ending, text, read: simplify(read(text.replaceAll("\n", sign))) }).toEqual({
        name,
        ending,
        text,
        read: plain,
      });
  }
}

const folder = new URL("../../shared/data/", import.meta.url);

/** Real replies where they are on this machine: whole lines of text from the recorded files, at most so many of each. */
function readRecorded(most: number): string[] {
  const strings: string[] = [];
  const collect = (value: unknown, left: { n: number }): void => {
    if (typeof value === "string" && value.includes("\n") && left.n > 0) {
      strings.push(value.replaceAll("\r", ""));
      left.n -= 1;
    } else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) collect(inner, left);
  };
  const files = ["council-trials/trials.json", "judge-outputs/judge-outputs.jsonl"].concat(
    readdirSync(new URL("dialectic-debates/", folder)).map((name) => `dialectic-debates/${name}`),
    ["model-answers/mmlu-pro-8-models.jsonl"],
  );
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), "utf8");
    const left = { n: most };
    if (!/\.jsonl?$/.test(file)) strings.push(text.replaceAll("\r", ""));
    else
      for (const json of file.endsWith(".jsonl") ? text.trim().split("\n") : [text])
        if (left.n > 0) collect(JSON.parse(json), left);
  }
  return strings;
}

describe("line ends", () => {
  it("decide nothing that is read of a reply, a question or a file", () => {
    for (const text of REPLIES) expectSameReadings(text);
  });
  it("decide nothing, whatever the lines are", () => {
    const line = fc.constantFrom(
      ...REPLIES.flatMap((reply) => reply.split("\n")),
      "FINAL RANKING:",
      "1. A",
      "2. C",
      "3. B",
      "[RESULT]",
      "4",
      "",
      " ",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 12 }), (lines) => {
        expectSameReadings(lines.join("\n").replaceAll("\r", ""));
      }),
      { numRuns: 150 },
    );
  });
  it("decide nothing in what models and debates really wrote", (test) => {
    test.skip(!existsSync(folder), "the recorded replies are not on this machine");
    for (const text of readRecorded(60)) expectSameReadings(text);
  });
});

/** What hostile texts repeat; the first are those that have been slow. */
const PIECES = [
  ...["\n", "\r", "```\n", "{}", '{"', "a\n\n", "\n> ", "[RESULT]"],
  ...[
    " ",
    "\t",
    "\r\n",
    " \n",
    "    x\n",
    "a",
    "A",
    "word ",
    "a b ",
    "a\n",
    "\na: ",
    "a. ",
    "A. B",
    "? ",
    "!",
    "…",
  ],
  ...[
    "{",
    "[",
    "(",
    '{"a":',
    '{"a":1}\n',
    "[[",
    "[[A]]",
    "[[A",
    "]]",
    "[]",
    "}",
    '"',
    "'",
    "\\",
    '\\"',
    "`",
    "``",
  ],
  ...[
    "````\n",
    "~~~\n",
    "```json\n{",
    "```json\n{}\n```\n",
    "|",
    "| a ",
    "\n| a | b |",
    "|---",
    "> ",
    "\n>",
    "> A\n",
  ],
  ...[
    "#",
    "\n# ",
    "## A\n",
    "### Response A\n",
    "*",
    "**",
    "**A**",
    "_",
    "__",
    "-",
    "- ",
    "\n- a",
    "1. ",
    "\n1. A",
  ],
  ...[
    ",",
    "A,",
    "A > ",
    "A, B, C\n",
    "1",
    "1,",
    "1,000",
    "1.5",
    "1/",
    "1e",
    "$",
    "$1",
    "2^",
    "x^2 + ",
    "= 1",
    "85% ",
  ],
  ...[
    "\\boxed{",
    "\\boxed{1}",
    "\\frac{1}{2}",
    "\\frac{",
    "\\[",
    "\\( x \\)",
    "\\text{",
    "(A",
    "(A)",
    "January 1, ",
  ],
  ...[
    "FINAL RANKING:",
    "FINAL RANKING:\n",
    "FINAL RANKING: A, B, C\n",
    "Final answer:",
    "Final answer: 5\n",
    "Answer: ",
  ],
  ...[
    "The answer is ",
    "The answer is 5. ",
    "[RESULT] 4\n",
    "Score: 4\n",
    "Feedback:",
    "A is better. ",
    "Therefore, ",
  ],
  ...[
    "Response A is better than ",
    "Answer B says: ",
    "Answer B says:\n",
    "Strengths:\n- a\n",
    "must ",
    "- must a\n",
  ],
  ...[
    '{"contributors":',
    '{"contributors":[{"id":"A","weight":1}]}\n',
    '{"evaluation":{',
    '"evaluation"',
    "not ",
  ],
  ...[
    "[BEGIN draft A #0123456789abcdef]\n",
    "[END draft A #0123456789abcdef]\n",
    "Requirements Coverage\n",
    "## Dissent\n",
  ],
  ...[
    "“",
    "”",
    "’",
    "“a” ",
    "Ada ",
    "Dr. ",
    "é",
    "😀",
    "\u{d800}",
    "\u0000",
    "\u00a0",
    "\u200b",
    "\u2028",
    "<a",
    "<think>",
  ],
  ...["https://", "a@b", "sk-", "key=", "a:b ", "&", "</"],
];

const KNOWN_SLOW = 8;
/** All pieces for every reader take minutes: `READERS_ALL=1` asks for them. */
const oneIn = process.env["READERS_ALL"] === "1" ? 1 : 48;

it.each(Object.entries({ ...READERS, ...PIECE_READERS }).map(([name, read], nth) => ({ name, read, nth })))(
  "$name takes linear time",
  { timeout: 600_000 },
  ({ read, nth }) => {
    const pieces = PIECES.filter((_, index) => index < KNOWN_SLOW || (index + nth) % oneIn === 0);
    expectLinearReading(read, pieces, 8_192);
  },
);
