import { expect, it } from "vitest";
import { styledMarkdown, styleOf } from "./style.ts";

const shown = (text: string) => styledMarkdown(text, styleOf(true)).replaceAll("\u001b", "^");

it("makes headings and strong words bold", () => {
  expect(shown("# The **title** #\n\nIt is **391**, not ** 3 **.")).toBe(
    "^[1mThe title^[22m\n\nIt is ^[1m391^[22m, not ** 3 **.",
  );
});

it("leaves code blocks as written, up to the fence that closes them", () => {
  const code = "````sh\n# a comment\n```\n**kept**\n````";
  expect(shown(`${code}\n# done`)).toBe(`${code}\n^[1mdone^[22m`);
});

it("styles nothing without color", () => {
  expect(styleOf(false).bold("x")).toBe("x");
});
