import * as z from "zod";
import { Mark, type Message, type ModelRequest } from "../kernel/index.ts";
import { splitFenced, type Fenced } from "../prompts/material.ts";
import { extractRequirements, type Requirements } from "../text/requirements.ts";
import type { SimModel } from "./belief.ts";

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
  /** What `search_memory` found; null where it was not called. */
  readonly found: readonly ShownMemory[] | null;
  /** What `remember_this` kept; null where it kept nothing. */
  readonly kept: string | null;
  /** The names of the tools that may be called now: none once one was. */
  readonly tools: readonly string[];
};

// Pinned facts and memories are read from the system's messages and the last user turn alone: an earlier turn, fences included, is only
// that turn's text.

/**
 * Reads the conversation that a prompt continues, with the messages that hold its question and its material; null where
 * it continues none. It does where its last user turn says so under `# Your task`, outside of all fences, or where a
 * plain chat without any fence has come to its second question.
 */
function readConversation({
  messages,
  tools = [],
}: Pick<ModelRequest, "messages" | "tools">): {
  readonly conversation: Conversation;
  readonly own: readonly Message[];
} | null {
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
  const results = messages.slice(last).flatMap(readToolResult);
  const conversation = {
    ...{ turns: readTurns(before), facts, memories: readMemories(pieces) },
    found: results.find((one) => one.found)?.found ?? null,
    kept: results.find(({ kept }) => kept !== null)?.kept ?? null,
    tools: results.length > 0 ? [] : tools.map(({ name }) => name),
  };
  return { conversation, own };
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

const memoryMarks: readonly (readonly [start: string, mark: Mark])[] = [
  ["GOOD EXAMPLE", "good-example"],
  ["MIXED", "mixed"],
  ["AVOID", "avoid"],
  ["not judged", "unjudged"],
];

/** Words to whoever reads a prompt, which a remembered answer has no reason to hold. */
const orders =
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|prompts?|rules|above|before|previous|earlier)\b|\[(?:BEGIN|END|RESULT)\b/i;

const ToolResult = z.object({
  memories: z.array(z.object({ question: z.string(), answer: z.string(), mark: Mark })).optional(),
  remembered: z.string().optional(),
});

/** The fenced result of a memory tool; what gives orders is left out of it, as it is of `memory` fences. */
function readToolResult({ role, text }: Message): { found: ShownMemory[] | null; kept: string | null }[] {
  if (role !== "tool") return [];
  const [piece] = splitFenced(text).pieces;
  const { data } = ToolResult.safeParse(parseLoose(piece?.text ?? ""));
  const found = data?.memories?.filter(({ question, answer }) => !orders.test(`${question}\n${answer}`));
  return [{ found: found ?? null, kept: data?.remembered ?? null }];
}

function parseLoose(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The `memory` fences. An unknown mark counts as mixed; a text that gives orders or forges a fence is left out. */
const readMemories = (pieces: readonly Fenced[]): ShownMemory[] =>
  pieces.flatMap(({ kind, label, text }): ShownMemory[] => {
    const [, question, rest] =
      kind === "memory" ? (/^Question: ([^]*?)\nAnswer: ([^]*)$/.exec(text) ?? []) : [];
    if (question === undefined || rest === undefined || orders.test(text)) return [];
    const critic = rest.lastIndexOf("\nCritic: ");
    const mark = memoryMarks.find(([start]) => label.startsWith(start))?.[1] ?? "mixed";
    return [{ mark, question, answer: critic < 0 ? rest : rest.slice(0, critic) }];
  });

/** A text from elsewhere under the label that it is shown with. */
export type ShownText = { readonly label: string; readonly text: string };

/** A remark of a review about the answer with this label. */
export type ShownRemark = ShownText & { readonly kind: "strength" | "weakness" };

/** What a debate's prompt says of the problem beside its question. */
export type Brief = {
  /** As they are listed; where none is listed, those that can be read out of the question and its context. */
  readonly requirements: Requirements;
  readonly clarifications: readonly { readonly question: string; readonly answer: string }[];
};

type ShownAnswers = { readonly answers: readonly ShownText[] };
type Briefed = { readonly brief: Brief };

/** What a prompt asks for, as far as its own words tell; what stands inside a fence has no say. */
export type PromptTask =
  /** `json` is a form that is not one of Parley's. */
  | { readonly kind: "draft" | "json" }
  /** `final-answer` is a prompt of an unknown kind that wants a final answer in any case. */
  | ({ readonly kind: "final-answer" | "review" | "revision" | "comparison" } & ShownAnswers)
  | ({ readonly kind: "response" } & Conversation)
  | { readonly kind: "review-repair"; readonly review: string; readonly labels: readonly string[] }
  | ({
      readonly kind: "synthesis";
      readonly remarks: readonly ShownRemark[];
      readonly directive: string;
    } & ShownAnswers)
  | { readonly kind: "grade"; readonly answer: ShownText }
  | { readonly kind: "authorship"; readonly answer: ShownText; readonly participants: readonly ShownText[] }
  | { readonly kind: "pairwise"; readonly first: ShownText; readonly second: ShownText }
  /** What a feature's own script says to it. */
  | { readonly kind: "script"; readonly reply: (model: SimModel) => string }
  /** A new persona of these parents, or the same reply once more, of which the parents are not shown. */
  | { readonly kind: "breeding"; readonly parents: readonly ShownText[] }
  /** What peers' remarks about a persona come to. */
  | { readonly kind: "persona-summary"; readonly remarks: readonly ShownText[] }
  | DebateTask;

/** What a debate or its evaluation asks for. */
export type DebateTask =
  | ({ readonly kind: "clarification"; /** Questions. */ readonly most: number } & Briefed)
  /** `standing` is what the same agent held at the end of the rounds before; null in the first. */
  | ({ readonly kind: "proposal"; readonly standing: string | null } & Briefed)
  | ({ readonly kind: "critique"; readonly proposal: ShownText } & Briefed)
  | ({
      readonly kind: "refinement";
      readonly proposal: ShownText;
      readonly critiques: readonly ShownText[];
    } & Briefed)
  | { readonly kind: "summary"; readonly text: string; /** UTF-16 units. */ readonly most: number }
  | ({ readonly kind: "confidence" } & Briefed & ShownAnswers)
  | ({ readonly kind: "solution" } & Briefed & ShownAnswers)
  | { readonly kind: "solution-repair"; readonly reply: string }
  /** `claimed`: what the debaters say of their own coverage stands beside the solution. */
  | ({ readonly kind: "evaluation"; readonly solution: ShownText; readonly claimed: boolean } & Briefed);

export type TaskOf<K extends PromptTask["kind"]> = Extract<PromptTask, { readonly kind: K }>;

/** What a simulated model says to a feature's prompts: null for any other. `own`: what stands outside of fences. */
export type SimScript = (prompt: {
  readonly own: string;
  readonly pieces: readonly Fenced[];
}) => ((model: SimModel) => string) | null;

export type Prompt = {
  readonly question: string;
  readonly context: string;
  readonly task: PromptTask;
  /** All messages without the marks of their fences, which change from one deliberation to the next. */
  readonly plain: string;
};

/**
 * Reads a request as the model that it is sent to would. Without a fenced question the last user turn is the question. Of
 * a conversation that goes on, question and context stand in its last turn.
 */
export function readPrompt(
  { messages, reply, tools }: ModelRequest,
  scripts: readonly SimScript[] = [],
): Prompt {
  const continued = reply === undefined ? readConversation({ messages, tools }) : null;
  const parts = (continued?.own ?? messages).map(({ text }) => splitFenced(text));
  const pieces = parts.flatMap((part) => part.pieces);
  const own = parts.map(({ outside }) => outside).join("\n\n");
  const fencedQuestion = pieces.find(({ kind }) => kind === "question")?.text;
  const lastTurn = messages.findLast(({ role }) => role === "user")?.text ?? "";
  return {
    question: (fencedQuestion ?? (pieces.length === 0 ? lastTurn : "")).trim(),
    context: shownTexts(pieces, "context")
      .map(({ text }) => text)
      .join("\n\n"),
    task: continued
      ? { kind: "response", ...continued.conversation }
      : readTask({ own, pieces, wantsJson: reply !== undefined }, scripts),
    plain: messages.map(({ role, text }) => `${role}\n${text.replaceAll(marks, "$1]")}`).join("\n\n"),
  };
}

const marks = /^(\[(?:BEGIN|END) [^\n]{1,200}? #)[0-9a-f]{16}\]$/gm;

const shownTexts = (pieces: readonly Fenced[], kind: string): ShownText[] =>
  pieces.filter((piece) => piece.kind === kind).map(({ label, text }) => ({ label, text }));

type ReadPrompt = Parameters<SimScript>[0] & { readonly wantsJson: boolean };

function readTask({ own, pieces, wantsJson }: ReadPrompt, scripts: readonly SimScript[]): PromptTask {
  for (const script of scripts) {
    const reply = script({ own, pieces });
    if (reply) return { kind: "script", reply };
  }
  const special = readPersonaTask(own, pieces);
  if (special) return special;
  const answers = shownTexts(pieces, "answer");
  const [first, second, third] = answers;
  const known = first
    ? readAnswersTask(own, pieces, answers)
    : (readReviewRepair(own, pieces) ?? readDebateTask(own, pieces));
  if (known) return known;
  if (first && second && !third && pairwise.test(own)) return { kind: "pairwise", first, second };
  if (first && own.includes("[RESULT]")) return { kind: "grade", answer: first };
  if (wantsJson) return { kind: "json" };
  return unconditional.test(own) ? { kind: "final-answer", answers } : { kind: "draft" };
}

function readPersonaTask(own: string, pieces: readonly Fenced[]): PromptTask | null {
  if (/^identity-and-role: \|$/m.test(own))
    return { kind: "breeding", parents: shownTexts(pieces, "persona") };
  return own.includes('"sources": [')
    ? { kind: "persona-summary", remarks: shownTexts(pieces, "remark") }
    : null;
}

const pairwise =
  /\bA"? or "?B\b|\bA, B\b|\bwhich (?:of the two|answer|response) is better\b|\bbetter of the two\b/i;

/** `Final answer:` in a sentence that does not make it depend on the question. */
const unconditional = /(?:^|[.!?]\s)(?:(?!\bif\b)[^.!?])*\bfinal answer:/i;

function readAnswersTask(
  own: string,
  pieces: readonly Fenced[],
  answers: readonly ShownText[],
): PromptTask | null {
  if (/^# Strategic directive$/m.test(own) || own.includes('"contributors"')) {
    const [, directive = ""] = /^# Strategic directive\n([^]*?)(?=^# |(?![^]))/m.exec(own) ?? [];
    return { kind: "synthesis", answers, remarks: readRemarks(pieces), directive: directive.trim() };
  }
  const [answer] = answers;
  const participants = shownTexts(pieces, "participant");
  if (answer && participants.length > 0) return { kind: "authorship", answer, participants };
  if (own.includes("## My answer")) return { kind: "revision", answers };
  if (own.includes('"contradictions"')) return { kind: "comparison", answers };
  return /FINAL RANKING|"ranking"/.test(own) ? { kind: "review", answers } : null;
}

function readReviewRepair(own: string, pieces: readonly Fenced[]): TaskOf<"review-repair"> | null {
  const [review] = shownTexts(pieces, "review");
  if (!review || !/could not be read/.test(own)) return null;
  const list = /labell?ed ([^\n]{1,2000}?)\.(?:\s|$)/.exec(own)?.[1] ?? "";
  return { kind: "review-repair", review: review.text, labels: list.split(/,\s*/).filter(Boolean) };
}

/** Reviews are shown answer by answer, a strength behind `+` and a weakness behind `-`. */
const readRemarks = (pieces: readonly Fenced[]): ShownRemark[] =>
  shownTexts(pieces, "review").flatMap(({ label: name, text }) => {
    const label = / of answer (.+)$/.exec(name)?.[1] ?? name;
    return text.split("\n").flatMap((line): ShownRemark[] => {
      const [, sign, remark] = /^([+-]) (.+)$/.exec(line) ?? [];
      if (remark === undefined) return [];
      return [{ label, kind: sign === "+" ? "strength" : "weakness", text: remark }];
    });
  });

/** What a prompt of a debate asks for; null for every other prompt. */
function readDebateTask(own: string, pieces: readonly Fenced[]): DebateTask | null {
  const first = (kind: string): ShownText | undefined => shownTexts(pieces, kind)[0];
  const [reply, solution, proposal] = [first("reply"), first("solution"), first("proposal")];
  const contributions = first("contributions");
  const task = own.slice(Math.max(0, own.lastIndexOf("# Your task\n")));
  const [, limit] = /\bat most (\d{1,9}) (?:characters|questions)/.exec(task) ?? [];
  const brief = readBrief(pieces);
  if (own.includes('"solutionMarkdown"'))
    return reply
      ? { kind: "solution-repair", reply: reply.text }
      : { kind: "solution", brief, answers: readStanding(pieces) };
  if (solution && own.includes('"overall_score"')) {
    const claimed = pieces.some(({ kind }) => kind === "coverage");
    return { kind: "evaluation", brief, solution, claimed };
  }
  if (solution && own.includes('"confidence"'))
    return { kind: "confidence", brief, answers: shownTexts(pieces, "solution") };
  if (contributions) return { kind: "summary", text: contributions.text, most: Number(limit ?? 2_500) };
  if (proposal) {
    const critiques = shownTexts(pieces, "critique");
    return critiques.length > 0 || /^## Critiques$/m.test(own)
      ? { kind: "refinement", brief, proposal, critiques }
      : { kind: "critique", brief, proposal };
  }
  if (!first("question")) return null;
  if (own.includes('"questions"')) return { kind: "clarification", brief, most: Number(limit ?? 5) };
  return /^## Requirements Coverage$/m.test(own)
    ? { kind: "proposal", brief, standing: readOwnStanding(pieces) }
    : null;
}

function readBrief(pieces: readonly Fenced[]): Brief {
  const readListed = (label: string): string[] =>
    shownTexts(pieces, "requirements")
      .filter((piece) => piece.label === label)
      .flatMap(({ text }) => text.split(/^\d{1,3}\. /m).map((item) => item.trim()))
      .filter((item) => item !== "");
  const listed = { major: readListed("major"), minor: readListed("minor") };
  const problem = pieces.filter(({ kind }) => kind === "question" || kind === "context");
  const isListed = listed.major.length + listed.minor.length > 0;
  const texts = shownTexts(pieces, "clarification");
  return {
    requirements: isListed ? listed : extractRequirements(problem.map(({ text }) => text).join("\n\n")),
    clarifications: texts.flatMap(({ label, text }) => {
      const [, number] = /^(\d{1,4}) question$/.exec(label) ?? [];
      const answer = texts.find((one) => one.label === `${number ?? ""} answer`);
      return number === undefined || !answer ? [] : [{ question: text, answer: answer.text }];
    }),
  };
}

/** What stands under each label after the last round that is shown; the judge's own summary where no round is. */
function readStanding(pieces: readonly Fenced[]): ShownText[] {
  const latest = new Map<string, string>();
  for (const { kind, label, text } of pieces)
    if (kind === "proposal" || kind === "refinement") latest.set(label, text);
  return latest.size > 0
    ? [...latest].map(([label, text]) => ({ label, text }))
    : shownTexts(pieces, "summary").flatMap(({ text }) => readSummary(text));
}

/** A summary by the headings that it kept, `Round 2, refinement by A:`; the last text of each label stands. */
function readSummary(summary: string): ShownText[] {
  const latest = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of summary.split("\n")) {
    const [, label] = /^Round \d{1,3}, [a-z]{1,20} by (\S{1,40}):$/.exec(line) ?? [];
    if (label === undefined) lines.push(line);
    else latest.set(label, (lines = []));
  }
  const parts = [...latest].map(([label, kept]) => ({ label, text: kept.join("\n").trim() }));
  const named = parts.filter(({ text }) => text !== "");
  return named.length > 0 ? named : [{ label: "", text: summary }];
}

function readOwnStanding(pieces: readonly Fenced[]): string | null {
  const last = shownTexts(pieces, "history").findLast(({ label }) => / (?:proposal|refinement)$/.test(label));
  return (last ?? shownTexts(pieces, "summary").at(-1))?.text ?? null;
}
