import {
  bash,
  c,
  css,
  diff,
  docker,
  go,
  html,
  ini,
  java,
  js,
  json,
  lua,
  make,
  pl,
  py,
  rs,
  sql,
  toml,
  ts,
  xml,
  yaml,
} from "@speed-highlight/core/languages";
import { tokenizeWith, type ShjLanguageData, type ShjToken } from "@speed-highlight/core/tokenize";
import type { Style } from "./style.ts";

const KNOWN = {
  bash,
  c,
  css,
  diff,
  docker,
  go,
  html,
  ini,
  java,
  js,
  json,
  lua,
  make,
  pl,
  py,
  rs,
  sql,
  toml,
  ts,
  xml,
  yaml,
};
// Its own types differ between its grammars and its tokenizer in nothing but `undefined` for what is left out.
const LANGUAGES = KNOWN as unknown as { readonly [name in keyof typeof KNOWN]: ShjLanguageData };

/** What fences call them beside their own names. */
const ALIASES: { readonly [name: string]: keyof typeof LANGUAGES | undefined } = {
  ...{
    sh: "bash",
    shell: "bash",
    zsh: "bash",
    console: "bash",
    "c++": "c",
    cpp: "c",
    h: "c",
    csharp: "c",
    cs: "c",
  },
  ...{
    scss: "css",
    patch: "diff",
    dockerfile: "docker",
    golang: "go",
    svg: "xml",
    conf: "ini",
    properties: "ini",
  },
  ...{ kotlin: "java", scala: "java", javascript: "js", jsx: "js", mjs: "js", jsonc: "json", json5: "json" },
  ...{
    makefile: "make",
    perl: "pl",
    python: "py",
    python3: "py",
    rust: "rs",
    typescript: "ts",
    tsx: "ts",
    yml: "yaml",
  },
  ...{ postgresql: "sql", mysql: "sql", sqlite: "sql", plsql: "sql" },
};

const COLORS: { readonly [token in ShjToken]?: keyof Style } = {
  ...{
    kwd: "magenta",
    oper: "magenta",
    cmnt: "dim",
    str: "green",
    insert: "green",
    num: "yellow",
    bool: "yellow",
  },
  ...{
    esc: "yellow",
    func: "blue",
    class: "cyan",
    type: "cyan",
    section: "cyan",
    var: "cyan",
    deleted: "red",
  },
};

/** The library's expressions take the square of what has no break in it: within these bounds a block takes less than 100 ms. */
const MAX_LENGTH = 6_000;
const UNBROKEN = /\S{200}|\s{60}|([^\sA-Za-z0-9])\1{60}/;

/** Code with its tokens painted, line by line; undefined for a language that is not known, and for what would take long. */
export function highlight(code: string, language: string, style: Style): string[] | undefined {
  const name = ALIASES[language] ?? language;
  // Own keys only: the language is whatever a model writes.
  const grammar = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name as keyof typeof LANGUAGES] : undefined;
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
