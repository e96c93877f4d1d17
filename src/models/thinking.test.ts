import { describe, expect, it } from "vitest";
import { Separator } from "./thinking.ts";

const THOUGHT = "Let me see.\n17 times 23, a < b, [1] `x`…\n\nNo, 391.";
const ANSWER = "The product is **391**.\n\n```py\nprint('<think>')\n```\n\nFinal answer: 391";

/** Forms in which models and servers leave what was thought in the text, each around the same thought and answer. */
const FORMS: readonly (readonly [name: string, reply: string])[] = [
  ...["think", "thinking", "thought", "reasoning", "seed:think", "longcat_think", "Think"].map(
    (tag) => [`<${tag}>`, `<${tag}>\n${THOUGHT}\n</${tag}>\n\n${ANSWER}`] as const,
  ),
  ["blanks before it", `\n \n<think>${THOUGHT}</think>${ANSWER}`],
  ["the closing mark alone", `${THOUGHT}\n</think>\n\n${ANSWER}`],
  ["the closing mark alone, at a line's end", `${THOUGHT}</think>\n\n${ANSWER}`],
  ["brackets", `[THINK]${THOUGHT}[/THINK]${ANSWER}`],
  ["Kimi's triangles", `◁think▷${THOUGHT}◁/think▷${ANSWER}`],
  ["unused tokens", `<unused94>${THOUGHT}<unused95>${ANSWER}`],
  [
    "OpenThinker's",
    `<|begin_of_thought|>\n${THOUGHT}\n<|end_of_thought|>\n\n<|begin_of_solution|>${ANSWER}<|end_of_solution|>`,
  ],
  ["Cohere's", `<|START_THINKING|>${THOUGHT}<|END_THINKING|><|START_RESPONSE|>${ANSWER}<|END_RESPONSE|>`],
  ["Gemma's channel", `<|channel>${THOUGHT}<channel|>${ANSWER}`],
  [
    "harmony",
    `<|channel|>analysis<|message|>${THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
  ],
  [
    "harmony with a role and a constraint",
    `<|start|>assistant<|channel|>analysis<|message|>${THOUGHT}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>${ANSWER}`,
  ],
  ["harmony without its marks", `analysis${THOUGHT}assistantfinal${ANSWER}`],
];

const heard = (reply: string, cuts: readonly number[], startsThinking = false) => {
  let [text, thinking] = ["", ""];
  const separator = new Separator(
    {
      onText: (piece) => (text += piece),
      onThinking: (piece) => (thinking += piece),
      onRetract: () => (text = ""),
    },
    { startsThinking },
  );
  for (const [nth, cut] of [...cuts, reply.length].entries())
    separator.push(reply.slice(nth === 0 ? 0 : cuts[nth - 1], cut));
  return { ...separator.end(), heard: text, heardThinking: thinking };
};

const separateThinking = (reply: string) => {
  const { text, thinking } = heard(reply, []);
  return { text, thinking };
};

describe("what a model thought, in its text", () => {
  it.each(FORMS)("is told from the answer: %s", (_, reply) => {
    const { text, thinking } = separateThinking(reply);
    expect(text).toBe(ANSWER);
    expect(thinking).toBe(THOUGHT);
  });

  it.each(FORMS)("is the same wherever the text is cut, and is streamed as what it is: %s", (_, reply) => {
    for (let cut = 0; cut <= reply.length; cut += 1) {
      const parts = heard(reply, [cut]);
      expect(parts.text).toBe(ANSWER);
      expect(parts.thinking).toBe(THOUGHT);
      expect(parts.heard).toBe(ANSWER);
    }
    const byOne = heard(
      reply,
      [...reply].map((_char, at) => at),
    );
    expect(byOne).toMatchObject({ text: ANSWER, thinking: THOUGHT, heard: ANSWER });
  });

  it("is all of a reply that was cut off before it was closed", () => {
    expect(separateThinking(`<think>${THOUGHT}`)).toEqual({ text: "", thinking: THOUGHT });
    expect(separateThinking("<|channel|>analysis<|message|>Let me see")).toEqual({
      ...{ text: "", thinking: "Let me see" },
    });
  });

  it("may come more than once", () => {
    expect(separateThinking("<think>one</think>\nFirst.\n<think>two</think>\nSecond.")).toEqual({
      ...{ text: "First.\nSecond.", thinking: "one\n\ntwo" },
    });
  });

  it("is held back from the text where a model is known to mark its end alone", () => {
    const reply = `${THOUGHT}\n</think>\n\n${ANSWER}`;
    let shown = "";
    const separator = new Separator(
      { onText: (piece) => (shown += piece), onThinking: () => {}, onRetract: () => (shown = "!") },
      { startsThinking: true },
    );
    for (const char of reply) separator.push(char);
    expect(separator.end()).toEqual({ text: ANSWER, thinking: THOUGHT });
    expect(shown).toBe(ANSWER);
    expect(heard("No mark at all.", [3], true)).toMatchObject({ text: "No mark at all.", thinking: "" });
  });

  it.each([
    "  Plain text, with blanks before it.\n",
    "Use `<think>` and `</think>` to mark it.",
    "The mark `</think>`\nends it.",
    "```xml\n<think>\nx\n</think>\n```\nThat is how.",
    "The <think> element is inline and </think> closes it, they say.",
    "A list:\n<think>\nis opened here and never closed",
    "analysis of the figures: fine",
    "analysis",
    "analysisWithoutAFinal",
    "The tokens are <|start|> and <|channel|>, said plainly.",
    "a < b, [1], ◁ and <|",
    "<b>bold</b> <|im_end|>",
    "",
  ])("leaves other text as it is: %j", (reply) => {
    for (let cut = 0; cut <= reply.length; cut += 1)
      expect(heard(reply, [cut])).toMatchObject({ text: reply, thinking: "", heard: reply });
  });
});
