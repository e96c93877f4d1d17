import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liveAnswer, restAfter } from "../src/app/live-answer.ts";
import { DeliberationId, ParticipantId, StepKey, type Frame } from "../src/kernel/index.ts";
import { readSynthesis } from "../src/protocols/phases/panel/prompts.ts";
import { answerSoFar } from "../src/replies/answer-so-far.ts";
import { parseSolution } from "../src/replies/solution.ts";

const CLAIMS = '{"contributors": [{"id": "A", "weight": 0.7, "reason": "it"}, {"id": "B", "weight": 0.3}]}';
const BLOCK = `\`\`\`json\n${CLAIMS}\n\`\`\``;

/** Gives a reply in pieces that end at these places. */
function hear(reply: string, cuts: readonly number[], isObject = false): string {
  const take = answerSoFar(isObject);
  const ends = [...cuts.map((cut) => cut % (reply.length + 1)), reply.length].sort((a, b) => a - b);
  return ends.map((end, index) => take(reply.slice(ends[index - 1] ?? 0, end))).join("");
}

const PARAGRAPHS = [
  ...[
    "Take Postgres.",
    "It is **one** thing less.  ",
    "1. First\n2. Second",
    "- a\n- b",
    "| a | b |\n|---|---|\n| 1 | 2 |",
  ],
  ...[
    "# Why",
    "```ts\nconst a = { b: 1 };\n```",
    "~~~\n## Dissent\n~~~",
    "[1] says so.",
    "Final answer: 391",
    "😀 \t é",
  ],
  ...["{a} is a set.", "> a quote", "_Perhaps_ not.", "", "   "],
];
const SECTIONS = [
  ...[
    "## Dissent\n- Bo: it is slow",
    "**Dissent**\n- none",
    "## Unique insights\n- vacuum\n",
    "## Vetoed\n- B: wrong",
  ],
  ...["### dissent:\n- x\n\nMore of the answer.", "## Vetoed\n- nobody", "## Dissent\n- y\nFinal answer: 12"],
];
const ENDS = ["", BLOCK, CLAIMS, `${BLOCK}\n`, "```json\n{", `\`\`\`\n${CLAIMS}\n\`\`\`\n\nThat is all.`];

describe("what may be shown of a reply while it is written", () => {
  it("is always the beginning of the answer, wherever the reply is cut", () => {
    const parts = fc.tuple(
      fc.array(fc.constantFrom(...PARAGRAPHS), { minLength: 1, maxLength: 6 }),
      fc.array(fc.constantFrom(...SECTIONS), { maxLength: 2 }),
      fc.constantFrom(...ENDS),
    );
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom("\n\n", "\n", "\r\n\r\n"),
        fc.array(fc.nat(2_000), { maxLength: 40 }),
        ([paragraphs, sections, end], gap, cuts) => {
          const reply = [...paragraphs, ...sections, end].join(gap);
          const { text } = readSynthesis(reply, ["A", "B"]);
          const heard = hear(reply, cuts);
          expect(text.startsWith(heard), JSON.stringify({ reply, text, heard })).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("begins with the first word, and waits for nothing but marks and blanks", () => {
    const take = answerSoFar(false);
    const heard = [
      "Ta",
      "ke ",
      "Postgres",
      ".",
      "\n",
      "\nIt ",
      "is one",
      " less.\n\n## Dis",
      "sent\n- Bo: no\n",
    ].map(take);
    expect(heard).toEqual(["Ta", "ke", " Postgres", ".", "", "\n\nIt", " is one", " less.", ""]);
  });

  it("is the text in the object that a judge writes, with its escapes", () => {
    const markdown = 'Take "Postgres".\n\n## Why\n\tOne thing less. \\ 😀 é';
    const escaped = JSON.stringify({ solutionMarkdown: markdown, tradeoffs: ["slow"] }).replace(
      "é",
      "\\u00e9",
    );
    const surrogates = escaped.replace("😀", "\\ud83d\\ude00");
    for (const reply of [escaped, surrogates, `\`\`\`json\n${escaped}\n\`\`\``, ` ${escaped}`]) {
      const solution = parseSolution(reply);
      for (let cut = 0; cut <= reply.length; cut += 1) {
        const heard = hear(reply, [cut], true);
        expect(solution).toMatchObject({ ok: true, markdown: heard });
        expect(heard.isWellFormed()).toBe(true);
      }
    }
  });

  it("is nothing of an object without it, in bounded time", () => {
    expect(hear(`{"a": "${"x".repeat(200_000)}"}`, [], true)).toBe("");
    const take = answerSoFar(true);
    for (let index = 0; index < 100_000; index += 1) expect(take("{")).toBe("");
  });
});

describe("a live answer", () => {
  const frame = (
    kind: string,
    text: string,
    over: { step?: string; offset?: number; attempt?: number } = {},
  ): Frame => ({
    deliberation: DeliberationId.parse("d"),
    step: StepKey.parse(over.step ?? "synthesis/chair"),
    work: { kind, by: ParticipantId.parse("A") },
    kind: "text",
    delta: { text, offset: over.offset ?? 0, attempt: over.attempt ?? 1 },
  });

  it("is the first attempt of the turn that writes it, and of no other turn", () => {
    const sent: string[] = [];
    const live = liveAnswer((text) => sent.push(text));
    live.take(frame("draft", "A draft."));
    live.take(frame("synthesis", "The "));
    live.take(frame("synthesis", "second", { attempt: 2, offset: 4 }));
    live.take(frame("synthesis", "other", { step: "synthesis/fallback", offset: 4 }));
    live.take(frame("synthesis", "answer.", { offset: 4 }));
    expect([sent.join(""), live.sent()]).toEqual(["The answer.", "The answer."]);
  });

  it("is given whole, with what is missing, whatever was sent of it", () => {
    expect(restAfter("", "All.")).toBe("All.");
    expect(restAfter("", "All.", "Degraded: one")).toBe("Degraded: one\n\nAll.");
    expect(restAfter("\nAl", "All.")).toBe("l.");
    expect(restAfter("Al", "All.", "Degraded: one")).toBe("l.\n\nDegraded: one");
    expect(restAfter("No", "All.")).toBe(
      "\n\n(The text above was begun again. This is the whole answer.)\n\nAll.",
    );
  });
});
