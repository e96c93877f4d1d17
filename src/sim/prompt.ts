import type { ModelRequest } from "../kernel/index.ts";
import { readFenced, type Fenced } from "../prompts/index.ts";
import { conversationOf, type Conversation } from "./conversation.ts";
import { debateTaskOf, type DebateTask } from "./debate-prompt.ts";
import { outside } from "./own-words.ts";
import type { Shown } from "./shown.ts";

export type { Shown } from "./shown.ts";

/** A remark of a review about the answer with this label. */
export type ShownRemark = {
  readonly label: string;
  readonly kind: "strength" | "weakness";
  readonly text: string;
};

/** What a prompt asks for, as far as it can be told from its own words; never from what stands inside a fence. */
export type Task =
  | { readonly kind: "draft" }
  | ({ readonly kind: "response" } & Conversation)
  | { readonly kind: "review"; readonly answers: readonly Shown[] }
  | { readonly kind: "repair"; readonly review: string; readonly labels: readonly string[] }
  | {
      readonly kind: "synthesis";
      readonly answers: readonly Shown[];
      readonly remarks: readonly ShownRemark[];
      readonly directive: string;
    }
  | { readonly kind: "revision"; readonly answers: readonly Shown[] }
  | { readonly kind: "comparison"; readonly answers: readonly Shown[] }
  | { readonly kind: "grade"; readonly answer: Shown }
  | { readonly kind: "pairwise"; readonly first: Shown; readonly second: Shown }
  | { readonly kind: "form" }
  | DebateTask;

export type Prompt = {
  readonly question: string;
  readonly context: string;
  readonly task: Task;
  /** All messages without the marks of their fences, which change from one deliberation to the next. */
  readonly plain: string;
};

/**
 * Reads a request as the model that it is sent to would. Without a fenced question the last user turn is the question. Of a
 * conversation that goes on (C1), question and context stand in its last turn.
 */
export function readPrompt({ messages, reply }: ModelRequest): Prompt {
  const conversing = reply === undefined ? conversationOf(messages) : null;
  const parts = (conversing?.own ?? messages).map(({ text }) => ({ text, pieces: readFenced(text) }));
  const pieces = parts.flatMap((part) => part.pieces);
  const words = parts.map(({ text, pieces: inside }) => outside(text, inside)).join("\n\n");
  const asked = pieces.find(({ kind }) => kind === "question");
  const lastTurn = messages.findLast(({ role }) => role === "user")?.text ?? "";
  return {
    question: (asked?.text ?? (pieces.length === 0 ? lastTurn : "")).trim(),
    context: textOf(pieces, "context").join("\n\n"),
    task: conversing
      ? { kind: "response", ...conversing.conversation }
      : taskOf(words, pieces, reply !== undefined),
    plain: messages.map(({ role, text }) => `${role}\n${text.replaceAll(marks, "$1]")}`).join("\n\n"),
  };
}

const marks = /^(\[(?:BEGIN|END) [^\n]{1,200}? #)[0-9a-f]{16}\]$/gm;

const textOf = (pieces: readonly Fenced[], kind: string): string[] =>
  pieces.filter((piece) => piece.kind === kind).map(({ text }) => text);

function taskOf(own: string, pieces: readonly Fenced[], hasForm: boolean): Task {
  const answers = pieces.filter(({ kind }) => kind === "answer").map(({ label, text }) => ({ label, text }));
  const [first, second] = answers;
  if (first && (/^# Strategic directive$/m.test(own) || own.includes('"contributors"'))) {
    return {
      kind: "synthesis",
      answers,
      remarks: remarksIn(pieces),
      directive: section(own, "Strategic directive"),
    };
  }
  const [review] = textOf(pieces, "review");
  if (review !== undefined && !first && /could not be read/.test(own)) {
    const list = /labelled ([^\n]{1,2000}?)\.(?:\s|$)/.exec(own)?.[1] ?? "";
    return { kind: "repair", review, labels: list.split(/,\s*/).filter(Boolean) };
  }
  if (first && own.includes("## My answer")) return { kind: "revision", answers };
  if (first && own.includes('"contradictions"')) return { kind: "comparison", answers };
  if (first && /FINAL RANKING|"ranking"/.test(own)) return { kind: "review", answers };
  if (first && second && !answers[2] && pairwise.test(own)) return { kind: "pairwise", first, second };
  if (first && own.includes("[RESULT]")) return { kind: "grade", answer: first };
  return (first ? null : debateTaskOf(own, pieces)) ?? { kind: hasForm ? "form" : "draft" };
}

const pairwise =
  /\bA"? or "?B\b|\bA, B\b|\bwhich (?:of the two|answer|response) is better\b|\bbetter of the two\b/i;

/** What a prompt says between a heading and the next one. */
function section(own: string, heading: string): string {
  const start = own.indexOf(`# ${heading}\n`);
  if (start < 0) return "";
  const rest = own.slice(start + heading.length + 3);
  const end = rest.search(/^# /m);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}

/** Reviews are shown answer by answer, a strength behind `+` and a weakness behind `-`. */
const remarksIn = (pieces: readonly Fenced[]): ShownRemark[] =>
  pieces
    .filter(({ kind }) => kind === "review")
    .flatMap(({ label: name, text }) => {
      const label = / of answer (.+)$/.exec(name)?.[1] ?? name;
      return text.split("\n").flatMap((line): ShownRemark[] => {
        const [, sign, remark] = /^([+-]) (.+)$/.exec(line) ?? [];
        return remark === undefined
          ? []
          : [{ label, kind: sign === "+" ? "strength" : "weakness", text: remark }];
      });
    });
