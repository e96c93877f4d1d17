import { describe, expect, it } from "vitest";
import { stem } from "./text-vector.ts";

describe("stem", () => {
  it.each([
    ["cache", "caches", "cached", "caching"],
    ["query", "queries"],
    ["deploy", "deploys", "deployed", "deployment", "deployments"],
    ["run", "running", "runner"],
    ["class", "classes"],
    ["box", "boxes"],
    ["status", "statuses"],
    ["slow", "slowly", "slowness"],
  ])("is one for %s and its forms", (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it("keeps apart what is not one word", () => {
    const words = ["cache", "catch", "index", "india", "status", "state", "analysis", "bus", "run", "rung"];
    expect(new Set(words.map(stem)).size).toBe(words.length);
  });

  it.each(["", "a", "is", "ing", "eye", "42", "30s", "naïve", "москва", "東"])("leaves %j be", (word) => {
    expect(stem(word)).toBe(word);
  });
});
