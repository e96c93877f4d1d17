import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { loadTemplates } from "./named-files.ts";

const draft = { name: "council-draft", text: "a draft", slots: [] };
const review = { name: "council-review", text: "a review", slots: [] };

describe("loadTemplates", () => {
  it("gives every built-in template as it stands", () => {
    using place = scratch();
    expect(loadTemplates([draft, review], place)).toEqual([
      { ...draft, from: "built-in" },
      { ...review, from: "built-in" },
    ]);
  });

  it("prefers a project's file to a user's to the built-in one", () => {
    using place = scratch({ ".config/parley/prompts/council-draft.md": "the user's" });
    expect(loadTemplates([draft], place)).toMatchObject([{ text: "the user's", from: "user" }]);
    const path = place.write("project/.parley/prompts/council-draft.md", "\uFEFFthe project's");
    expect(loadTemplates([draft, review], place)).toMatchObject([
      { text: "the project's", from: "project", path },
      { from: "built-in" },
    ]);
  });

  it("refuses a file that is empty, or is no text", async () => {
    const cases = [
      [
        "council-draft.md",
        " \n",
        "the prompt HOME/project/.parley/prompts/council-draft.md is empty; write it, or remove the file",
      ],
      [
        "council-draft.md",
        "a\0",
        "the prompt HOME/project/.parley/prompts/council-draft.md is binary; give a text file; convert documents to text first",
      ],
      [
        "council-draft.md",
        "x".repeat(200_001),
        "the prompt HOME/project/.parley/prompts/council-draft.md has more than 200 kB; give a shorter one",
      ],
    ] as const;
    for (const [file, text, expected] of cases) {
      using place = scratch({ [`project/.parley/prompts/${file}`]: text });
      expect(await refusalOf(() => loadTemplates([draft], place), place)).toBe(expected);
    }
  });
});
