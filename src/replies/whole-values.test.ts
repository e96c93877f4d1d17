import { describe, expect, it } from "vitest";
import { sameAnswer } from "./answer.ts";
import { extractAnswer } from "./extract-answer.ts";
import { parseGrade } from "./grade.ts";
import { parsePreference } from "./preference.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

/** Numbers from 0 to 1 that are the same for the same words: mulberry32 by Tommy Ettinger (public domain). */
function chanceOf(words: string): () => number {
  let state =
    [...words].reduce((hash, letter) => Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0), 7) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const same = (one: string, other: string): boolean => {
  const [a, b] = [extractAnswer(one), extractAnswer(other)];
  return a !== null && b !== null && sameAnswer(a, b);
};

type Chance = ReturnType<typeof chanceOf>;
const pick = <T>(chance: Chance, from: readonly [T, ...T[]]): T =>
  from[Math.floor(chance() * from.length)] ?? from[0];
const below = (chance: Chance, limit: number): number => Math.floor(chance() * limit);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Values of several lines, as lines of tokens; indentation is a token of its own. */
const KINDS: Readonly<Record<string, (chance: Chance) => string[][]>> = {
  python: (chance) => [
    ["def", " ", pick(chance, ["f", "solve", "run"]), "(", "x", "):"],
    ["    ", "if", " ", "x", " ", pick(chance, ["<", ">", "=="]), " ", `${below(chance, 9)}`, ":"],
    ["        ", "return", " ", `${below(chance, 99)}`],
    ["    ", "return", " ", "x", " ", pick(chance, ["+", "-", "*"]), " ", `${below(chance, 99)}`],
  ],
  script: (chance) => [
    ["const", " ", "f", " = (", "x", ") => {"],
    ["  ", "return", " ", "x", " ", pick(chance, ["+", "-", "*"]), " ", `${below(chance, 99)}`, ";"],
    ["};"],
  ],
  statements: (chance) => times(3, (index) => [`step${index}`, "(", `${below(chance, 99)}`, ");"]),
  grid: (chance) =>
    times(3, () =>
      times(3, () => [`${below(chance, 10)}`, " "])
        .flat()
        .slice(0, -1),
    ),
  board: (chance) =>
    times(3, () =>
      times(3, () => [pick(chance, ["X", "O", "."]), " "])
        .flat()
        .slice(0, -1),
    ),
  column: (chance) => times(4, () => [`${below(chance, 100)}`, ".", `${below(chance, 10)}0`]),
  table: (chance) => [
    ["| ", "name", " | ", "value", " |"],
    ["|---|---|"],
    ...times(2, (index) => ["| ", `row${index}`, " | ", `${below(chance, 100)}`, " |"]),
  ],
  system: (chance) => ["x", "y", "z"].map((name) => [name, " = ", `${below(chance, 100)}`]),
  formulas: (chance) =>
    times(2, () => [`${2 + below(chance, 8)}`, "x", " + ", "y", " = ", `${below(chance, 100)}`]),
  matrix: (chance) => [
    ["\\begin{pmatrix}"],
    ...times(2, () => [`${below(chance, 10)}`, " & ", `${below(chance, 10)}`, " \\\\"]),
    ["\\end{pmatrix}"],
  ],
  steps: (chance) =>
    ["Take", "Return with", "Leave"].map((verb, index) => [
      `${index + 1}. `,
      verb,
      " the ",
      pick(chance, ["goat", "wolf", "cabbage"]),
      ".",
    ]),
  facts: (chance) =>
    ["Ada", "Bo", "Cy"].map((name) => ["- ", name, ": ", pick(chance, ["red", "green", "blue"])]),
  json: (chance) => [
    ["{"],
    ["  ", '"port"', ": ", `${1_000 + below(chance, 9_000)}`, ","],
    ["  ", '"tls"', ": ", pick(chance, ["true", "false"])],
    ["}"],
  ],
  html: (chance) => [["<table>"], ["<tr><td>", `${below(chance, 100)}`, "</td></tr>"], ["</table>"]],
  sentences: (chance) =>
    ["Ada", "Bo"].map((name) => [name, " is a ", pick(chance, ["knight", "knave"]), "."]),
  parts: (chance) => ["(a)", "(b)"].map((name) => [name, " ", `${below(chance, 100)}`]),
  yaml: (chance) => [
    ["server:"],
    ["  ", "port: ", `${1_000 + below(chance, 9_000)}`],
    ["  ", "tls: ", pick(chance, ["true", "false"])],
  ],
};

/** What a value stands in. */
const FRAMES: Readonly<Record<string, (value: string) => string>> = {
  below: (value) => `I worked it out.\n\nFinal answer:\n${value}`,
  apart: (value) => `**Final Answer:**\n\n${value}\n`,
  beside: (value) => `Final answer: ${value}`,
  fenced: (value) => `Final answer:\n\`\`\`\n${value}\n\`\`\`\n`,
  heading: (value) => `### Answer\n\n${value}\n\nThat is all there is to say of it.`,
  closed: (value) => `Final answer:\n\`\`\`python\n${value}\n\`\`\`\n\nI hope this helps!`,
  indented: (value) => `The answer is:\n\n    ${value.replaceAll("\n", "\n    ")}`,
  quoted: (value) => `Final answer:\n> ${value.replaceAll("\n", "\n> ")}`,
  twoFences: (value) => {
    const [first = "", ...others] = value.split("\n");
    return `Final answer:\n\`\`\`\n${first}\n\`\`\`\nand\n\`\`\`\n${others.join("\n")}\n\`\`\``;
  },
  named: (value) => `Answer:\n${value}`,
  phrase: (value) => `The answer is:\n\n${value}`,
  announced: (value) => `Final answer:\nHere it is:\n${value}`,
  tagged: (value) => `<answer>\n${value}\n</answer>`,
  bare: (value) => value,
  object: (value) => JSON.stringify({ answer: value }),
  mathematics: (value) => `Final answer:\n\\[\n${value}\n\\]`,
  boxed: (value) => `Therefore:\n\n$$\\boxed{${value}}$$`,
  explained: (value) => `Final answer:\n${value}\n\nThis follows from the second rule of the three.`,
  spread: (value) => `Final answer:\n${value.replaceAll("\n", "\n\n")}`,
  fencedPhrase: (value) => `So the answer is:\n\`\`\`text\n${value}\n\`\`\`\nI am sure of it.`,
  besideTag: (value) => `I see.\n<answer>${value}</answer>\nFinal answer: see above.`,
  german: (value) => `Die Antwort lautet:\n${value}`,
  chinese: (value) => `所以，答案是：\n${value}`,
  repeated: (value) => `Final Answer:\n\nAnswer:\n${value}`,
  behindText: (value) => `**Final answer:** The result is\n${value}`,
  halves: (value) => {
    const lines = value.split("\n");
    return `Final answer:\n${lines.slice(0, 2).join("\n")}\n\n${lines.slice(2).join("\n")}`;
  },
};

/** Another value that has one token else: a number, a sign, a mark or a word, or a word in the other case. */
function editOne(lines: readonly (readonly string[])[], chance: Chance): string[][] {
  const at = lines.flatMap((tokens, line) =>
    tokens.flatMap((token, place) =>
      /^(?:\d+|[+*<>.]|[\p{L}][\w ]*|[({]\);?|\);)$/u.test(token) ? [{ line, place }] : [],
    ),
  );
  const chosen = at[below(chance, at.length)];
  return lines.map((tokens, line) =>
    tokens.map((token, place) => {
      if (line !== chosen?.line || place !== chosen.place) return token;
      if (/^\d+$/.test(token)) return `${Number(token) + 1 + below(chance, 5)}`;
      if (!/^[\p{L}]/u.test(token)) return pick(chance, ["-", "/", "#"]);
      const other = token === token.toUpperCase() ? token.toLowerCase() : token.toUpperCase();
      return chance() < 0.5 ? other : `${token}q`;
    }),
  );
}

describe("values of several lines", () => {
  it("of pairs that differ in one token, at most one in a hundred is equal", () => {
    const pairs = Object.entries(KINDS).flatMap(([kind, make]) =>
      Object.entries(FRAMES).flatMap(([frame, set]) =>
        times(8, (nth) => {
          const chance = chanceOf(`${kind} ${frame} ${nth}`);
          const value = make(chance);
          const write = (lines: readonly (readonly string[])[]) =>
            set(lines.map((line) => line.join("")).join("\n"));
          return { kind, frame, one: write(value), other: write(editOne(value, chance)) };
        }),
      ),
    );
    const equal = pairs.filter(({ one, other }) => same(one, other));
    expect(pairs.every(({ one, other }) => one !== other)).toBe(true);
    expect(pairs.length).toBeGreaterThanOrEqual(500);
    expect(
      equal.length / pairs.length,
      JSON.stringify(equal.slice(0, 5).map(({ kind, frame, one }) => [kind, frame, one])),
    ).toBeLessThanOrEqual(0.01);
  });

  it("is equal to itself, whatever it stands in", () => {
    const kinds = [
      "python",
      "script",
      "statements",
      "grid",
      "board",
      "column",
      "table",
      "system",
      "formulas",
    ];
    const frames = ["below", "apart", "beside", "fenced", "tagged", "object", "explained", "fencedPhrase"];
    const told = kinds.flatMap((kind) => {
      const value =
        KINDS[kind]?.(chanceOf(kind))
          .map((line) => line.join(""))
          .join("\n") ?? "";
      const [first = "", ...others] = frames.map((frame) => FRAMES[frame]?.(value) ?? "");
      return others.flatMap((other, index) => (same(first, other) ? [] : [[kind, frames[index + 1]]]));
    });
    expect(told).toEqual([]);
  });

  it.each([
    ["apart in indentation", "if x:\n    a()\nb()", "if x:\n    a()\n    b()"],
    ["apart behind a blank line", "a = 1\nb = 2\n\nprint(a + b)", "a = 1\nb = 2\n\nprint(a - b)"],
    ["apart in a dot", "1 . .\n. . 2", "1 . .\n. 2 ."],
    ["of which one has a line more", "1 2\n3 4", "1 2\n3 4\n5 6"],
    ["in another order", "x = 3\ny = 4", "y = 4\nx = 3"],
  ])("are different where they are %s", (_, one, other) => {
    for (const [frame, set] of Object.entries(FRAMES))
      expect({ frame, same: same(set(one), set(other)) }).toEqual({ frame, same: false });
  });

  it.each([
    ["a fence with a closing sentence", "Final answer:\n```\n42\n```\nI hope this helps!", "43"],
    ["an object in a tag", '<answer>{"a": 42}</answer>', "43"],
    ["a sentence and the next", "Final answer: The first is 7.\nThe second is 42.", "43"],
    ["what is said of two letters", "Final answer: A: 7\nB: 42", "43"],
    ["parts in a line", "The answer is (a) 42, (b) 4", "43"],
    ["several boxes", "$$\\boxed{x = 42}$$\n$$\\boxed{y = 4}$$", "43"],
    ["two formulas", "Respuesta:\n\n$$x=42$$\n\n$$y=4$$", "43"],
    ["a program behind a blank line", "Final answer: import math\n\ndef f(x):\n    return 42", "43"],
    ["a formula and what it holds for", "Final answer: $$x=3$$\nwhere y is 42.", "43"],
    ["numbers below each other", "The answer is 123\n42", "43"],
    ["several sentences", "The answer is You should use Postgres. It costs 42 dollars.", "43"],
  ])("is not read in part: %s", (_, reply, other) =>
    expect(same(reply, reply.replace("42", other))).toBe(false),
  );

  it("are equal with other spaces, and with other zeros in a grid of numbers", () => {
    expect(same("Final answer:\n1  2\n3 4", "<answer>\n  1 2\n  3 4\n</answer>")).toBe(true);
    expect(same("<answer>\n8.00\n9.50\n</answer>", "<answer>\n8\n9.5\n</answer>")).toBe(true);
    expect(same("<answer>\n1.10.0\n</answer>", "<answer>\n1.1.0\n</answer>")).toBe(false);
  });

  it.each([
    ["one line below its caption", "Final answer:\n42\n\nIt is the product.", "42"],
    ["one line in a fence", "Final answer:\n```\n42\n```", "42"],
    ["a quoted line", "Final answer:\n> 42", "42"],
    ["a fence with what follows", "Final answer:\n```\n42\n```\n\nLet me know if you have questions.", "42"],
    ["the same box twice", "\\boxed{42}\n\n**Final answer**\n\\boxed{42}", "42"],
    ["a word with its reason", "The answer is Paris. It is the capital of France.", "Paris"],
    ["an object with a line break in a string", '{"reason":"Final answer: 7\nx","answer":"8"}', "8"],
    ["one line of mathematics", "Final answer:\n\\[\n42\n\\]", "42"],
    ["a letter and its reasons", "Final answer:\nB\nBecause it holds in all the cases that were named.", "B"],
    ["a letter below what announces it", "### Final Answer:\nThe correct option is:\n**A. ~12.6**", "A"],
    ["a caption below a caption", "Therefore, the final answer is:\n\nAnswer: 88", "88"],
    ["the later declaration", "### Final Answer:\nThe sample size needed is **1537**.\n\nAnswer: A", "A"],
    ["what the working comes to", "2x = 8\nx = 4", "4"],
  ])("reads %s", (_, reply, value) => {
    expect(extractAnswer(reply)?.value).toBe(value);
  });
});

describe("a letter", () => {
  it.each([
    ["Final Answer: A is a Knight, and B is a Knave."],
    ["\\boxed{\\text{A is a Knight and B is a Knave}}"],
    ["Final answer: A: Knight, B: Knave"],
    ["Final answer: A -> B -> C"],
    ["Final answer: A - B"],
    ["Final answer: A (red), B (green)"],
    ["Final answer: A (3), B (4)"],
    ["Final answer: (A) 3, (B) 4"],
    ["Final answer: A) first, then B) second"],
    ["Final answer: A. 3; B. 4"],
    ["Final answer: A, then B, then C"],
    ["Final answer: A as well as B"],
    ["Final answer: A as a knight and B as a knave"],
    ["Final answer: A is the best friend of B"],
    ["Final answer: D is most likely a knight"],
    ["Final answer: A is true if n is even"],
    ["Final answer: I, II and III"],
    ["Final answer: A ist ein Ritter und B ein Schurke."],
    ["答案：A是骑士，B是无赖。"],
  ])("is not what a sentence or a list begins with: %s", (reply) => {
    expect(extractAnswer(reply)?.kind).not.toBe("choice");
  });

  it.each([
    "A",
    "A.",
    "(A)",
    "A) red",
    "A. red apples",
    "A: red",
    "A is correct",
    "A is the best answer",
    "A because it is red",
    "A, since B and C are wrong",
    "A) Both B and C",
    "(A) Neither (B) nor (C)",
    "A is the correct option because B is false",
    "A as it fits best",
    "A (red)",
  ])("is still read from %s", (value) =>
    expect(extractAnswer(`Final answer: ${value}`)).toEqual({ kind: "choice", value: "A" }),
  );
});

describe("a number", () => {
  it.each([
    ["several sentences", "\\boxed{\\text{Light both ends of one rope at time 0. Then light the other.}}"],
    ["a bracket", "Final answer: It costs a hundred dollars (plus $40 tax)."],
    ["a bracket with its unit", "Final answer: It takes two days (48 hours)."],
    ["what a thing is called by", "Final answer: You pour the 5 liter jug into the other"],
    ["a sentence about a letter", "Final answer: A has 3 apples"],
    ["a sentence in a tag", "<answer>It is so pleasant to dine 3000 miles away with you.</answer>"],
  ])("is not taken out of %s", (_, reply) => {
    expect(extractAnswer(reply)?.kind).not.toBe("number");
  });

  it("is still the only one of one sentence", () => {
    expect(extractAnswer("Final answer: Josh made $70,000.")).toEqual({
      kind: "number",
      value: "70000",
      unit: "$",
    });
  });

  it.each(["４２", "٤٢", "۴۲", "४२", "𝟒𝟐"])("is read in any script: %s", (digits) => {
    expect(extractAnswer(`Final answer: ${digits}`)).toEqual({ kind: "number", value: "42" });
  });
});

describe("a tag", () => {
  it("declares a text of any length, and keeps the marks of a list", () => {
    expect(extractAnswer("<answer>3 2 4 2 7 1 1 4 5</answer>")?.value).toBe("3 2 4 2 7 1 1 4 5");
    const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(" ");
    expect(extractAnswer(`<answer>${long}</answer>`)?.value).toBe(long);
    expect(extractAnswer("<answer>['-20.00', '17', '27']</answer>")?.value).toBe("'-20.00', '17', '27'");
    expect(
      same(`<answer>${long.slice(0, 1_500)} a</answer>`, `<answer>${long.slice(0, 1_500)} b</answer>`),
    ).toBe(false);
  });

  it("that is empty, or closes alone, says nothing", () => {
    expect(extractAnswer("<answer></answer>")).toBe(null);
    expect(extractAnswer("61</answer>")).toEqual({ kind: "number", value: "61" });
    expect(extractAnswer("The answer is (B).\n<answer></answer>")?.value).toBe("B");
  });
});

describe("other languages", () => {
  it.each([
    "【答案】D",
    "【解析】…所以选D。<eoe>\n【答案】D <eoa>",
    "所以，答案是D。",
    "因此正确答案为D。",
    "正解は以下です。\n答え：D",
    "Die richtige Antwort lautet (D).",
    "Die Antwort ist D.",
    "La bonne réponse est (D).",
    "La respuesta correcta es D.",
    "A resposta correta é D.",
    "La risposta corretta è D.",
    "Правильный ответ: D",
    "정답: D",
    "정답은 D",
    "정답은 D입니다.",
    "答えはDです。",
    "故选D。",
    "综上所述，答案是 **D**。",
    "Die Lösung lautet D.",
    "Richtig ist (D).",
    "Somit ist die richtige Antwort (D).",
    "La opción correcta es la D.",
    "Por lo tanto, la respuesta correcta es la opción D.",
    "A resposta correta é a letra D.",
    "Ответ — D.",
    "Het juiste antwoord is D.",
    "Rätt svar är D.",
    "Odpowiedź: D",
    "Doğru cevap: D",
    "Đáp án là D.",
    "الإجابة الصحيحة هي D",
    "सही उत्तर D है।",
    "คำตอบคือ D",
  ])("say what the answer is: %s", (reply) => {
    expect(extractAnswer(reply)).toEqual({ kind: "choice", value: "D" });
  });
});

describe("what is no declaration", () => {
  it.each([
    "Option A\nIt is cheap.\n\nOption B\nIt is dear.",
    "Antwort A\nSie ist gut.\n\nAntwort B\nSie ist nicht gut.",
    "Réponse A\nElle est bonne.\n\nRéponse B\nElle ne va pas.",
    "答案A\n它很好。\n\n答案B\n它不好。",
    "如果答案是A，那么结果就不对。",
  ])("is read as none: %s", (reply) => expect(extractAnswer(reply)?.kind).not.toBe("choice"));

  it.each([
    ["Final answer: B\n\nExplanation: The other option is C, which is wrong.", "B"],
    ["Final answer: 42\n\nIn the first part the answer is 17.", "42"],
    ["Final answer: 41\n\nWait. The answer is 42.", "42"],
    ["Final answer: B\n\nAntwort: C", "C"],
    ["<answer>6</answer>\n\nFinal answer: 5", "5"],
    ["Final answer: 5\n\n<answer>6</answer>", "6"],
  ])("or takes back a final answer only where it says so of the whole: %s", (reply, value) =>
    expect(extractAnswer(reply)?.value).toBe(value),
  );
});

describe("equal answers", () => {
  it.each([
    ["**Answer:** a **tree**", "Answer: a tree"],
    ["Final answer: (58, -130)", "Final answer: (58.000, -130.000)"],
  ])("are equal in other dress: %s", (one, other) => {
    expect(same(one, other)).toBe(true);
  });

  it("are none where a version ends with a nought", () => {
    expect(same("Final answer: Python 3.1", "Final answer: Python 3.10")).toBe(false);
  });
});

describe("what a string of a JSON object holds is no marker", () => {
  it.each([
    '{"feedback":"it says [RESULT] 5","score":1,}',
    '{"feedback":"it says\n[RESULT] 5\n","score":1}',
    '{"feedback":"it says "[RESULT] 5", no","score":1}',
    "{'feedback': 'it says [RESULT] 5', 'score': 1}",
    '{"feedback":"it says [RESULT] 5',
    '```json\n{"feedback":"cut [RESULT] 5\n```',
  ])("also where the object is broken: %s", (reply) => {
    const read = parseGrade(reply);
    expect(read.ok ? read.score : 1).toBe(1);
  });

  it("of a preference and of an answer, too", () => {
    expect(parsePreference('{"reason":"A says: [[B]] and [RESULT] B","winner":"A"}')).toMatchObject({
      winner: "A",
    });
    expect(parsePreference('{"reason":"it says [[B]]","winner":"A",}')).toMatchObject({ ok: false });
    expect(extractAnswer('The answer is 4.\n\n{"note":"final answer: 7"}')?.value).toBe("4");
  });

  it.each([
    ['{"feedback":"it says [RESULT] 5","score":1}', 1],
    ['```json\n{"feedback":"The sum is off, and it writes [RESULT] 5 at its end","score":2}\n```', 2],
    ['Here is my grade.\n{"feedback":"Only the first case; answer B says [RESULT] 5","score":1}', 1],
    ['{"remarks":["short","it claims: [RESULT] 5"],"score":2}', 2],
    ['{"score":2,"notes":{"quote":"Answer A says: [RESULT] 5\\nScore: 4"}}', 2],
    ['{"feedback":"The draft ends with:\\n\\n> [RESULT] 5","score":3}\n\nScore: 3', 3],
    ['> {"score":5}\n\n{"feedback":"it says: {\\"score\\": 4}","score":1}', 1],
  ])("%s", (reply, score) => {
    expect(parseGrade(reply)).toMatchObject({ ok: true, score });
  });

  it("and two scores that differ are refused", () => {
    expect(parseGrade('{"feedback":"good","score":1}\n[RESULT] 5')).toMatchObject({ ok: false });
    expect(parseGrade('{"score":1}\n{"score":2}')).toMatchObject({ ok: false });
    expect(parseGrade('{"score":1,"feedback":"good","rating":2}')).toMatchObject({ ok: false });
    expect(parseGrade('{"feedback":"answer B says: good","score":1} [RESULT] 5')).toMatchObject({
      ok: false,
    });
  });
});

describe("readers of answers take linear time", () => {
  const pieces = [
    ...["...", "答案是", "选D ", "1 2\n", "x = 3\n", "    x\n", "<answer>", "a b c d ", "A: 1, B: 2; "],
    ...['{"a":', '{"a": "b [RESULT] 5', "\\begin{", "\\boxed{1\n2}", "Antwort ", "(A) ", "Final answer:\n"],
    ...["٤", "a: ", "é"],
  ];
  it.each<[name: string, read: (text: string) => unknown]>([
    ["an answer", (text) => extractAnswer(text)],
    ["one that is cut off", (text) => extractAnswer(text, { cutOff: true })],
    ["one in tags", (text) => extractAnswer(`<answer>${text}</answer>`)],
    ["what stands beside", (text) => extractAnswer(`Final answer: ${text}`)],
    ["what stands below", (text) => extractAnswer(`Final answer:\n${text}`)],
    ["a grade", parseGrade],
  ])("%s", (_, read) => expectLinearReading(read, pieces));
});
