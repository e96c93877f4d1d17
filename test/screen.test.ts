import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { drawSvg } from "../scripts/screen.mjs";

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), "utf8");
const plain = { color: "", isBold: false, isDim: false };

it("draws each picture of a screen for as long as it stood, and nothing in it is markup", () => {
  const svg = drawSvg([
    { atMs: 500, lines: [[{ text: "<b>&amp;", ...plain }], [], [{ text: "one", ...plain, isBold: true }]] },
    { atMs: 2_500, lines: [[{ text: "two", ...plain, color: "#98c379" }]] },
  ]);
  expect(svg).toContain("&lt;b&gt;&amp;amp;");
  // 2 s and 6 s of rest.
  expect(svg).toContain(
    "@keyframes f0{0.00%{opacity:1}25.00%{opacity:0}}.f0{animation:f0 8000ms step-end infinite}",
  );
  expect(svg).toContain("@keyframes f1{0%{opacity:0}25.00%{opacity:1}}");
  expect(svg.match(/<g /g)).toHaveLength(2);
  expect(svg).toContain('fill="#98c379">two');
  expect(() => drawSvg([])).toThrow("nothing to draw");
});

it("is shown by the README: the demo's course and its answer, without a script", () => {
  expect(read("README.md")).toContain("](docs/screen.svg)");
  const svg = read("docs/screen.svg");
  for (const text of [
    "Should our job queue move",
    "drafting",
    "review done",
    "writing",
    "Ranked first by peers",
  ])
    expect(svg).toContain(text);
  expect(svg.length).toBeLessThan(150_000);
  expect(svg).not.toMatch(/<script|<foreignObject|\bon\w+=|href=|url\(/i);
  const [opened, closed] = [/<[a-z][^>]*[^/]>|<[a-z]>/g, /<\/[a-z]+>/g].map(
    (tags) => svg.match(tags)?.length,
  );
  expect(opened).toBe(closed);
});
