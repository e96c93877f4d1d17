import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "./paths.ts";
import { refusalOf, scratch } from "./scratch.ts";
import { loadTemplates } from "./templates.ts";

const folder = join(packageRoot(), "src/prompts/templates");
const names = readdirSync(folder).map((file) => file.replace(/\.md$/, ""));

describe("loadTemplates", () => {
  it("gives every built-in template as it stands", () => {
    using place = scratch();
    expect(names.length).toBeGreaterThan(3);
    const loaded = loadTemplates(names, place);
    for (const name of names) {
      const path = join(folder, `${name}.md`);
      expect(loaded[name]).toEqual({ text: readFileSync(path, "utf8"), from: "built-in", path });
    }
  });

  it("prefers a project's file to a user's to the built-in one", () => {
    using place = scratch({ ".config/parley/prompts/council-draft.md": "the user's" });
    expect(loadTemplates(["council-draft"], place)["council-draft"]).toMatchObject({
      text: "the user's",
      from: "user",
    });
    const path = place.write("project/.parley/prompts/council-draft.md", "\uFEFFthe project's");
    expect(loadTemplates(["council-draft", "council-review"], place)).toMatchObject({
      "council-draft": { text: "the project's", from: "project", path },
      "council-review": { from: "built-in" },
    });
  });

  it("refuses a name that has none, also one that is a path", async () => {
    using place = scratch();
    expect(await refusalOf(() => loadTemplates(["council-drafts"], place), place)).toBe(
      "there is no prompt council-drafts; the nearest is council-draft",
    );
    expect(await refusalOf(() => loadTemplates(["../../index"], place), place)).toContain(
      "there is no prompt ../../index",
    );
  });

  it("refuses a file that overrides nothing, is empty, or is no text", async () => {
    const cases = [
      [
        "counsil-draft.md",
        "x",
        "HOME/project/.parley/prompts/counsil-draft.md overrides no prompt; the nearest is council-draft.md; rename or remove the file",
      ],
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
      expect(await refusalOf(() => loadTemplates(["council-draft"], place), place)).toBe(expected);
    }
  });
});
