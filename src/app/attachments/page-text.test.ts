import { expect, it } from "vitest";
import { decodePage, pageText } from "./page-text.ts";

const PLACE = "https://example.com/docs/page";
const textOf = (html: string) => pageText(html, PLACE).text;

it("keeps headings, lists, tables and links, and drops what is around them", () => {
  const { title, text } = pageText(
    `<!doctype html><html><head><title> A &amp; B </title><style>p{color:red}</style>
     <script>document.write("<p>evil</p>")</script></head><body>
     <nav><a href="/">Home</a></nav><header>Site</header>
     <h1>Title</h1><p>One <b>bold</b> word,<br>and <a href="../x?a=1">a link</a>, <a href="#here">here</a>.</p>
     <ul><li>first<ul><li>inner</li></ul></li><li>second</li></ul><ol><li>one</li><li>two</li></ol>
     <table><tr><th>Name</th><th>Value</th></tr><tr><td>a</td><td>1</td></tr></table>
     <pre>  x = 1
  y = 2</pre><blockquote>said</blockquote><img src="p.png" alt="a chart"><a href="javascript:alert(1)">no</a>
     <footer>Imprint</footer></body></html>`,
    PLACE,
  );
  expect(title).toBe("A & B");
  expect(text).toBe(
    [
      "Site\n",
      "# Title\n",
      "One bold word,",
      "and [a link](https://example.com/x?a=1), here.\n",
      "- first\n",
      "  - inner\n",
      "- second\n",
      "1. one",
      "2. two\n",
      "Name | Value",
      "a | 1\n",
      "  x = 1",
      "  y = 2\n",
      "> said\n",
      "[image: a chart]no",
    ].join("\n"),
  );
});

it("takes a page's own part alone where it says so", () => {
  const own = "It matters. ".repeat(60).trim();
  expect(textOf(`<div>around</div><main><p>${own}</p></main><div>below</div>`)).toBe(own);
  expect(textOf("<div>around</div><main><p>short</p></main>")).toBe("around\n\nshort");
});

it("reads what is broken or hostile as far as it goes", () => {
  expect(textOf("<p>a<p>b</div></div><b>c")).toBe("a\n\nbc");
  expect(textOf("<script>unclosed <p>hidden")).toBe("");
  expect(textOf("<a href='https://[bad'>x</a> <a>y</a>")).toBe("x y");
  expect(textOf(`${"<div>".repeat(50_000)}deep`)).toBe("deep");
  expect(textOf("<ul>".repeat(10_000) + "<li>x")).toMatch(/^ *- x$/);
  expect(textOf("&lt;script&gt;alert(1)&lt;/script&gt;")).toBe("<script>alert(1)</script>");
});

it("reads the charset that the server, the bytes or the page name", () => {
  const latin = Buffer.from("caf\xe9", "latin1");
  expect(decodePage(latin, "text/html; charset=ISO-8859-1")).toBe("café");
  expect(
    decodePage(Buffer.concat([Buffer.from('<meta charset="windows-1252">'), latin]), "text/html"),
  ).toContain("café");
  expect(decodePage(Buffer.from("\ufeffcafé", "utf16le"), "text/html")).toBe("café");
  expect(decodePage(Buffer.from("café"), "text/html; charset=nobody-knows")).toBe("café");
  expect(decodePage(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), "text/html; charset=Shift_JIS")).toBe("日本");
  // As browsers do: the mark goes first, comments name nothing, a page that can be read to its `meta` is not UTF-16.
  expect(decodePage(Buffer.from("\ufeffcafé"), "text/html; charset=iso-8859-1")).toBe("café");
  expect(decodePage(Buffer.from("<!-- <meta charset=shift_jis> -->café"), "text/html")).toMatch(/café$/);
  expect(decodePage(Buffer.from("<meta charset=utf-16>café"), "text/html")).toMatch(/café$/);
  const xml = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>');
  expect(decodePage(Buffer.concat([xml, latin]), "application/xml")).toMatch(/café$/);
  expect(decodePage(latin, "text/plain")).toBe("café");
});

it("leaves out what a page hides", () => {
  expect(
    textOf("<p>a<p hidden>no <b>more</b></p><div style='color:red; DISPLAY : none'><p>x<br>y</div><p>b"),
  ).toBe("a\n\nb");
});

it("reads what is nested without an end in linear time", () => {
  expect(textOf(`<p>x${"<i><a href=/y>".repeat(200_000)}deep`)).toMatch(/^x[^]*deep/);
}, 5_000);

it("reads a page of blanks in linear time", () => {
  const blanks = " ".repeat(100_000);
  expect(textOf(`<pre>x${blanks}y${blanks}\nz</pre>`)).toBe(`x${blanks}y\nz`);
}, 5_000);
