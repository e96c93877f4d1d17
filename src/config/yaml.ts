// Y1. What a file says becomes plain data: no tag makes an object, no key reaches a prototype.
// Y2. Reading takes time and memory in proportion to the file, whatever it says.
// Y3. An error names file, line and column, and quotes nothing of the file but a key.

import {
  CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  parseDocument,
  visit,
  type Document,
  type Node,
  type YAMLError,
} from "yaml";
import { isFault } from "../kernel/index.ts";
import { fileName, MEGABYTE, readTextFile } from "./text-file.ts";
import { refuse, shown } from "./refusal.ts";

/** A YAML file as plain data, and where in it a thing stands. */
export type YamlFile = {
  readonly path: string;
  /** null for an empty file. */
  readonly value: unknown;
  /** `file:line:column` of the key or the value that a path of keys and indices leads to, or of what comes nearest. */
  place(path: readonly PropertyKey[], at: "key" | "value"): string;
};

const MOST_ALIASES = 100;

/** @throws Fault `configuration` for what cannot be read, is not YAML, or is more than plain data */
export const readYaml = (path: string, kind: string): YamlFile =>
  parseYaml(readTextFile({ path, kind, mostBytes: MEGABYTE }), path);

/** @throws Fault `configuration` */
export function parseYaml(text: string, path: string): YamlFile {
  const name = fileName(path);
  const at = (offset: number | undefined): string => {
    if (offset === undefined) return name;
    const before = text.slice(0, offset);
    return `${name}:${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
  };
  try {
    const deep = tooDeep(text);
    if (deep !== undefined) throw refuse(`${at(deep)}: it is nested too deeply`, "make it flatter");
    const document = parseDocument(text, {
      version: "1.2",
      schema: "core",
      merge: false,
      resolveKnownTags: false,
      stringKeys: true,
      // The library compares every key with every other; `checkNodes` does it with a set.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "error",
    });
    const [trouble] = [...document.errors, ...document.warnings];
    // JSON is YAML, and is read as it.
    const form = /\.json$/i.test(path) ? "JSON" : "YAML";
    if (trouble) throw refuse(`${at(trouble.pos[0])}: ${WORDS[trouble.code]}`, `correct the ${form}`);
    checkNodes(document, at);
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return { path, value: value ?? null, place: (keys, of) => at(offsetOf(document, keys, of)) };
  } catch (error) {
    if (isFault(error)) throw error;
    if (error instanceof RangeError) throw refuse(`${name}: it is nested too deeply`, "make it flatter");
    if (error instanceof ReferenceError)
      throw refuse(`${name}: its aliases stand for too much`, "write it out");
    throw error;
  }
}

const MOST_DEEP = 50;

/**
 * Where the text nests deeper than any settings do, if it does: the library's parser recurses, and a text of
 * nothing but brackets takes the process down with it (its lexer does not). `- - -` nests within a line; blocks
 * over several lines nest by their indentation.
 */
function tooDeep(text: string): number | undefined {
  let offset = 0;
  let brackets = 0;
  let inLine = 0;
  let scalarNext = false;
  for (const token of new Lexer().lex(text)) {
    const type: CST.TokenType | null = scalarNext ? "scalar" : CST.tokenType(token);
    scalarNext = type === "scalar" && token === CST.SCALAR;
    if (type === "flow-seq-start" || type === "flow-map-start") brackets += 1;
    if (type === "flow-seq-end" || type === "flow-map-end") brackets = Math.max(0, brackets - 1);
    if (type === "comma" || (type === "newline" && brackets === 0)) inLine = 0;
    if (type === "seq-item-ind" || type === "explicit-key-ind" || type === "map-value-ind") inLine += 1;
    const indented = type === "space" && (offset === 0 || text[offset - 1] === "\n") ? token.length : 0;
    if (brackets > MOST_DEEP || inLine > MOST_DEEP || indented > 4 * MOST_DEEP) return offset;
    if (!MARKERS.includes(token)) offset += token.length;
  }
  return undefined;
}

/** What the lexer says that is not in the text. */
const MARKERS: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];

function checkNodes(document: Document.Parsed, at: (offset: number | undefined) => string): void {
  let aliases = 0;
  visit(document, {
    Alias(_, alias, ancestors) {
      const refusal = (what: string, next: string) => refuse(`${at(alias.range?.[0])}: ${what}`, next);
      aliases += 1;
      if (aliases > MOST_ALIASES) throw refusal(`more than ${MOST_ALIASES} aliases`, "write it out");
      const target = alias.resolve(document);
      if (!target) throw refusal("this alias stands for nothing", "correct the YAML");
      if (ancestors.includes(target)) throw refusal("it contains itself", "remove the alias");
    },
    Map(_, map) {
      const keys = new Set<string>();
      for (const { key } of map.items) {
        // Counting lines takes time, so a place is worked out only for an error.
        const refusal = (what: string, next: string) =>
          refuse(`${at(isScalar(key) || isAlias(key) ? key.range?.[0] : undefined)}: ${what}`, next);
        if (!isScalar(key)) throw refusal("a key is not a plain word", "write the key out");
        const word = String(key.value);
        if (word === "__proto__") throw refusal('"__proto__" is not a key', "remove it");
        if (keys.has(word)) throw refusal(`${shown(word)} stands here twice`, "remove one of them");
        keys.add(word);
      }
    },
  });
}

/** The library's codes in words; its own messages speak of its options and quote the file. */
const WORDS: { readonly [C in YAMLError["code"]]: string } = {
  ALIAS_PROPS: "an alias cannot have properties",
  BAD_ALIAS: "this alias is not a name",
  BAD_COLLECTION_TYPE: "this collection is not of the kind its tag says",
  BAD_DIRECTIVE: "this directive is not known",
  BAD_DQ_ESCAPE: "this escape is not valid in double quotes",
  BAD_INDENT: "the indentation is wrong, or a bracket is not closed",
  BAD_PROP_ORDER: "an anchor or a tag stands in the wrong place",
  BAD_SCALAR_START: "a plain text cannot start like this; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a map or list cannot start on this line; is something in front of a colon missing its quotes?",
  BLOCK_IN_FLOW: "a block cannot stand inside brackets",
  DUPLICATE_KEY: "a key stands here twice",
  IMPOSSIBLE: "this does not belong here",
  KEY_OVER_1024_CHARS: "a key is longer than 1024 characters",
  MISSING_CHAR: "a character is missing: a colon after a key, a closing quote, bracket or comma",
  MULTILINE_IMPLICIT_KEY: "a key must fit on one line; is a colon missing?",
  MULTIPLE_ANCHORS: "there is more than one anchor",
  MULTIPLE_DOCS: "there is more than one document in the file",
  MULTIPLE_TAGS: "tags (!…) are not read here",
  NON_STRING_KEY: "a key is not a plain word",
  RESOURCE_EXHAUSTION: "it is nested too deeply",
  TAB_AS_INDENT: "a tab indents; YAML wants spaces",
  TAG_RESOLVE_FAILED: "tags (!…) are not read here",
  UNEXPECTED_TOKEN: "this does not belong here",
};

function offsetOf(
  document: Document.Parsed,
  path: readonly PropertyKey[],
  of: "key" | "value",
): number | undefined {
  let node: unknown = document.contents;
  let found = isNode(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) return found;
      const key = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
      node = pair.value;
      found = (of === "value" && isNode(node) && !isEmpty(node) ? node.range?.[0] : key) ?? found;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isNode(node)) return found;
      found = node.range?.[0] ?? found;
    } else return found;
  }
  return found;
}

const isNode = (value: unknown): value is Node =>
  isMap(value) || isSeq(value) || isScalar(value) || isAlias(value);
const isEmpty = (node: Node): boolean => isScalar(node) && node.value === null;
