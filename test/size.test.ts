import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measure, overCeilings } from "../scripts/size.mjs";

it("counts product source by floor and by feature, and names what is over its ceiling or has none", () => {
  const root = mkdtempSync(join(tmpdir(), "parley-size-"));
  try {
    for (const folder of ["app", "testing", "features/poll/screens", "features/poll/words"])
      mkdirSync(join(root, "src", folder), { recursive: true });
    writeFileSync(join(root, "src/index.ts"), "a\n");
    writeFileSync(join(root, "src/app/one.ts"), "a\nb\nc\n");
    writeFileSync(join(root, "src/app/one.css"), "a\n");
    writeFileSync(join(root, "src/app/one.test.ts"), "a\n".repeat(100));
    writeFileSync(join(root, "src/testing/kit.ts"), "a\n".repeat(100));
    writeFileSync(join(root, "src/features/feature.ts"), "a\n");
    writeFileSync(join(root, "src/features/poll/screens/poll.tsx"), "a\nb\n");
    // A language's file adds its lines; whoever adds a language adds no module.
    writeFileSync(join(root, "src/features/poll/words/en.json"), "a\nb\nc\n");
    writeFileSync(join(root, "src/features/poll/words/other.md"), "a\n");
    const sizes = measure(root);
    expect(sizes).toEqual({
      "(files)": { files: 1, lines: 1 },
      all: { files: 5, lines: 11 },
      app: { files: 2, lines: 4 },
      features: { files: 1, lines: 1 },
      "features/poll": { files: 1, lines: 5 },
      floors: { files: 4, lines: 6 },
    });
    expect(overCeilings(sizes, sizes)).toEqual([]);
    const { "features/poll": _poll, ...others } = sizes;
    expect(overCeilings(sizes, { ...others, floors: { files: 4, lines: 5 } })).toEqual([
      "features/poll: no ceiling; give it one, and lower the row that it came from",
      "floors: 6 lines, 5 allowed: delete or merge; the ceiling is not raised",
    ]);
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
