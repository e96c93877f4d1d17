import { once } from "../kernel/once.ts";
import type { Attempt } from "../kernel/transport.ts";

/** Stands where a secret was. */
const PLACEHOLDER = "[redacted]";

/** Shorter ones are placeholders such as `x`, and removing them would garble every message. */
const MIN_SECRET_LENGTH = 4;
/** From here on a text that has a secret in another case, with spaces or without its end has it for no other reason. */
const MIN_LOOSE_LENGTH = 16;
/** Units of the beginning of such a secret that are not shown at the end of a text, which may have been cut there. */
const MIN_BEGINNING = 12;
/** Blanks, escape sequences and characters that are not seen, between two characters of a secret, at most. */
const MAX_GAP = 64;
/** A terminal's escape sequence, in UTF-16 units. */
const MAX_SEQUENCE_LENGTH = 256;

/** A character as URLs, JSON and HTML write it. A run of backslashes is an escape that was escaped again. */
const ESCAPE =
  /%([0-9a-f]{2})|\\{1,4}(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(["'/_*.~+=`-]))|&#(?:x([0-9a-f]{1,6})|(\d{1,7}));|&(quot|amp|lt|gt|apos);/iy;
/** What may be the beginning of one at the end of a text. */
const BEGUN_ESCAPE =
  /^(?:%[0-9a-f]?|\\{1,4}(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&(?:#(?:x[0-9a-f]{0,6}|\d{0,7})|[a-z]{0,4})?)$/i;
const MAX_ESCAPE_LENGTH = 12;
const ENTITIES = new Map(Object.entries({ quot: '"', amp: "&", lt: "<", gt: ">", apos: "'" }));

const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** What a terminal takes for a command and a screen does not show: strings up to their end, CSI sequences, other escapes (ECMA-48). */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u001b\u0007\u0080-\u009f]{0,250}(?:\u0007|\u009c|\u001b\\)|(?:\u001b\[|\u009b)[0-?]{0,100}[ -/]{0,100}[@-~]|\u001b(?![\]PX^_[])[ -/]{0,100}[0-~]/y;
/** `*`, backquote and `~`: with these Markdown marks up what it shows. */
const MARKS: ReadonlySet<number> = new Set([42, 96, 126]);

/**
 * How many units of what nobody sees are at a place of a text: a blank, a character without a shape, an escape sequence, a mark of
 * Markdown. 0 for none; -1 where more text may make it longer.
 */
function gapLength(text: string, at: number, isLast: boolean): number {
  const code = text.charCodeAt(at);
  if (code === 0x1b || (code >= 0x80 && code <= 0x9f)) {
    SEQUENCE.lastIndex = at;
    const found = SEQUENCE.exec(text);
    if (found) return found[0].length;
    if (text.length - at < MAX_SEQUENCE_LENGTH && !isLast) return -1;
    // Without its end a terminal's string loses its two first characters alone.
    return code === 0x1b && /[\]PX^_[]/.test(text.charAt(at + 1)) ? 2 : 1;
  }
  if (code <= 32 || code === 127 || MARKS.has(code)) return 1;
  if (code < 127) return 0;
  if (code >= 0xd800 && code <= 0xdbff && at + 1 === text.length) return isLast ? 1 : -1;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return UNSEEN.test(character) ? character.length : 0;
}

/** `%`, `&` and the backslash. */
const ESCAPES: ReadonlySet<number> = new Set([37, 38, 92]);

/** What a unit of ASCII is read as; every other one is read as it is. */
type Fold = Readonly<Uint8Array>;
const AS_WRITTEN: Fold = Uint8Array.from(Array(128).keys());
/** Letters in one case, and the two alphabets of base64 in one. */
const ANY_CASE = AS_WRITTEN.slice();
for (let code = 65; code <= 90; code += 1) ANY_CASE[code] = code + 32;
ANY_CASE.set([43], 45);
ANY_CASE.set([47], 95);

/** The character at a place of a text, with an escape undone. */
function readUnit(text: string, at: number): { readonly code: number; readonly length: number } {
  ESCAPE.lastIndex = at;
  const found = ESCAPE.exec(text);
  if (found === null) return { code: text.charCodeAt(at), length: 1 };
  const [whole, percent, unicode, byte, plain, hex, decimal, entity] = found;
  const digits = percent ?? unicode ?? byte ?? hex;
  const named = plain ?? (entity === undefined ? undefined : ENTITIES.get(entity.toLowerCase()));
  const code =
    named === undefined
      ? Number.parseInt(digits ?? decimal ?? "", digits === undefined ? 10 : 16)
      : named.charCodeAt(0);
  return { code, length: whole.length };
}

function toUnits(text: string, fold: Fold): number[] {
  const units: number[] = [];
  for (let at = 0; at < text.length;) {
    const first = text.charCodeAt(at);
    const { code, length } = ESCAPES.has(first) ? readUnit(text, at) : { code: first, length: 1 };
    units.push(fold[code] ?? code);
    at += length;
  }
  return units;
}

/**
 * What base64 makes of `secret` when `shift` bytes come before it, as far as it does not depend on these: so that the
 * base64 of `Bearer SECRET` and `user:SECRET` has one of the three.
 */
function base64At(secret: string, shift: number): string {
  const bytes = Buffer.from(secret);
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  return text.slice(Math.ceil((shift * 8) / 6));
}

/**
 * A form of a secret. Its first `open` characters stay, so that a stream need not wait at every letter with which one of
 * the forms begins that few providers echo.
 */
type SecretForm = { readonly text: string; readonly open: number };

function listForms(secret: string): SecretForm[] {
  const whole = [secret, JSON.stringify(secret).slice(1, -1), base64At(secret, 0)];
  const others = [Buffer.from(secret).toString("hex"), base64At(secret, 1), base64At(secret, 2)];
  return [
    ...[...whole, toBase64url(base64At(secret, 0))].map((text) => ({ text, open: 0 })),
    ...[...others, ...others.map(toBase64url)].map((text) => ({ text, open: 2 })),
  ];
}

function toBase64url(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

type Node = {
  readonly next: Map<number, Node>;
  /** The node of the longest proper suffix. */
  fail: Node | null;
  readonly depth: number;
  /** How many of the last units may belong to a secret that is to be removed. */
  hold: number;
  /** How many of the last units are a secret when this node is reached; 0 for none. */
  hit: number;
};

/** The automaton of Aho and Corasick (Communications of the ACM 18:333, 1975) over units. */
function buildAutomaton(forms: readonly SecretForm[], { fold, isLoose }: Omit<Matcher, "root">): Node {
  const root: Node = { next: new Map(), fail: null, depth: 0, hold: 0, hit: 0 };
  for (const { text, open } of forms) {
    const units = toUnits(text, fold);
    let node = root;
    for (const unit of units) {
      let next = node.next.get(unit);
      if (next === undefined) {
        next = { next: new Map(), fail: root, depth: node.depth + 1, hold: 0, hit: 0 };
        node.next.set(unit, next);
      }
      node = next;
      node.hold = Math.max(node.hold, node.depth - open);
      // Most of a secret is as good as all of it.
      const isHit = node.depth === units.length || (isLoose && node.depth >= units.length * 0.75);
      if (isHit) node.hit = Math.max(node.hit, node.depth - open);
    }
  }
  const queue = [...root.next.values()];
  for (const node of queue)
    for (const [unit, child] of node.next) {
      let suffix = node.fail;
      while (suffix !== null && !suffix.next.has(unit)) suffix = suffix.fail;
      child.fail = suffix?.next.get(unit) ?? root;
      child.hold = Math.max(child.hold, child.fail.hold);
      child.hit = Math.max(child.hit, child.fail.hit);
      queue.push(child);
    }
  return root;
}

type Matcher = { readonly root: Node; readonly fold: Fold; readonly isLoose: boolean };

/** Takes a text piece by piece and gives it back without secrets; `end` gives what was held back. */
export type SecretStream = { push(text: string): string; end(): string };

/**
 * Reads each character once. What may be the beginning of a secret is held back, usually nothing, so that the outcome is
 * the same however a text is cut into pieces.
 */
class MatcherStream implements SecretStream {
  readonly #matcher: Matcher;
  #node: Node;
  /** What has come and not gone out. */
  #held = "";
  /** Where reading goes on in what is held. */
  #at = 0;
  /** Where the units of the current node begin in what is held; below 0 for what has gone out. */
  #starts: number[] = [];
  /** Blanks since the last unit. */
  #gap = 0;
  /** A secret that was found and may still go on. */
  #found: { readonly from: number; readonly to: number } | null = null;

  constructor(matcher: Matcher) {
    this.#matcher = matcher;
    this.#node = matcher.root;
  }

  push(text: string): string {
    this.#held = this.#held === "" ? text : this.#held + text;
    return this.#read(false);
  }

  end(): string {
    let out = this.#read(true);
    while (this.#found !== null) out += this.#cut() + this.#read(true);
    const { isLoose } = this.#matcher;
    const rest = this.#held;
    const from = this.#holdFrom() ?? rest.length;
    const isBeginning = isLoose && this.#node.depth >= MIN_BEGINNING;
    this.#held = "";
    this.#restart(0);
    return out + (isBeginning ? rest.slice(0, from) + PLACEHOLDER : rest);
  }

  #restart(at: number): void {
    this.#node = this.#matcher.root;
    this.#starts = [];
    this.#gap = 0;
    this.#found = null;
    this.#at = at;
  }

  /** Takes a secret out of what is held, and gives what comes before it with the placeholder. */
  #cut(): string {
    const { from, to } = this.#found ?? { from: 0, to: 0 };
    const out = this.#held.slice(0, from) + PLACEHOLDER;
    this.#held = this.#held.slice(to);
    this.#restart(0);
    return out;
  }

  #read(isLast: boolean): string {
    const { root, fold, isLoose } = this.#matcher;
    let out = "";
    let text = this.#held;
    while (this.#at < text.length) {
      const at = this.#at;
      const first = text.charCodeAt(at);
      const escapes = ESCAPES.has(first);
      if (this.#node === root && !escapes && !root.next.has(fold[first] ?? first)) {
        this.#at += 1;
        continue;
      }
      const isInside = isLoose && this.#node !== root && this.#gap < MAX_GAP;
      if (isInside && !this.#node.next.has(fold[first] ?? first)) {
        const length = gapLength(text, at, isLast);
        if (length < 0) break;
        if (length > 0) {
          this.#gap += 1;
          this.#at += length;
          continue;
        }
      }
      if (escapes && !isLast && text.length - at <= MAX_ESCAPE_LENGTH && BEGUN_ESCAPE.test(text.slice(at)))
        break;
      const { code, length } = escapes ? readUnit(text, at) : { code: first, length: 1 };
      const unit = fold[code] ?? code;
      const further = this.#node.next.get(unit);
      if (further === undefined && this.#found !== null) {
        out += this.#cut();
        text = this.#held;
        continue;
      }
      this.#step(unit, further);
      this.#starts.push(at);
      const depth = this.#node.depth;
      if (this.#starts.length > depth) this.#starts.splice(0, this.#starts.length - depth);
      this.#gap = 0;
      this.#at = at + length;
      const { hit } = this.#node;
      if (hit === 0) continue;
      this.#found = { from: this.#starts[depth - hit] ?? at, to: this.#at };
      if (this.#node.next.size > 0) continue;
      out += this.#cut();
      text = this.#held;
    }
    return out + this.#release();
  }

  #step(unit: number, further: Node | undefined): void {
    const { root } = this.#matcher;
    let node: Node | null = this.#node;
    let next = further;
    while (next === undefined && node !== null) {
      node = node.fail;
      next = node?.next.get(unit);
    }
    this.#node = next ?? root;
  }

  #holdFrom(): number | undefined {
    const { depth, hold } = this.#node;
    return hold === 0 ? undefined : this.#starts[depth - hold];
  }

  /** What cannot belong to a secret any more. */
  #release(): string {
    const from = this.#holdFrom() ?? this.#at;
    if (from === 0) return "";
    const out = this.#held.slice(0, from);
    this.#held = this.#held.slice(from);
    this.#at -= from;
    this.#starts = this.#starts.map((start) => start - from);
    if (this.#found !== null) this.#found = { from: this.#found.from - from, to: this.#found.to - from };
    return out;
  }
}

/** Removes secrets from whole texts and from streams alike: what a stream gives is what its whole text would. */
export type SecretFilter = { clean(text: string): string; open(): SecretStream };

/**
 * Finds secrets as they are and as URLs, JSON, HTML, hex and base64 write them. Long ones also in another case, with blanks,
 * escape sequences, marks or invisible characters in between, and where as much as a quarter is missing at the end.
 */
export function createSecretFilter(secrets: readonly string[]): SecretFilter {
  // Built when the first text comes, which the model takes its time for.
  const matchers = once(() => matchersOf(secrets));
  const open = (): SecretStream => {
    const streams = matchers().map((matcher) => new MatcherStream(matcher));
    return {
      push: (text) => streams.reduce((piece, stream) => stream.push(piece), text),
      end: () => streams.reduce((rest, stream) => stream.push(rest) + stream.end(), ""),
    };
  };
  return {
    open,
    clean: (text) => {
      if (matchers().length === 0) return text;
      const stream = open();
      return stream.push(text) + stream.end();
    },
  };
}

function matchersOf(secrets: readonly string[]): readonly Matcher[] {
  const long = secrets.filter(({ length }) => length >= MIN_LOOSE_LENGTH);
  const short = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH && length < MIN_LOOSE_LENGTH);
  return [
    { group: long, fold: ANY_CASE, isLoose: true },
    { group: short, fold: AS_WRITTEN, isLoose: false },
  ].flatMap(({ group, ...how }) =>
    group.length === 0 ? [] : [{ root: buildAutomaton(group.flatMap(listForms), how), ...how }],
  );
}

/** What keys look like when they are not one of ours: an `sk-…` key, a Google key, a bearer token. */
const KEY_LIKE = /\b(?:sk-|gsk_|xai-|AIza)[\w*.…-]{6,}|\bBearer\s+[\w*.~+/=-]{6,}/g;

const MAX_WORDS_LENGTH = 500;

/** A provider's words fit to be shown and recorded: no keys, one line, no control characters, at most 500 UTF-16 units. */
export function cleanMessage(text: string, filter: SecretFilter): string {
  // Keys go first: cutting first could leave the beginning of one.
  const line = filter
    .clean(text)
    .replace(KEY_LIKE, PLACEHOLDER)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.length <= MAX_WORDS_LENGTH
    ? line
    : `${line.slice(0, MAX_WORDS_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Words, names and ids of a reply that came from the other side, without what the filter removes. */
export function cleanReply(reply: Extract<Attempt, { ok: true }>, filter: SecretFilter): Attempt {
  const { clean } = filter;
  return {
    ...reply,
    text: clean(reply.text),
    thinking: reply.thinking && { ...reply.thinking, text: clean(reply.thinking.text) },
    toolCalls: reply.toolCalls.map((call) => ({
      ...{ ...call, id: clean(call.id), name: clean(call.name) },
      arguments: clean(call.arguments),
    })),
    sources: reply.sources?.map(({ url, title }) => ({
      url: clean(url),
      ...(title && { title: clean(title) }),
    })),
    finish: cleanMessage(reply.finish, filter).slice(0, 64),
  };
}
