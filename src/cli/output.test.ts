import { expect, it } from "vitest";
import { noteText, withoutSymbols, writesUnicode } from "./output.ts";

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

it.each([
  [{ LANG: "C" }, false],
  [{ LANG: "en_US.UTF-8", LC_ALL: "POSIX" }, false],
  [{ LANG: "de_DE.ISO-8859-1" }, false],
  [{ LANG: "C.UTF-8" }, true],
  [{ LANG: "", LC_CTYPE: "en_US.utf8" }, true],
  [{}, true],
])("knows by the locale %o whether symbols can be shown: %s", (env, shown) => {
  expect(writesUnicode(env)).toBe(shown);
});

it("writes symbols cell for cell in ASCII where a terminal cannot show them, and leaves letters", () => {
  const drawn = "⠹ Analyst · drafting…\n✓ done ╭──╮\n• one → “two” ☑ ▓░ ▪ 1–2";
  const plain = withoutSymbols(drawn);
  expect(plain).toBe('* Analyst - drafting.\n* done +--+\n* one > "two" x ## * 1-2');
  expect(withoutSymbols("Größe 数 é")).toBe("Größe 数 é");
});
