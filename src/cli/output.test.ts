import { expect, it } from "vitest";
import { noteText } from "./output.ts";

const note = `note: ${"so many words ".repeat(20)}end`;
const stderr = { terminal: true, color: false, columns: 40 };

it("a note is wrapped to a terminal's width, and is one line elsewhere", () => {
  const lines = noteText(note, stderr).trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(7);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  expect(lines.join(" ")).toBe(note);
  expect(noteText(note, { ...stderr, terminal: false })).toBe(`${note}\n`);
  expect(noteText("short  note", stderr)).toBe("short  note\n");
});
