import { describe, expect, it } from "vitest";
import { detectIntent } from "./intent.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("intentOf", () => {
  it.each([
    ["What is the capital of France?", "fact"],
    ["When was she born?", "fact"],
    ["How many moons has Mars?", "fact"],
    ["Is water wet?", "fact"],
    ["Name three rivers.", "fact"],
    ["Why is the sky blue?", "explanation"],
    ["How does a heat pump work?", "explanation"],
    ["Explain recursion.", "explanation"],
    ["What happens when a star dies?", "explanation"],
    ["What’s the difference between TCP and UDP?", "comparison"],
    ["How does Rust differ from Go?", "comparison"],
    ["Postgres vs. SQLite", "comparison"],
    ["Is a bus faster than a tram?", "comparison"],
    ["Which is better for logs, Kafka or Redis?", "comparison"],
    ["Should we buy a house or rent a flat?", "comparison"],
    ["How do I install Node?", "procedure"],
    ["How to boil an egg", "procedure"],
    ["Write a sonnet about rain", "procedure"],
    ["Could you please fix this function?", "procedure"],
    ["Thanks, that helped.", "other"],
    ["東京の人口は？", "other"],
    ["", "other"],
    ["???", "other"],
  ])("%j wants: %s", (question, intent) => {
    expect(detectIntent(question)).toBe(intent);
  });

  it("goes by the sentence that asks, not by what is told around it", () => {
    expect(detectIntent("I wrote a guide about bees. Who discovered penicillin? Thank you.")).toBe("fact");
    expect(detectIntent("The team compares notes every week.\nWhy do they?")).toBe("explanation");
  });
  it("asks the last sentence where the first that asks says nothing", () => {
    expect(detectIntent("Ready? Good. Now: why does ice float?")).toBe("explanation");
  });
  it("finds a question at either end of a long text", () => {
    const long = "Lorem ipsum dolor. ".repeat(5_000);
    expect(detectIntent(`Why does ice float?\n${long}`)).toBe("explanation");
    expect(detectIntent(`${long}\nHow do I melt ice?`)).toBe("procedure");
  });
  it("takes linear time on much of one thing", () => {
    const pieces = ["which a ", "should i a ", "what does ", "more a ", "? ", "which which "];
    expectLinearReading(detectIntent, pieces);
  });
});
