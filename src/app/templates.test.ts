import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { draftTemplate } from "../protocols/phases/draft.ts";
import { fileResources } from "../config/resources.ts";
import type { FileContext } from "../config/paths.ts";
import { protocols } from "./registry.ts";
import { shippedTemplates, templatesInForce } from "./templates.ts";

const inForce = (place: FileContext) => templatesInForce([draftTemplate], fileResources(place), protocols);

describe("templatesInForce", () => {
  it("gives the text that ships, or the user's own", async () => {
    const own = "=== user ===\n{{material}} {{persona}}";
    using place = scratch();
    expect(await inForce(place)).toEqual({ "council-draft": draftTemplate.text });
    place.write("project/.parley/prompts/council-draft.md", own);
    expect(await inForce(place)).toEqual({ "council-draft": own });
  });

  it.each([
    [
      "counsil-draft.md",
      "x",
      "HOME/project/.parley/prompts/counsil-draft.md overrides no prompt; the nearest is council-draft.md; rename or remove the file",
    ],
    [
      "council-draft.md",
      "=== user ===\n{{material}}",
      "the prompt HOME/project/.parley/prompts/council-draft.md cannot be used: the slot {{persona}} is missing; its slots are {{material}}, {{persona}}",
    ],
  ])("refuses a file that overrides nothing, or has other slots: %s", async (file, text, expected) => {
    using place = scratch({ [`project/.parley/prompts/${file}`]: text });
    expect(await refusalOf(() => inForce(place), place)).toBe(expected);
  });

  it("passes a file over that overrides another protocol's template", async () => {
    using place = scratch({ "project/.parley/prompts/debate-proposal.md": "mine" });
    expect(Object.keys(await inForce(place))).toEqual(["council-draft"]);
    expect((await shippedTemplates(protocols)).length).toBeGreaterThan(15);
  });
});
