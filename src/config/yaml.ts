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
  type ErrorCode,
  type Node,
  type YAMLError,
} from "yaml";
import { hasSecretInQuery, isFault } from "../kernel/index.ts";
import { quoteValue, toOneLine } from "../text/words.ts";
import { displayPath, MEGABYTE, readTextFile, refuse } from "./text-file.ts";

// YAML-1. What a file says becomes plain data: no tag makes an object, no key reaches a prototype. Else: a file injects code.
// Reading takes time and memory in proportion to the file, whatever it says.
// YAML-3. An error names file, line and column, and quotes nothing of the file but a key. Else: an error shows a secret.

/** A YAML file as plain data, and where in it a thing stands. */
export type YamlFile = {
  readonly path: string;
  /** What the file holds; empty for one that ships with Parley. */
  readonly text: string;
  /** null for an empty file. */
  readonly value: unknown;
  /** `file:line:column` of the key or the value that a path of keys and indices leads to, or of what comes nearest. */
  place(path: readonly PropertyKey[], at: "key" | "value"): string;
};

const MAX_ALIASES = 100;

/** @throws Fault `configuration` for what cannot be read, is not YAML, or is more than plain data */
export function readYaml(path: string, kind: string): YamlFile {
  return parseYaml(readTextFile({ path, kind, maxBytes: MEGABYTE }), path);
}

/** @throws Fault `configuration` */
export function parseYaml(text: string, path: string): YamlFile {
  const name = displayPath(path);
  const at = (offset: number | undefined): string => {
    if (offset === undefined) return name;
    const lines = text.slice(0, offset).split("\n");
    return `${name}:${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
  };
  try {
    const deep = findTooDeep(text);
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
    const [problem] = [...document.errors, ...document.warnings];
    // JSON is YAML, and is read as it.
    const form = /\.json$/i.test(path) ? "JSON" : "YAML";
    if (problem)
      throw refuse(
        `${at(problem.pos[0])}: ${cleanMessage(problem)}`,
        YAML_REMEDIES[problem.code] ?? `correct the ${form}`,
      );
    checkNodes(document, at);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { path, text, value: value ?? null, place: (keys, of) => at(findOffset(document, keys, of)) };
  } catch (error) {
    if (isFault(error)) throw error;
    if (error instanceof RangeError) throw refuse(`${name}: it is nested too deeply`, "make it flatter");
    if (error instanceof ReferenceError)
      throw refuse(`${name}: its aliases stand for too much`, "write it out");
    throw error;
  }
}

const YAML_REMEDIES: { readonly [code in ErrorCode]?: string } = {
  TAB_AS_INDENT: "indent with spaces",
  BAD_INDENT: "close the bracket before it, or indent it as the lines around it",
  MISSING_CHAR: "close the bracket or the quotation mark before it",
};

const MAX_DEPTH = 50;

/**
 * Where the text nests deeper than any settings do, if it does: the library's parser recurses, and a text of
 * nothing but brackets takes the process down with it (its lexer does not). `- - -` nests within a line; blocks
 * over several lines nest by their indentation.
 */
function findTooDeep(text: string): number | undefined {
  let offset = 0;
  let brackets = 0;
  let inLine = 0;
  let scalarNext = false;
  // What the lexer says that is not in the text.
  const markers: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];
  for (const token of new Lexer().lex(text)) {
    const type: CST.TokenType | null = scalarNext ? "scalar" : CST.tokenType(token);
    scalarNext = type === "scalar" && token === CST.SCALAR;
    if (type === "flow-seq-start" || type === "flow-map-start") brackets += 1;
    if (type === "flow-seq-end" || type === "flow-map-end") brackets = Math.max(0, brackets - 1);
    if (type === "comma" || (type === "newline" && brackets === 0)) inLine = 0;
    if (type === "seq-item-ind" || type === "explicit-key-ind" || type === "map-value-ind") inLine += 1;
    const indented = type === "space" && (offset === 0 || text[offset - 1] === "\n") ? token.length : 0;
    if (brackets > MAX_DEPTH || inLine > MAX_DEPTH || indented > 4 * MAX_DEPTH) return offset;
    if (!markers.includes(token)) offset += token.length;
  }
  return undefined;
}

function checkNodes(document: Document.Parsed, at: (offset: number | undefined) => string): void {
  let aliases = 0;
  visit(document, {
    Alias(_, alias, ancestors) {
      const refusal = (what: string, next: string) => refuse(`${at(alias.range?.[0])}: ${what}`, next);
      aliases += 1;
      if (aliases > MAX_ALIASES) throw refusal(`more than ${MAX_ALIASES} aliases`, "write it out");
      const target = alias.resolve(document);
      if (!target) throw refusal("this alias has no anchor", "correct the YAML");
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
        if (keys.has(word)) throw refusal(`duplicate key ${quoteValue(word)}`, "remove one of them");
        keys.add(word);
      }
    },
  });
}

/** The library's own words, without its advice to programmers and without what they quote of the file. (YAML-3) */
function cleanMessage({ code, message }: YAMLError): string {
  return code === "TAG_RESOLVE_FAILED"
    ? "Tags (!…) are not supported"
    : (message.replace("With stringKeys, all", "All").split(/\n|[:;]\s| [%\\]/)[0] ?? "");
}

function findOffset(
  document: Document.Parsed,
  path: readonly PropertyKey[],
  of: "key" | "value",
): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      const key = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
      node = pair?.value;
      const isEmpty = isScalar(node) && node.value === null;
      offset = (of === "value" && isNode(node) && !isEmpty ? node.range?.[0] : key) ?? offset;
    } else {
      node = isSeq(node) ? node.items[Number(step)] : undefined;
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
    }
  }
  return offset;
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value) || isAlias(value);
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names under which people keep secrets. `key-env` names a variable, `max-tokens` counts, and a cache's key finds what is in it. */
const SECRET =
  /(^|[-_. ])(api[-_]?key|(?<!cache[-_])key|secret|token|password|passphrase|credentials?|authorization)$/i;
/** `openaiApiKey` is read as `openai-Api-Key`, since other programs' files write names that way. */
const namesSecret = (key: string): boolean => SECRET.test(key.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2"));
/** Names the variable that holds it: `${TOKEN}`, `Bearer ${TOKEN}`. */
const NAMED_SECRET = /^\s*(?:[A-Za-z]+ )?\$\{(?:env:)?[A-Za-z_]\w*\}\s*$/;
const PASSWORD_IN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^\s:/?#]*:[^\s]+@/i;

/**
 * A file with settings holds no secret: it is shared, copied and committed.
 * @throws Fault `configuration` that names the place, and never the value
 */
export function refuseSecrets(file: YamlFile): void {
  const check = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const here = [...path, Array.isArray(value) ? Number(key) : key];
      const scalar = inner !== null && typeof inner !== "object";
      if (scalar && !Array.isArray(value) && namesSecret(key) && !NAMED_SECRET.test(String(inner)))
        throw refuse(
          `${file.place(here, "key")}: ${toOneLine(key, 60)} looks like a secret, and files are no place for one`,
          "put it in the environment, as OPENAI_API_KEY and the like, or name its variable under key-env",
        );
      if (typeof inner === "string" && (PASSWORD_IN_URL.test(inner.trim()) || hasSecretInQuery(inner)))
        throw refuse(
          `${file.place(here, "value")}: this URL holds a password or a key, and files are no place for one`,
          "put it in the environment, for a database as PARLEY_DATABASE_URL",
        );
      check(inner, here);
    }
  };
  check(file.value, []);
}
