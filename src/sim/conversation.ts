import type { Mark, Message } from "../kernel/index.ts";
import { splitFenced, type Fenced } from "../prompts/material.ts";

export type ChatTurn = { readonly question: string; /** Empty where none came. */ readonly answer: string };

/** A remembered answer as a prompt shows it. */
export type ShownMemory = ChatTurn & { readonly mark: Mark };

/** What a respondent is shown beside the question. */
export type Conversation = {
  /** The turns before this one, oldest first. */
  readonly turns: readonly ChatTurn[];
  /** The facts that the person has pinned, oldest first. */
  readonly facts: readonly string[];
  /** In the order in which the prompt has them. */
  readonly memories: readonly ShownMemory[];
};

// C1. What is pinned and remembered is read from the system's messages and the last user turn alone: what an earlier turn
//     says, fences included, is that turn's text.

/**
 * Reads the conversation that a prompt continues, with the messages that hold its question and its material; null where
 * it continues none. It does where its last user turn says so under `# Your task`, outside of all fences, or where a
 * plain chat without any fence has come to its second question.
 */
export function readConversation(
  messages: readonly Message[],
): { readonly conversation: Conversation; readonly own: readonly Message[] } | null {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asking = messages[last];
  if (asking === undefined) return null;
  const before = messages.slice(0, last);
  const own = [...before.filter(({ role }) => role === "system"), asking];
  const pieces = own.flatMap(({ text }) => splitFenced(text).pieces);
  const isChat =
    pieces.length === 0 && last === messages.length - 1 && before.some(({ role }) => role === "assistant");
  if (!isChat && !continues.test(splitFenced(asking.text).outside)) return null;
  const facts = pieces.filter(({ kind }) => kind === "fact").map(({ text }) => text);
  return { conversation: { turns: readTurns(before), facts, memories: readMemories(pieces) }, own };
}

const continues = /^# Your task\n(?:(?!^#)[^])*?\bconversation so far\b/m;

function readTurns(messages: readonly Message[]): ChatTurn[] {
  const turns: ChatTurn[] = [];
  for (const { role, text } of messages) {
    const open = turns.at(-1);
    if (role === "user") turns.push({ question: text, answer: "" });
    else if (role === "assistant" && open !== undefined) turns[turns.length - 1] = { ...open, answer: text };
  }
  return turns;
}

const marks: readonly (readonly [start: string, mark: Mark])[] = [
  ["GOOD EXAMPLE", "good-example"],
  ["MIXED", "mixed"],
  ["AVOID", "avoid"],
  ["not judged", "unjudged"],
];

/** Words to whoever reads a prompt, which a remembered answer has no reason to hold. */
const orders =
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|prompts?|rules|above|before|previous|earlier)\b|\[(?:BEGIN|END|RESULT)\b/i;

/** The `memory` fences. An unknown mark counts as mixed; a text that gives orders or forges a fence is left out. */
const readMemories = (pieces: readonly Fenced[]): ShownMemory[] =>
  pieces.flatMap(({ kind, label, text }): ShownMemory[] => {
    const [, question, rest] =
      kind === "memory" ? (/^Question: ([^]*?)\nAnswer: ([^]*)$/.exec(text) ?? []) : [];
    if (question === undefined || rest === undefined || orders.test(text)) return [];
    const critic = rest.lastIndexOf("\nCritic: ");
    const mark = marks.find(([start]) => label.startsWith(start))?.[1] ?? "mixed";
    return [{ mark, question, answer: critic < 0 ? rest : rest.slice(0, critic) }];
  });
