import * as z from "zod";
import type { Reaction, Turn } from "../../../engine/index.ts";
import {
  ModelRef,
  Rubric,
  type Message,
  type ModelRequest,
  callOf,
  isEvent,
  type Entry,
  type Event,
  type Respondent,
  type Call,
} from "../../../kernel/index.ts";
import {
  JudgeForm,
  judgeSchema,
  judgeTemplate,
  type ToolEvidence,
} from "../../../protocols/phases/judge-prompts.ts";
import { contextOverflow } from "../../../prompts/context-window.ts";
import { shorten } from "../../../replies/gist.ts";
import { parseGrade, type Grade } from "../../../replies/grade.ts";
import { parsePreference, type Preference } from "../../../replies/preference.ts";
import { normalizeBreaks } from "../../../text/fences.ts";

/** The judge of answers, and how it is called. */
export const AnswerJudgeSettings = z.strictObject({
  model: ModelRef,
  temperature: z.number().min(0).max(2).nullable(),
  /** Tokens of prompt and reply together; null is the model's own limit. */
  contextTokens: z.int().positive().nullable(),
  maxOutputTokens: z.int().positive(),
  timeoutMs: z.int().positive(),
  form: JudgeForm,
  /** For answers that no rule matches. */
  rubric: Rubric,
});
export type AnswerJudgeSettings = z.infer<typeof AnswerJudgeSettings>;

export type JudgmentKind = "grade" | "preference";

/** The models and templates that a judge needs in an opening. */
export const requireJudge = (
  task: JudgmentKind,
  { form, model }: Pick<AnswerJudgeSettings, "form" | "model">,
) => ({ models: [model], templates: [judgeTemplate(task, form)] });

/** The number of earlier turns that a judge sees, and the length of each text in UTF-16 units. */
const MAX_TURNS = 3;
const MAX_TURN_LENGTH = 600;

/** The question, its material and the last of these turns, as a judge sees them. */
export const judgedQuestion = (
  { context, question }: Pick<Reaction, "context" | "question">,
  turns: readonly Turn[],
) => ({ question, context, turns: lastTurns(turns) });

export const lastTurns = (turns: readonly Turn[]): Turn[] =>
  turns
    .filter(({ covers }) => covers === undefined)
    .slice(-MAX_TURNS)
    .map((turn) => ({
      question: shorten(turn.question, MAX_TURN_LENGTH),
      answer: shorten(turn.answer, MAX_TURN_LENGTH),
    }));

/** The conversation that a respondent was shown, with its own answers: the second one's is what it recorded to have chosen. */
export async function turnsOf(
  { history, opening, ports, run, turns }: Reaction,
  respondent: Respondent | undefined,
): Promise<readonly Turn[]> {
  if (respondent !== "B") return turns;
  const chosen = history.find((entry) => isEvent(entry, "turns-chosen"))?.data.answers ?? [];
  if (chosen.length === 0) return [];
  const all = (await ports.turns?.(opening, "B", { after: null, signal: run.signal })) ?? [];
  return all.filter(({ of }) => chosen.includes(of));
}

export function judgeRequest(
  task: JudgmentKind,
  settings: Omit<AnswerJudgeSettings, "rubric" | "timeoutMs">,
  messages: Message[],
): ModelRequest {
  const { contextTokens, form, maxOutputTokens, model, temperature } = settings;
  const reply = judgeSchema(task, form);
  return {
    model,
    messages,
    maxOutputTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(contextTokens === null ? {} : { contextTokens }),
    ...(reply === undefined ? {} : { reply }),
  };
}

/** Why a judge's request does not fit into its context; null where it does. */
export const judgeOverflow = (request: ModelRequest): string | null =>
  contextOverflow(request, "context in critic.yaml");

/** An answer that a judge grades by itself. */
type JudgedAnswer = Event<"answer-given" | "synthesis-given">;

/** The tool calls before an answer, as far as they are recorded. */
export type Evidence = {
  /** The names of all that were called, each once, in the order of their first call. */
  readonly tools: readonly string[];
  readonly results: readonly ToolEvidence[];
  /** How many calls have no result on the journal. */
  readonly missing: number;
};

/**
 * The tools that its speaker called before it gave an answer, and what they gave. A participant of the same name that
 * speaks elsewhere, as a second respondent does in a reaction, is another one.
 */
export function collectEvidence(history: readonly Entry[], answer: JudgedAnswer): Evidence {
  const { by } = answer.data;
  const speaker = speakerIn(answer);
  const own = history.filter((entry) => entry.seq < answer.seq && speakerIn(entry) === speaker);
  const results = own.flatMap((entry): ToolEvidence[] => {
    if (!isEvent(entry, "tool-called") || entry.data.by !== by) return [];
    const { tool, arguments: given, result } = entry.data;
    return [{ tool, arguments: given, result }];
  });
  const asked = [...own, answer].flatMap((entry) => {
    const call = "by" in entry.data && entry.data.by === by ? callOf(entry) : undefined;
    return call?.ok ? (call.toolCalls ?? []).map(({ name }) => name) : [];
  });
  const tools = [...new Set([...asked, ...results.map(({ tool }) => tool)])];
  const times = (names: readonly string[], name: string) => names.filter((one) => one === name).length;
  const given = results.map(({ tool }) => tool);
  const missing = tools.reduce((sum, name) => sum + Math.max(0, times(asked, name) - times(given, name)), 0);
  return { tools, results, missing };
}

/** By whom an entry was recorded: by the protocol, here or at a fork's parent, by one reaction, or by somebody else. */
const speakerIn = ({ origin }: Entry): string => {
  if (origin.by === "reactor") return `reactor/${origin.reactor}/${origin.event}`;
  return origin.by === "adopted" ? "protocol" : origin.by;
};

// An answer that a judge repeats word for word declares nothing, whatever it says of grades.

/** The grade that a judge's call gave to an answer, or why it gave none. */
export const readGrade = (call: Call, answer: string): Grade =>
  readBeside(call, [answer], { parse: parseGrade, same: (one, other) => one.score === other.score });

/** What a judge's call said of two answers, by the order in which it was shown them. */
export const readPreference = (call: Call, answers: readonly string[]): Preference =>
  readBeside(call, answers, { parse: parsePreference, same: (one, other) => one.winner === other.winner });

type Unread = { readonly ok: false; readonly reason: string };

type VerdictReader<T> = {
  readonly parse: (reply: string) => T | Unread;
  readonly same: (one: T, other: T) => boolean;
};

function readBeside<T extends { readonly ok: true }>(
  call: Call,
  answers: readonly string[],
  { parse, same }: VerdictReader<T>,
): T | Unread {
  if (!call.ok) return { ok: false, reason: `${call.failure.code}: ${call.failure.message}` };
  const reply = normalizeBreaks(call.reply);
  const whole = parse(reply);
  const own = withoutEchoes(reply, answers);
  const read = own === reply ? whole : parse(own);
  if (read.ok) return whole.ok && same(whole, read) ? whole : read;
  const cut = call.finish === "length" ? ", which was cut off at its longest" : "";
  return { ok: false, reason: `${read.reason}${cut}` };
}

/** What is shorter can stand in a reply by itself, as `[RESULT] 4` does not. */
const MIN_ECHO_LENGTH = 10;

const withoutEchoes = (reply: string, answers: readonly string[]): string =>
  answers
    .map((answer) => normalizeBreaks(answer).trim())
    .filter((answer) => answer.length >= MIN_ECHO_LENGTH)
    .reduce((rest, answer) => rest.replaceAll(answer, () => "…"), reply);
