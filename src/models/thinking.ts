// Tells what a model thought from what it replied where both come as one text, wherever the text is cut into pieces.

import type { FinishedReply } from "./wires/wire.ts";

/** A mark of a template's own: `<|channel|>`, `<|END_THINKING|>`, `<|channel>`, `<channel|>`. */
const SPECIAL = /^<\|?([A-Za-z_]{1,24})\|?>/;
/** `<think>`, `</thinking>`, `<seed:think>`, `[THINK]`, `◁/think▷`, `<unused94>`, and what else models were taught. */
const TAG =
  /^(?:<(\/?)((?:[\w.-]{1,24}[:_-])?(?:think|thinking|thoughts?|reasoning|reflection))>|\[(\/?)(THINK)\]|◁(\/?)(think)▷)/i;
const LITERAL = ["[THINK]", "[/THINK]", "◁think▷", "◁/think▷"];
const UNUSED = new Map([
  ["<unused94>", false],
  ["<unused95>", true],
]);
/** Pairs among the marks of templates, by the name that opens. */
const PAIRS = new Map([
  ["begin_of_thought", "end_of_thought"],
  ["START_THINKING", "END_THINKING"],
]);
const CLOSERS = new Set(PAIRS.values());
/** What stands around a reply that follows thinking, and is no part of it. */
const FRAMES = new Set([
  ...["begin_of_solution", "end_of_solution"],
  ...["START_RESPONSE", "END_RESPONSE", "START_TEXT", "END_TEXT"],
]);
/** OpenAI's harmony format: what a message's header and end are made of. */
const HARMONY = new Set(["start", "channel", "message", "constrain", "end", "return", "call"]);
/** Harmony's channels where a server has dropped the marks and left their names. */
const BARE_CHANNEL = "analysis";
const BARE_FINAL = "assistantfinal";
/** No mark is longer; a text that begins like one waits for so many characters. */
const MAX_MARK = 64;

type TextMark =
  | { readonly kind: "open" | "close"; readonly length: number; readonly name: string }
  | { readonly kind: "harmony"; readonly length: number; readonly name: string }
  | { readonly kind: "frame"; readonly length: number };

/** The mark that a text begins with; "more" if more of the text could make it one. */
function markAt(text: string): TextMark | "more" | undefined {
  const tag = TAG.exec(text);
  if (tag) {
    const name = (tag[2] ?? tag[4] ?? tag[6] ?? "").toLowerCase();
    const isClosing = (tag[1] ?? tag[3] ?? tag[5]) === "/";
    return { kind: isClosing ? "close" : "open", length: tag[0].length, name };
  }
  const unused = UNUSED.get(text.slice(0, 10));
  if (unused !== undefined) return { kind: unused ? "close" : "open", length: 10, name: "unused" };
  const special = SPECIAL.exec(text);
  if (special?.[0].includes("|")) {
    const [{ length }, name = ""] = special;
    const closing = PAIRS.get(name);
    if (closing !== undefined) return { kind: "open", length, name: closing };
    if (CLOSERS.has(name)) return { kind: "close", length, name };
    // Gemma opens with `<|channel>thought` and closes with `<channel|>`.
    if (special[0] === "<|channel>") return { kind: "open", length, name: "channel" };
    if (special[0] === "<channel|>") return { kind: "close", length, name: "channel" };
    if (HARMONY.has(name)) return { kind: "harmony", length, name };
    if (FRAMES.has(name)) return { kind: "frame", length };
    return undefined;
  }
  const isBegun = /^<[/|\w:.-]*$/.test(text) && text.length < MAX_MARK;
  return isBegun || LITERAL.some((mark) => mark.startsWith(text)) ? "more" : undefined;
}

export type Separated = { readonly text: string; readonly thinking: string };

type Hearer = {
  readonly onText: (piece: string) => void;
  readonly onThinking: (piece: string) => void;
  /** All text so far was thinking: its end was marked and its beginning was not. */
  readonly onRetract: () => void;
};

/**
 * Separates a reply that comes in pieces. An opening mark counts at the beginning of a line, a closing mark that nothing
 * opened at the beginning or the end of one; neither counts in code. What is opened at the reply's beginning and never closed
 * is thinking; further down it is text. `startsThinking`: nothing counts as text until thinking is closed, for models
 * that were seen to mark its end alone.
 */
export class Separator {
  readonly #hearer: Hearer;
  #held = "";
  #text = "";
  #thinking = "";
  /** What is being read; a `header` stands between harmony's `<|channel|>` and `<|message|>`. */
  #mode: "text" | "thinking" | "header" | "bare";
  /** The name of the mark that ends the thinking; undefined for harmony's. */
  #closing: string | undefined;
  #header = "";
  /** Thinking that was opened below a text and may turn out to be text. */
  #doubtful: string | undefined;
  #isUnopened: boolean;
  #lineStart = true;
  #lineText = "";
  #fence: string | undefined;
  /** Blanks between thinking and reply belong to neither. */
  #skipsBlank = false;
  #isFresh = true;
  #isHarmony = false;
  /** Where the latest thinking begins. */
  #thinkingFrom = 0;

  constructor(hearer: Hearer, { startsThinking = false } = {}) {
    this.#hearer = hearer;
    this.#isUnopened = startsThinking;
    this.#mode = "text";
  }

  push(piece: string): void {
    this.#held += piece;
    this.#read(false);
  }

  /** What the pieces add up to. */
  end(): Separated {
    this.#read(true);
    if (this.#mode === "bare") this.#asText(BARE_CHANNEL + this.#unthink());
    if (this.#doubtful !== undefined) this.#asText(this.#doubtful + this.#unthink());
    if (this.#isUnopened) this.#asText(this.#unthink());
    return { text: this.#text, thinking: this.#thinking.trim() };
  }

  /** The reply with what was thought told from it, in whichever of the two it came. */
  conclude<R extends Pick<FinishedReply, "text" | "thinking">>(reply: R): R {
    const { text, thinking } = this.end();
    const before = reply.thinking?.text ?? "";
    const words = [before, thinking].filter((one) => one !== "").join("\n\n");
    return {
      ...reply,
      text,
      thinking: words === before ? reply.thinking : { ...reply.thinking, text: words },
    };
  }

  /** Takes back what was read as thinking since it became doubtful. */
  #unthink(): string {
    const taken = this.#thinking.slice(this.#thinkingFrom);
    this.#thinking = this.#thinking.slice(0, this.#thinkingFrom);
    this.#doubtful = undefined;
    this.#isUnopened = false;
    return taken;
  }

  #read(isLast: boolean): void {
    while (this.#held !== "") {
      const before = this.#held.length;
      const wasMode = this.#mode;
      this.#step(isLast);
      if (this.#held.length === before && this.#mode === wasMode) return;
    }
  }

  #step(isLast: boolean): void {
    if (this.#mode === "header") return this.#readHeader(isLast);
    if (this.#mode === "thinking" || this.#mode === "bare") return this.#think(isLast);
    if (this.#isFresh && !this.#begins(isLast)) return;
    const at = this.#held.search(/[<[◁]/);
    if (at !== 0) return this.#take(at < 0 ? this.#held.length : at);
    const mark = this.#isCode() ? undefined : markAt(this.#held.slice(0, MAX_MARK));
    if (mark === "more" && !isLast) return;
    if (mark === undefined || mark === "more") return this.#take(1);
    this.#mark(mark, isLast);
  }

  /** Reads how a reply begins; false while too little of it is there. Blanks before a mark are no part of the reply. */
  #begins(isLast: boolean): boolean {
    const said = this.#held.trimStart();
    const mark = markAt(said.slice(0, MAX_MARK));
    const isBare = said.startsWith(BARE_CHANNEL);
    const isShort = said.length <= BARE_CHANNEL.length && BARE_CHANNEL.startsWith(said);
    if (!isLast && (mark === "more" || isShort)) return false;
    this.#isFresh = false;
    if (mark !== undefined && mark !== "more") this.#held = said;
    if (typeof mark === "object" && mark.kind === "harmony") this.#isHarmony = true;
    if (!isBare || this.#isUnopened || !/^\S/.test(said.slice(BARE_CHANNEL.length))) return true;
    this.#held = said.slice(BARE_CHANNEL.length);
    this.#open("bare", BARE_FINAL);
    return false;
  }

  #mark(mark: TextMark, isLast: boolean): void {
    const rest = this.#held.slice(mark.length);
    if (mark.kind === "frame") {
      if (this.#thinking === "" && this.#text !== "") return this.#take(mark.length);
      this.#held = rest;
      return;
    }
    if (mark.kind === "harmony") {
      if (!this.#isHarmony) return this.#take(mark.length);
      this.#held = rest;
      if (mark.name === "start" || mark.name === "channel") this.#mode = "header";
      this.#header = mark.name;
      return;
    }
    if (mark.kind === "open") {
      if (!this.#lineStart) return this.#take(mark.length);
      const opening = this.#held.slice(0, mark.length);
      this.#held = rest;
      if (this.#text.trim() !== "") this.#doubtful = opening;
      return this.#open("thinking", mark.name);
    }
    // Whether a line ends behind a closing mark is known when something stands there.
    if (!this.#lineStart && /^[^\S\n]*$/.test(rest) && !isLast) return;
    if (!this.#lineStart && !/^[^\S\n]*(?:\n|$)/.test(rest)) return this.#take(mark.length);
    this.#held = rest;
    this.#retract();
  }

  /** A line that is code takes no mark; `#lineText` holds what the line has so far. */
  #isCode(): boolean {
    if (this.#fence !== undefined) return true;
    return (this.#lineText.match(/`/g)?.length ?? 0) % 2 === 1;
  }

  #open(mode: "thinking" | "bare", closing: string | undefined): void {
    this.#mode = mode;
    this.#closing = closing;
    if (this.#thinking !== "" && !this.#thinking.endsWith("\n\n")) this.#thinking += "\n\n";
    this.#thinkingFrom = this.#thinking.length;
  }

  #close(): void {
    this.#mode = "text";
    this.#doubtful = undefined;
    this.#isUnopened = false;
    this.#thinkingFrom = this.#thinking.length;
    this.#lineStart = true;
    this.#lineText = "";
    this.#fence = undefined;
    this.#skipsBlank = true;
  }

  #retract(): void {
    if (this.#text !== "") {
      this.#thinking += this.#text;
      this.#text = "";
      this.#hearer.onRetract();
    }
    this.#close();
  }

  #think(isLast: boolean): void {
    if (this.#mode === "bare") {
      const at = this.#held.indexOf(BARE_FINAL);
      if (at >= 0) {
        this.#asThinking(this.#held.slice(0, at));
        this.#held = this.#held.slice(at + BARE_FINAL.length);
        return this.#close();
      }
      return this.#asThought(isLast ? this.#held.length : this.#held.length - BARE_FINAL.length);
    }
    const at = this.#held.search(/[<[◁]/);
    if (at !== 0) return this.#asThought(at < 0 ? this.#held.length : at);
    const mark = markAt(this.#held.slice(0, MAX_MARK));
    if (mark === "more" && !isLast) return;
    if (mark === undefined || mark === "more") return this.#asThought(1);
    const ends =
      this.#closing === undefined
        ? mark.kind === "harmony"
        : mark.kind === "close" && mark.name === this.#closing;
    if (!ends) return this.#asThought(mark.length);
    if (mark.kind === "harmony") {
      this.#close();
      return; // the mark itself is read as the next message's
    }
    this.#held = this.#held.slice(mark.length);
    this.#close();
  }

  #asThought(length: number): void {
    if (length <= 0) return;
    this.#asThinking(this.#held.slice(0, length));
    this.#held = this.#held.slice(length);
  }

  #readHeader(isLast: boolean): void {
    const end = /<\|(message|channel|end|return|call)\|>/.exec(this.#held);
    if (end === null) {
      if (this.#held.length > 400 || isLast) this.#mode = "text";
      return;
    }
    const words = this.#held.slice(0, end.index);
    this.#held = this.#held.slice(end.index + end[0].length);
    if (end[1] === "channel") {
      this.#header = "channel";
      return;
    }
    const isThought = this.#header === "channel" && !/^\s*final\b/.test(words);
    this.#mode = "text";
    if (end[1] === "message" && isThought) this.#open("thinking", undefined);
    else this.#close();
  }

  /** Takes so many characters as text, or as thinking where nothing is text yet. */
  #take(length: number): void {
    let piece = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    for (const [nth, line] of piece.split("\n").entries()) {
      if (nth > 0) this.#newLine();
      this.#lineText += line;
      if (line.trim() !== "") this.#lineStart = false;
    }
    if (this.#isUnopened) return this.#asThinking(piece);
    if (this.#skipsBlank) piece = piece.trimStart();
    if (piece === "") return;
    this.#skipsBlank = false;
    this.#asText(piece);
  }

  #newLine(): void {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.#lineText)?.[1];
    if (fence !== undefined && this.#fence === undefined) this.#fence = fence;
    else if (fence !== undefined && this.#fence !== undefined && fence.startsWith(this.#fence))
      this.#fence = undefined;
    this.#lineText = "";
    this.#lineStart = true;
  }

  #asText(piece: string): void {
    this.#text += piece;
    this.#hearer.onText(piece);
  }

  #asThinking(piece: string): void {
    this.#thinking += piece;
    // What may turn out to be text is told when it is known.
    if (this.#doubtful === undefined && this.#mode !== "bare") this.#hearer.onThinking(piece);
  }
}
