import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measure, overCeiling, sumOf } from "../scripts/size.mjs";

it("counts product source per folder, and names what is over the ceiling", () => {
  const root = mkdtempSync(join(tmpdir(), "parley-size-"));
  try {
    mkdirSync(join(root, "src/app"), { recursive: true });
    mkdirSync(join(root, "src/testing"));
    writeFileSync(join(root, "src/index.ts"), "a\n");
    writeFileSync(join(root, "src/app/one.ts"), "a\nb\nc\n");
    writeFileSync(join(root, "src/app/one.test.ts"), "a\n".repeat(100));
    writeFileSync(join(root, "src/testing/kit.ts"), "a\n".repeat(100));
    const sizes = measure(root);
    expect(sizes).toEqual({ "(files)": { files: 1, lines: 1 }, app: { files: 1, lines: 3 } });
    expect(overCeiling(sumOf(sizes), { files: 2, lines: 3 })).toEqual([
      "src: 4 lines, 3 allowed: delete or merge; the ceiling is not raised",
    ]);
    expect(overCeiling(sumOf(sizes), { files: 2, lines: 4 })).toEqual([]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it("lets a newcomer read the order of AGENTS.md in 1,000 lines", () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  const order = /Read in this order:([^]*?)\. Then/.exec(read("AGENTS.md"))?.[1] ?? "";
  const files = [...order.matchAll(/`(src\/[^`]+)`/g)].map(
    ([, path = ""]) => read(path).split("\n").length - 1,
  );
  expect(files.length).toBeGreaterThan(3);
  expect(files.reduce((sum, lines) => sum + lines, 0)).toBeLessThanOrEqual(1_000);
});
