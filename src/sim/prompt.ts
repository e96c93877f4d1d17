import type { ModelRequest } from "../kernel/index.ts";
import { splitFenced, type Fenced } from "../prompts/material.ts";

// Pinned facts and memories are read from the system's messages and the last user turn alone: an earlier turn, fences included, is only
// that turn's text.

export type ShownText = { readonly label: string; readonly text: string };

export type ChatTurn = { readonly question: string; /** Empty where none came. */ readonly answer: string };

/** What a model is sent, as far as it can be told without knowing who asks. */
export type Prompt = {
  /** The fenced question; where nothing is fenced, the last user turn. */
  readonly question: string;
  readonly context: string;
  /** What stands outside of fences. */
  readonly own: string;
  /** What of it stands under the last heading `# Your task`. */
  readonly task: string;
  readonly pieces: readonly Fenced[];
  /** The turns before the last user turn, oldest first. */
  readonly turns: readonly ChatTurn[];
  /** What tools returned since the last user turn. */
  readonly results: readonly string[];
  /** The names of the tools that may be called now: none once one was. */
  readonly tools: readonly string[];
  readonly wantsJson: boolean;
  /** All messages without the marks of their fences, which change from one deliberation to the next. */
  readonly plain: string;
};

export function readPrompt({ messages, reply, tools = [] }: ModelRequest): Prompt {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const before = messages.slice(0, Math.max(0, last));
  const asking = messages[last]?.text ?? "";
  const system = messages.filter(({ role }) => role === "system").map(({ text }) => text);
  const parts = [...system, asking].map(splitFenced);
  const pieces = parts.flatMap((part) => part.pieces);
  const turns: ChatTurn[] = [];
  for (const { role, text } of before) {
    const open = turns.at(-1);
    if (role === "user") turns.push({ question: text, answer: "" });
    else if (role === "assistant" && open !== undefined) turns[turns.length - 1] = { ...open, answer: text };
  }
  const own = parts.map(({ outside }) => outside).join("\n\n");
  const results = messages
    .slice(last + 1)
    .filter(({ role }) => role === "tool")
    .map(({ text }) => splitFenced(text).pieces[0]?.text ?? "");
  return {
    question: (shownTexts(pieces, "question")[0]?.text ?? (pieces.length === 0 ? asking : "")).trim(),
    context: shownTexts(pieces, "context")
      .map(({ text }) => text)
      .join("\n\n"),
    own,
    task:
      own
        .split(/^# Your task\n/m)
        .slice(1)
        .at(-1) ?? "",
    pieces,
    turns,
    results,
    tools: results.length > 0 ? [] : tools.map(({ name }) => name),
    wantsJson: reply !== undefined,
    plain: messages.map(({ role, text }) => `${role}\n${text.replaceAll(marks, "$1]")}`).join("\n\n"),
  };
}

const marks = /^(\[(?:BEGIN|END) [^\n]{1,200}? #)[0-9a-f]{16}\]$/gm;

export const shownTexts = (pieces: readonly Fenced[], kind: string): ShownText[] =>
  pieces.filter((piece) => piece.kind === kind).map(({ label, text }) => ({ label, text }));

export const listItems = (pieces: readonly Fenced[], kind: string, label: string): string[] =>
  shownTexts(pieces, kind)
    .filter((piece) => piece.label === label)
    .flatMap(({ text }) => text.split(/^\d{1,3}\. /m).map((item) => item.trim()))
    .filter((item) => item !== "");
