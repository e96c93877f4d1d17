import type { ModelRequest, ToolCall } from "../kernel/index.ts";
import { createSimModel, type SimModel } from "./belief.ts";
import { createChance, type Chance } from "./chance.ts";
import { clarify, critique, propose, refine } from "./debate/agent.ts";
import {
  evaluate,
  judgeConfidence,
  repairSolution,
  solutionText,
  summarize,
  writeSolution,
} from "./debate/judge.ts";
import { draft, finalAnswer } from "./draft.ts";
import { writeForm } from "./form.ts";
import type { Fact, SimParameters } from "./reference.ts";
import {
  compareAnswers,
  grade,
  guessAuthor,
  prefer,
  repairReview,
  reviewAnswers,
  reviewJson,
  reviewText,
  reviseAnswer,
} from "./peers.ts";
import type { ReviewReply } from "../replies/review.ts";
import { breed, summarizeRemarks } from "./persona.ts";
import { readPrompt, type Prompt, type SimScript } from "./prompt.ts";
import { chooseTool, respond } from "./respond.ts";
import { toolRemark, wantedCall } from "./tool-use.ts";
import { synthesize } from "./synthesis.ts";

export type SimCall = {
  readonly parameters: SimParameters;
  readonly facts: readonly Fact[];
  readonly request: ModelRequest;
  readonly scripts?: readonly SimScript[] | undefined;
  /** Counts from 1. */
  readonly attempt: number;
};

/** What one attempt comes to. A failed one has the part of the text that came before it failed. */
export type SimReply =
  | {
      readonly ok: true;
      readonly text: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly finish: "stop" | "length";
      readonly tokensIn: number;
      readonly tokensOut: number;
    }
  | { readonly ok: false; readonly outage: Outage; readonly text: string; readonly tokensIn: number };

/** How a provider fails: it is overloaded, asks to wait, or the connection breaks within the reply. */
export type Outage =
  | { readonly code: "overloaded" }
  | { readonly code: "rate-limited"; readonly waitMs: number }
  | { readonly code: "network" };

const outages: readonly [Outage, ...Outage[]] = [
  { code: "overloaded" },
  { code: "rate-limited", waitMs: 250 },
  { code: "rate-limited", waitMs: 1_000 },
  { code: "network" },
];

const CHARACTERS_PER_TOKEN = 4;
const countTokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

// A reply is a function of the model's parameters, its facts, the request and the attempt, and of nothing else.
// A reply does not depend on the marks of fences, which come from a run's seed.
// Only faults depend on the attempt: every attempt that succeeds gives the same reply.

/** Answers a request as the simulated model does. */
export function simulateReply({ parameters, facts, request, scripts, attempt }: SimCall): SimReply {
  const prompt = readPrompt(request, scripts);
  const model = createSimModel({ parameters, facts }, prompt, request);
  const { name, seed } = parameters;
  const fate = createChance(["fate", name, seed, prompt.plain, request.temperature ?? null, attempt]);
  const writing = { model, prompt, wantsJson: request.reply !== undefined };
  const written =
    fate.roll("malformed") < parameters.malformed ? writeMalformed(writing, fate) : write(writing);
  const whole = `${toolRemark(request, parameters.calls)}${written}`;
  const maxLength = request.maxOutputTokens * CHARACTERS_PER_TOKEN;
  const text = whole.slice(0, maxLength).toWellFormed();
  const tokensIn = countTokens(request.messages.reduce((sum, message) => sum + message.text.length, 0));
  if (fate.roll("fail") < parameters.fail) {
    const outage = fate.pick("trouble", outages);
    const end = outage.code === "network" ? Math.floor(text.length * fate.roll("break")) : 0;
    return { ok: false, outage, text: text.slice(0, end).toWellFormed(), tokensIn };
  }
  const { task } = prompt;
  const wish =
    wantedCall(request, parameters.calls) ??
    (task.kind === "response" ? chooseTool(model, task, prompt.question) : null);
  if (wish) {
    const tokensOut = countTokens(wish.name.length + wish.arguments.length);
    return { ok: true, text: "", toolCalls: [wish], finish: "stop", tokensIn, tokensOut };
  }
  const finish = whole.length > maxLength ? "length" : "stop";
  return { ok: true, text, finish, tokensIn, tokensOut: countTokens(text.length) };
}

type ReplyDraft = { readonly model: SimModel; readonly prompt: Prompt; readonly wantsJson: boolean };

function write({ model, prompt, wantsJson }: ReplyDraft): string {
  const { task, question } = prompt;
  switch (task.kind) {
    case "draft":
      return draft(model, question);
    case "final-answer":
      return finalAnswer(model, task.answers, question);
    case "json":
      return JSON.stringify({ answer: model.belief?.answer ?? draft(model, question) });
    case "response":
      return writeForm(question, prompt.context) ?? respond(model, task, question);
    case "review":
      return writeReview(model, reviewAnswers(model, task.answers), wantsJson);
    case "review-repair":
      return reviewJson(repairReview(task.review, task.labels));
    case "synthesis":
      return synthesize(model, task, question);
    case "revision":
      return reviseAnswer(model, task.answers, question);
    case "comparison":
      return compareAnswers(model, task.answers);
    case "grade":
      return grade(model, task.answer, wantsJson);
    case "authorship":
      return guessAuthor(model, task);
    case "pairwise":
      return prefer(model, task, wantsJson);
    case "clarification":
      return clarify(model, task, prompt);
    case "proposal":
      return propose(model, task, question);
    case "critique":
      return critique(model, task);
    case "refinement":
      return refine(model, task, question);
    case "summary":
      return summarize(model, task);
    case "confidence":
      return judgeConfidence(model, task);
    case "solution":
      return solutionText(writeSolution(model, task, question));
    case "solution-repair":
      return solutionText(repairSolution(task.reply));
    case "evaluation":
      return evaluate(model, task);
    case "script":
      return task.reply(model);
    case "breeding":
      return breed(model, task);
    case "persona-summary":
      return summarizeRemarks(task);
  }
}

const writeReview = (model: SimModel, content: ReviewReply, wantsJson: boolean): string =>
  wantsJson ? reviewJson(content) : reviewText(model, content);

/** A reply that breaks its form in a way that models do and that a reader has to notice. */
function writeMalformed(writing: ReplyDraft, chance: Chance): string {
  const { model, prompt, wantsJson } = writing;
  const { task, question } = prompt;
  const text = write(writing);
  const cut = text.slice(0, Math.max(1, Math.floor(text.length * (0.3 + 0.4 * chance.roll("cut")))));
  if (task.kind === "review") {
    const { reviews, ranking } = reviewAnswers(model, task.answers);
    const [first = "A", ...others] = ranking;
    const rank = (labels: string[]): string => writeReview(model, { reviews, ranking: labels }, wantsJson);
    const repeated = rank([first, first, ...others.slice(1)]);
    const missing = rank(others.length > 0 ? [first, ...others.slice(1)] : ["Z9"]);
    return chance.pick("breakage", [cut, repeated, missing, rank([...ranking, "Z9"])]);
  }
  if (task.kind === "synthesis") {
    const start = text.lastIndexOf("```json");
    const [before, block] = [text.slice(0, start), text.slice(start)];
    const part = block.slice(0, 7 + Math.floor((block.length - 12) * chance.roll("cut")));
    const overweight = block.replace(/"weight":[\d.]+/, '"weight":1.4');
    return chance.pick("breakage", [before + part, before.trimEnd(), before + overweight]);
  }
  if (task.kind === "solution") {
    const solution = writeSolution(model, task, question);
    const empty = solutionText({ ...solution, solutionMarkdown: "" });
    return chance.pick("breakage", [cut, empty, solution.solutionMarkdown]);
  }
  if (task.kind === "summary") return summarize(model, { ...task, most: 3 * task.most });
  if ((task.kind !== "grade" && task.kind !== "pairwise") || wantsJson) return cut;
  const [unmarked = ""] = text.split("[RESULT]", 1);
  return chance.roll("breakage") < 0.5 ? unmarked.trimEnd() : `${unmarked}[RESULT] 17`;
}
