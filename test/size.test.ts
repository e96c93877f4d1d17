import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measure, overBudget } from "../scripts/size.mjs";

it("counts product source per folder, and names what is over its budget", () => {
  const root = mkdtempSync(join(tmpdir(), "parley-size-"));
  try {
    mkdirSync(join(root, "src/app"), { recursive: true });
    mkdirSync(join(root, "src/novel"));
    writeFileSync(join(root, "src/index.ts"), "a\n");
    writeFileSync(join(root, "src/app/one.ts"), "a\nb\nc\n");
    writeFileSync(join(root, "src/app/one.test.ts"), "a\n".repeat(100));
    writeFileSync(join(root, "src/novel/two.ts"), "a\n");
    const sizes = measure(root);
    expect(sizes).toEqual({
      "(files)": { files: 1, lines: 1 },
      app: { files: 1, lines: 3 },
      novel: { files: 1, lines: 1 },
    });
    const folders = { "(files)": { files: 1, lines: 1 }, app: { files: 1, lines: 2 } };
    expect(overBudget(sizes, { total: { files: 2, lines: 9 }, folders })).toEqual([
      "src/app: 3 lines, 2 allowed: delete, merge, or raise the row with a dated reason",
      "src/novel has no row in scripts/size-budget.json: give it one",
      "src/all but testing: 3 files, 2 allowed: delete, merge, or raise the row with a dated reason",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
