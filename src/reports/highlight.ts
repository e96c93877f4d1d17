import * as grammars from "@speed-highlight/core/languages";
import { tokenizeWith, type ShjLanguageData, type ShjToken } from "@speed-highlight/core/tokenize";
import type { Style } from "./style.ts";

/** The languages that are painted, and what fences call them beside their own names. */
const NAMES = {
  bash: "sh shell zsh console",
  c: "c++ cpp h csharp cs",
  css: "scss",
  diff: "patch",
  docker: "dockerfile",
  go: "golang",
  html: "",
  ini: "conf properties",
  java: "kotlin scala",
  js: "javascript jsx mjs",
  json: "jsonc json5",
  lua: "",
  make: "makefile",
  pl: "perl",
  py: "python python3",
  rs: "rust",
  sql: "postgresql mysql sqlite plsql",
  toml: "",
  ts: "typescript tsx",
  xml: "svg",
  yaml: "yml",
};
// Its own types differ between its grammars and its tokenizer in nothing but `undefined` for what is left out.
const GRAMMARS = Object.entries(grammars as unknown as { readonly [name: string]: ShjLanguageData });
const LANGUAGES = Object.fromEntries(GRAMMARS.filter(([name]) => Object.hasOwn(NAMES, name)));
const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([name, others]) =>
    `${name} ${others}`
      .trimEnd()
      .split(" ")
      .map((one) => [one, LANGUAGES[name]]),
  ),
);

const COLORS: { readonly [token in ShjToken]?: keyof Style } = {
  ...{ kwd: "magenta", oper: "magenta", cmnt: "dim", str: "green", insert: "green", num: "yellow" },
  ...{ bool: "yellow", esc: "yellow", func: "blue", class: "cyan", type: "cyan", section: "cyan" },
  ...{ var: "cyan", deleted: "red" },
};

/** The library's expressions take the square of what has no break in it: within these bounds a block takes less than 100 ms. */
const MAX_LENGTH = 6_000;
const UNBROKEN = /\S{200}|\s{60}|([^\sA-Za-z0-9])\1{60}/;

/** Code with its tokens painted, line by line; undefined for a language that is not known, and for what would take long. */
export function highlight(code: string, language: string, style: Style): string[] | undefined {
  const grammar = BY_NAME.get(language);
  if (!grammar || code.length > MAX_LENGTH || UNBROKEN.test(code)) return undefined;
  const lines = [""];
  const paint = (text: string, token?: ShjToken) => {
    const color = token && COLORS[token];
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push("");
      lines.push((lines.pop() ?? "") + (color === undefined ? part : style[color](part)));
    }
  };
  tokenizeWith(code, grammar, paint, { languages: LANGUAGES });
  return lines;
}
