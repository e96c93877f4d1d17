import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { goalIn, leaningOf } from "./directive.ts";

const folder = new URL("../config/defaults/strategies/", import.meta.url);
const directives = readdirSync(folder).map((file) => {
  const [, text = ""] = readFileSync(new URL(file, folder), "utf8").split(/^directive: \|\n/m);
  return [file.replace(".yaml", ""), text.replaceAll(/^ {2}/gm, "")] as const;
});

describe("a directive", () => {
  it.each(directives)("that comes with Parley is understood: %s", (name, directive) => {
    expect(directive).not.toBe("");
    expect(leaningOf(directive)).toBe(name);
  });

  it("leans no way where it says nothing of it", () => {
    expect(leaningOf("Answer in French.")).toBe("balanced");
    expect(leaningOf("")).toBe("balanced");
  });

  it("names its goal", () => {
    const [, directive = ""] = directives.find(([name]) => name === "goal-seeking") ?? [];
    expect(goalIn(directive.replace("{{goal}}", "ship by June"))).toBe("ship by June");
    expect(goalIn("Serve this aim: less noise\nand nothing else.")).toBe("less noise");
    expect(goalIn("Seek “a quiet week” and no more.")).toBe("a quiet week");
  });
});
