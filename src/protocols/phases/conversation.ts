import * as z from "zod";
import type { ProtocolContext, StepRunner, Turn } from "../../engine/index.ts";
import { personOf, type ModelRequest, type Participant } from "../../kernel/index.ts";
import { fence, materialText, type Desk } from "../../prompts/material.ts";
import { promptTokens } from "../../prompts/context-window.ts";
import { defineTemplate } from "../../prompts/template.ts";
import type { Contribution } from "./summaries/passages.ts";
import { texts } from "./templates/index.ts";

// What no longer fits is summarized in recorded steps; a later turn starts from the last of these summaries.
// The newest turns stay whole. So many become part of a summary that the next ones need none.
// Where a summary fails, the oldest turns are left out, and a degradation says so.

export const conversationSummaryTemplate = defineTemplate(
  "respond-summary",
  ["text", "maxLength"],
  texts["respond-summary"],
);

const MAX_SUMMARY_LENGTH = 2_500;
const MIN_SUMMARY_LENGTH = 200;
/** The summaries of one turn: more are needed only where a long conversation meets a small context for the first time. */
const MAX_SUMMARIES = 8;
const MAX_SUMMARY_TOKENS = 2_048;
/** The estimate counts 3 letters of plain English a token, and fewer of everything else. */
const LETTERS_PER_TOKEN = 2;

/** What the conversation is fitted to where several participants see it. */
export const ConversationWindow = z.strictObject({
  /** The smallest context window of all participants. */
  contextTokens: z.int().positive(),
  /** The turns that a prompt has whole at most. */
  maxTurns: z.int().positive(),
});

/** The other parts of a prompt (instructions, drafts, reviews) and the reply need the rest of the window. */
const SHARE_OF_WINDOW = 1 / 3;

/**
 * The context with the conversation as the prompts of all participants show it: all turns where they fit every window, else
 * a summary, which the first model writes, and the newest turns.
 */
export async function withFittedHistory<
  S extends { readonly conversation?: z.infer<typeof ConversationWindow> | undefined; callTimeoutMs: number },
  C extends ProtocolContext<S>,
>(context: C): Promise<C> {
  const { conversation, callTimeoutMs: timeoutMs } = context.settings;
  const by = context.opening.participants.find(({ model }) => personOf(model) === undefined);
  if (!conversation || !by || context.history.length === 0) return context;
  const { contextTokens, maxTurns } = conversation;
  const { question } = context;
  const history = await fitConversation(context, context.run, {
    ...{ by, history: context.history, contextTokens, maxTurns, timeoutMs },
    request: (turns) => ({
      model: by.model,
      messages: [{ role: "user", text: materialText(context, { question, context: [], history: turns }) }],
      maxOutputTokens: Math.ceil(contextTokens * (1 - SHARE_OF_WINDOW)),
    }),
  });
  return { ...context, history };
}

export type FittedConversation = {
  readonly by: Participant;
  /** Oldest first; the first may be a summary. */
  readonly history: readonly Turn[];
  /** Prompt and reply together. */
  readonly contextTokens: number;
  readonly maxTurns: number;
  readonly timeoutMs: number;
  /** The request with these turns, its tools included. */
  readonly request: (history: readonly Turn[]) => ModelRequest;
};

/** The turns that the prompt shows: all where they fit, else a summary and the newest ones. */
export async function fitConversation(
  desk: Desk,
  run: StepRunner,
  { by, history, contextTokens, maxTurns, timeoutMs, request }: FittedConversation,
): Promise<readonly Turn[]> {
  const turns = history.filter(({ covers }) => covers === undefined);
  const { maxOutputTokens } = request([]);
  const room = contextTokens - maxOutputTokens;
  const tokens = (shown: readonly Turn[]) => promptTokens(request(shown));
  const base = tokens([]);
  if (base > room) return history; // no summary makes the question fit
  if (turns.length <= maxTurns && tokens(history) <= room) return history;
  const space = Math.floor(((room - base) / 4) * LETTERS_PER_TOKEN);
  const maxLength = Math.max(MIN_SUMMARY_LENGTH, Math.min(MAX_SUMMARY_LENGTH, space));
  // A quarter for the summary and a quarter for the turns leaves half free; one turn may take all but the summary.
  const quarter = base + (room - base) / 4;
  const most = room - maxLength / LETTERS_PER_TOKEN;
  let kept = Math.min(turns.length, Math.ceil(maxTurns / 2));
  while (kept > 0 && tokens(turns.slice(-kept)) > (kept === 1 ? most : quarter)) kept -= 1;
  const newest = kept === 0 ? [] : turns.slice(-kept);
  const prompt = (text: string, length: number) =>
    conversationSummaryTemplate.render(desk, {
      text: fence(desk, { kind: "contributions", label: "", text }),
      maxLength: String(length),
    });
  let summary = history.find(({ covers }) => covers !== undefined);
  let rest = turns.slice(0, turns.length - kept);
  const [{ formatContributions, lengthBased }, { excerpt }] = await Promise.all([
    import("./summaries/method.ts"),
    import("./summaries/passages.ts"),
  ]);
  for (let nth = 1; rest.length > 0 && nth <= MAX_SUMMARIES; nth += 1) {
    const before = summary?.covers ?? 0;
    const longest = Math.max(MIN_SUMMARY_LENGTH, room * LETTERS_PER_TOKEN - MAX_SUMMARY_LENGTH);
    const listed = (count: number) =>
      contributions(summary, rest.slice(0, count), (text) => excerpt(text, longest));
    const fits = (count: number) =>
      promptTokens({ messages: prompt(formatContributions(listed(count)), maxLength) }) <= room;
    let count = rest.length;
    while (count > 1 && !fits(count)) count -= 1;
    const covers = before + count;
    const event = await lengthBased.summarize(
      run,
      {
        key: `history/${by.id}/${nth}`,
        work: { kind: "summary", by: by.id, nth },
        for: by,
        round: undefined,
        contributions: listed(count),
        charactersBefore: listed(count).reduce((sum, { text }) => sum + text.length, 0),
        maxLength,
        purpose: "",
        prompt,
        maxOutputTokens: by.thinks ? maxOutputTokens : Math.min(maxOutputTokens, MAX_SUMMARY_TOKENS),
        timeoutMs,
        contextTokens,
        turns: { covers, kept: rest.length - count + kept },
        weakens: `the prompt leaves the oldest ${rest.length} turns of the conversation out`,
      },
      { embeddings: null, options: { semanticThreshold: 1 } },
    );
    if (event.type !== "summary-made") break;
    summary = { question: "", answer: event.data.text, covers };
    rest = rest.slice(count);
  }
  return summary ? [summary, ...newest] : newest;
}

/** A summary before and the turns after it, each cut. */
function contributions(
  summary: Turn | undefined,
  turns: readonly Turn[],
  cut: (text: string) => string,
): readonly Contribution[] {
  const before = summary?.covers ?? 0;
  const told = turns.map(({ question, answer }) => `Person: ${question}\n\nAnswer: ${answer}`);
  const all = summary ? [`Summary of the turns up to ${before}: ${summary.answer}`, ...told] : told;
  return all.map((text, index) => {
    const round = before + index + (summary ? 0 : 1);
    return { round, kind: "turn", step: `turn-${round}`, text: cut(text) };
  });
}
