import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../scripts/root.mjs";
import { missingTests, pageOf, readSeeds } from "../scripts/seeds.mjs";

describe("the evidence for what earlier programs promised", () => {
  it("is in its form, and docs/seeds.md says it (npm run seeds writes the page)", () => {
    expect(pageOf(readSeeds())).toBe(readFileSync(join(root, "docs", "seeds.md"), "utf8"));
  });

  it("is missing where no test of that file and name passed", () => {
    const [row] = readSeeds().flatMap(({ rows }) => rows);
    if (!row) throw new Error("there are no rows");
    const rows = [{ ...row, id: "1.1", test: ["a.test.ts › does it", "b.test.ts › does it"] }];
    expect(missingTests(rows, ["a.test.ts > group > does it well", "c.test.ts > does it"])).toEqual([
      "1.1: no test passed that is b.test.ts › does it",
    ]);
  });
});
