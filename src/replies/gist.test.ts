import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractGist, shorten } from "./gist.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("gistOf", () => {
  it("is a short answer as it stands, on one line", () => {
    expect(extractGist("Paris")).toBe("Paris");
    expect(extractGist("The capital\nis Paris.\n\nIt lies on the Seine.")).toBe(
      "The capital is Paris. It lies on the Seine.",
    );
    expect(extractGist("100")).toBe("100");
  });
  it("keeps the first sentence, the final line, and what is central, in their order", () => {
    const text = [
      "A heat pump moves heat instead of making it.",
      "My uncle has one.",
      "Its compressor moves heat from the cold side to the warm side of the pump.",
      "Snow fell on Monday.",
      "A heat pump moves three units of heat for each unit of power.",
      "Birds sang outside.",
      "So it saves two thirds of the energy.",
    ].join(" ");
    expect(extractGist(text)).toBe(
      "A heat pump moves heat instead of making it. Its compressor moves heat from the cold side to the warm side of the pump. A heat pump moves three units of heat for each unit of power. So it saves two thirds of the energy.",
    );
  });
  it("keeps the sentence with the final answer, wherever it stands", () => {
    const fill = (word: string) => `The ${word} of the river flows past the river bank of the river town. `;
    const text = `We look at the river. ${fill("water")}${fill("mud")}Final answer: 391\n\n${fill("fish")}${fill("boat")}That was the river.`;
    expect(extractGist(text)).toContain("Final answer: 391");
    expect(extractGist(text)).toMatch(/^We look at the river\..*That was the river\.$/);
  });
  it("leaves out greetings and offers, but not where nothing else is said", () => {
    expect(extractGist("Great question! Ice floats. Let me know if you need more.")).toBe("Ice floats.");
    expect(extractGist("Sure, here is the list:\n- oak\n- elm\n\nHope this helps!")).toBe("oak elm");
    expect(extractGist("Certainly.")).toBe("Certainly.");
    expect(extractGist("Here's what I found: ice floats on water.")).toBe(
      "Here's what I found: ice floats on water.",
    );
  });
  it.each([
    "Sure, it is Paris.",
    "Good caches expire.",
    "Great Britain is an island.",
    "If you need order, use a queue.",
    "Of course it floats.",
    "Here is Rome: a city.",
  ])("keeps %j, which says something", (sentence) => {
    expect(extractGist(`${sentence} It is known.`)).toBe(`${sentence} It is known.`);
  });
  it.each([
    "Sure thing!",
    "Hi there!",
    "Hello,",
    "Here are the facts:",
    "If you like, I can say more.",
    "Would you like me to go on?",
    "Anything else?",
  ])("leaves %j out", (sentence) => {
    expect(extractGist(`It is known.\n\n${sentence}`)).toBe("It is known.");
  });
  it("writes code in one line", () => {
    const code = Array.from({ length: 30 }, (_, index) => `const x${index} = ${index};`).join("\n");
    expect(extractGist(`Use this:\n\n\`\`\`ts\n\n${code}\n\`\`\`\nIt prints nothing.`)).toBe(
      "Use this: [ts code, 30 lines: const x0 = 0;] It prints nothing.",
    );
    expect(extractGist(`\`\`\`\n${"x".repeat(500)}\n\`\`\``)).toBe(`[code, 1 line: ${"x".repeat(79)}…]`);
  });
  it("leaves room for every sentence that it keeps", () => {
    const long = (word: string) => `${word} ${"goes on and on ".repeat(35).trim()}.`;
    const gist = extractGist([long("First"), long("Second"), long("Third"), long("Last")].join(" "));
    expect(gist.length).toBeLessThanOrEqual(1_000);
    expect(gist.match(/First|Second|Third|Last/g)).toEqual(["First", "Second", "Third", "Last"]);
  });
  it("is nothing of nothing", () => {
    expect(extractGist("")).toBe("");
    expect(extractGist(" \n---\n!?")).toBe("");
    expect(extractGist("\ud800x")).toBe("\ufffdx");
  });
  it("is bounded, well-formed, on one line, and empty only without letters and digits", () => {
    const pieces = fc.constantFrom(
      "a",
      "Word. ",
      "word ",
      "```\n",
      "\n",
      "é",
      "😀",
      "\ud83d",
      "。",
      "- ",
      "Final answer: ",
      "42",
      "!",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 400 }), fc.integer({ min: 20, max: 1_000 }), (text, most) => {
        const gist = extractGist(text.join(""), most);
        expect(gist.length).toBeLessThanOrEqual(most);
        expect(gist.isWellFormed()).toBe(true);
        expect(gist).not.toMatch(/[\r\n]/);
        if (text.some((piece) => ["a", "é", "42"].includes(piece))) expect(gist).not.toBe("");
      }),
    );
  });
  it("says something of parts of one letter", () => {
    expect(extractGist("a\n- a", 20)).toBe("a a");
  });
  it("takes linear time on much of one thing", () => {
    expectLinearReading(
      (text) => extractGist(text),
      [
        ...["Word. ", "x", "```\n", "- a\n", "。", "Final answer: ", "here is ", "if you have ", " "],
        "\\boxed{",
      ],
    );
  });
});

describe("shortened", () => {
  it("cuts at a space that is near, else where it must, and never through a code point", () => {
    expect(shorten("one two three", 13)).toBe("one two three");
    expect(shorten("one two three", 12)).toBe("one two…");
    expect(shorten("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
    expect(shorten("😀😀😀", 4)).toBe("😀…");
    expect(shorten("😀😀😀", 5)).toBe("😀😀…");
    expect(shorten("abc", 0)).toBe("");
  });
});
