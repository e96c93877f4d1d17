import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readGoal, readStrategy } from "./synthesis.ts";

const folder = new URL("../config/defaults/strategies/", import.meta.url);
const directives = readdirSync(folder).map((file) => {
  const [, text = ""] = readFileSync(new URL(file, folder), "utf8").split(/^directive: \|\n/m);
  return [file.replace(".yaml", ""), text.replaceAll(/^ {2}/gm, "")] as const;
});

describe("a directive", () => {
  const KNOWN = ["balanced", "goal-seeking", "novelty", "risk-averse"];

  it.each(directives.filter(([name]) => KNOWN.includes(name)))(
    "that comes with Parley is understood: %s",
    (name, directive) => {
      expect(directives.map(([one]) => one)).toEqual(expect.arrayContaining(KNOWN));
      expect(directive).not.toBe("");
      expect(readStrategy(directive)).toBe(name);
    },
  );

  it("leans no way where it says nothing of it", () => {
    expect(readStrategy("Answer in French.")).toBe("balanced");
    expect(readStrategy("")).toBe("balanced");
    expect(readStrategy("Speak as the minority that nobody listened to, however new its point is.")).toBe(
      "balanced",
    );
  });

  it("names its goal", () => {
    const [, directive = ""] = directives.find(([name]) => name === "goal-seeking") ?? [];
    expect(readGoal(directive.replace("{{goal}}", "ship by June"))).toBe("ship by June");
    expect(readGoal("Serve this aim: less noise\nand nothing else.")).toBe("less noise");
    expect(readGoal("Seek “a quiet week” and no more.")).toBe("a quiet week");
  });
});
