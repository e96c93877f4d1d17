import { expect } from "vitest";
import { widthOf } from "../../src/reports/text-width.ts";
import fc from "fast-check";

/** Markdown that tries to run, to load or to break out of its place in a page. */
export const HOSTILE_TEXTS = [
  "<script>alert(1)</script>",
  "</div></section></main></body></html><script src=//evil.test></script>",
  "</style><style>@import url(//evil.test)</style>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)>",
  '"><a href="javascript:alert(1)">x</a>',
  "' onmouseover='alert(1)",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](//evil.test/x)",
  "[x](https://good.test@evil.test/)",
  '[x](https://evil.test/"onclick="alert(1))',
  "![x](https://evil.test/p.png)",
  "![x](javascript:alert(1))",
  "[![x](https://evil.test/p.png)](https://evil.test)",
  "[x]: javascript:alert(1)",
  "<https://evil.test>",
  "<javascript:alert(1)>",
  "&lt;script&gt;&#60;img src=x&#62;",
  "&#x6a;avascript:alert(1)",
  "[x](&#106;avascript:alert(1))",
  "[x](java\tscript:alert(1))",
  "```html\n<script>\n```",
  '```"><script>\nx\n```',
  "    <iframe src=//evil.test>",
  "> <object data=x>\n> - <embed src=x>",
  "1. <base href=//evil.test>\n2. <meta http-equiv=refresh content=0>",
  "| <form> | b |\n| --- | --- |\n| <input onfocus=x autofocus> | `<b>` | extra |",
  "# <h1 onclick=x>",
  "$$<img src=x onerror=y>$$ and \\(<b>\\)",
  "<!-- -->--><script>",
  "<![CDATA[<script>]]>",
  "<?php <script>",
  "\u001b[2J\u0000\u202e<b\u0000>",
  "a\ud800<script>",
  "~~<s>~~ **<b>** *<i>* `<c>`",
  "- [x] <details open ontoggle=alert(1)>",
  "<math><mtext></mtext><script>",
] as const;

/** Texts made of them, of Markdown's marks and of anything. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE_TEXTS),
      fc.constantFrom("\n", "\n\n", " ", "> ", "- ", "`", "**", "|"),
      fc.string(),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((texts) => texts.join(""));

/** Foreign words that would move a cursor, name a window and turn the direction of writing. */
export const HOSTILE = "\u001b[2J\u001b]0;title\u0007\u202eevil\nline";

/** No line is wider, and no character of it moves a cursor. */
export function expectFit(text: string, width: number): void {
  for (const line of text.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(width);
  expect(text.endsWith("\n")).toBe(true);
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
}
