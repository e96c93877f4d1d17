import { describe, expect, it } from "vitest";
import { summaryContract, type SummaryStart } from "../../../../test/support/summary-contract.ts";
import { findSummaryMethod, summaryMethods, type SummaryMethod } from "./index.ts";

/** Begins a method as a debate would, found by its name alone. */
const named =
  (name: string, methods?: readonly SummaryMethod[]): SummaryStart =>
  (run, { texts, embeddings, ...given }) =>
    findSummaryMethod(name, methods).summarize(
      run,
      {
        ...given,
        contributions: texts,
        charactersBefore: texts.reduce((sum, { text }) => sum + text.length, 0),
        purpose: "refine the proposal with a figure of 34 ms",
        prompt: (text, maxLength) => [{ role: "user", text: `At most ${maxLength} characters.\n${text}` }],
        maxOutputTokens: 500,
        timeoutMs: 60_000,
      },
      { embeddings, options: { semanticThreshold: 0.8 } },
    );

/** A fifth way, which nothing else knows of: the last word of every text. */
const lastWords: SummaryMethod = {
  name: "last-words",
  summarize: (run, { key, for: { id }, round, contributions, charactersBefore, maxLength }) =>
    run.derive(
      { key, outcomes: ["summary-made", "degradation-noted"], input: { contributions, maxLength } },
      () => {
        const words = contributions.flatMap(
          ({ text }) => text.toWellFormed().trim().split(/\s+/).at(-1) ?? [],
        );
        const text = Array.from(words.join(" ").trim())
          .slice(0, Math.floor((maxLength + 1) / 2))
          .join("")
          .slice(0, maxLength)
          .trim();
        if (text === "") {
          const [what, weakens] = ["the summary for ada", "its prompts carry the whole history"];
          return { type: "degradation-noted", data: { what, why: "nothing", weakens, participant: id } };
        }
        return {
          type: "summary-made",
          data: {
            for: id,
            method: "last-words",
            charactersBefore,
            charactersAfter: text.length,
            text,
            ...(round === undefined ? {} : { round }),
          },
        };
      },
    ),
};

for (const { name } of summaryMethods) summaryContract(name, named(name));
summaryContract(
  "a method that is registered and nothing else",
  named("last-words", [...summaryMethods, lastWords]),
);

describe("findSummaryMethod", () => {
  it("finds every method by its name", () => {
    expect(summaryMethods.map(({ name }) => name)).toEqual([
      "length-based",
      "hierarchical",
      "semantic",
      "retrieval",
    ]);
    for (const method of summaryMethods) expect(findSummaryMethod(method.name)).toBe(method);
  });

  it.each([
    ["lenght_based", "length-based"],
    ["Hierarchy", "hierarchical"],
    ["sematic", "semantic"],
    ["retrieve", "retrieval"],
    ["", "semantic"],
  ])("answers %j with the nearest name", (wrong, right) => {
    expect(() => findSummaryMethod(wrong)).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: `no summary method is called "${wrong}"; the nearest is ${right}; there are length-based, hierarchical, semantic, retrieval`,
      }),
    );
  });

  it("asks for everybody's texts, and anew for every prompt, only where it retrieves", () => {
    const namesOf = (methods: readonly SummaryMethod[]) => methods.map(({ name }) => name);
    expect(namesOf(summaryMethods.filter(({ takesAll }) => takesAll))).toEqual(["retrieval"]);
    expect(namesOf(summaryMethods.filter(({ perPrompt }) => perPrompt))).toEqual(["retrieval"]);
  });
});
