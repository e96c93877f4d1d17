import * as z from "zod";
import type { ProtocolContext, StepOutcome, Turn } from "../../../engine/index.ts";
import {
  ReplyLimit,
  RecallRules,
  StepKey,
  ToolSpec,
  UserId,
  type Call,
  type Event,
  type Failure,
  type Mark,
  type Message,
  type ModelRequest,
  type Participant,
  type Recalled,
  type Respondent,
} from "../../../kernel/index.ts";
import { contextOverflow } from "../../../prompts/context-window.ts";
import { fence, materialText, type Desk, type Material } from "../../../prompts/material.ts";
import { defineTemplate } from "../../../prompts/template.ts";
import { isMemoryTool, useMemoryTool } from "../../../protocols/phases/memory-tools.ts";
import {
  callFailure,
  degradation,
  hasClientTools,
  modelParams,
  readFinal,
  searchParams,
  writeAnswer,
} from "../../../protocols/phases/reply.ts";
import { texts } from "./templates/index.ts";
import { fitConversation } from "../../../protocols/phases/conversation.ts";
import { speakWithTools, withTools } from "../../../protocols/phases/tool-turns.ts";
import { useTool } from "../../../protocols/phases/tools.ts";

/** How a respondent answers, whichever of two it is. */
export const RespondentSettings = z.strictObject({
  maxOutputTokens: ReplyLimit,
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** Whose memory is searched, and by which rules; null is no memory. */
  recall: z.strictObject({ user: UserId, rules: RecallRules }).nullable().default(null),
  /** The tokens of prompt and reply together; where they are known, a conversation is fitted to them. */
  contextTokens: z.int().positive().optional(),
  /** Whether its server itself refuses what is too long, so that nothing is refused here on an estimate. */
  soft: z.literal(true).optional(),
  /** How many turns a fitted conversation has whole at most. */
  maxTurns: z.int().positive().optional(),
  /** The tools it may call; `limit` counts the calls of all turns together. */
  tools: z
    .strictObject({ specs: z.array(ToolSpec), limit: z.int().positive().max(100) })
    .prefault({ specs: [], limit: 5 }),
  /** The folder that file tools see: an absolute path. */
  contextFolder: z.string().optional(),
});
export type RespondentSettings = z.infer<typeof RespondentSettings>;

export type RespondContext = Omit<ProtocolContext<RespondentSettings>, "history">;

export type RespondentTurn = {
  readonly by: Participant;
  readonly respondent: Respondent;
  /** The turns before, with this respondent's own answers. */
  readonly history: readonly Turn[];
  readonly onLost?: () => void;
};

/** The second respondent's failure does not weaken the answer. */
type RespondOutcome = "answer-given" | "degradation-noted" | "reaction-failed";

/** Answers the question under `answer/<id>`, after `recall/<id>` where it may remember. */
export async function respond(
  context: RespondContext,
  { by, respondent, history, onLost }: RespondentTurn,
): Promise<Event<RespondOutcome>> {
  const { run, settings } = context;
  const { engrams, facts } = await recallMemory(context, by);
  const { contextTokens, callTimeoutMs: timeoutMs, maxTurns = Infinity } = settings;
  const persona = context.instructions(by);
  const params = modelParams(by, settings.maxOutputTokens);
  const requestWith = (shown: readonly Turn[]): ModelRequest => ({
    ...params,
    ...searchParams(by),
    messages: respondPrompt(context, {
      persona,
      history: shown,
      material: { question: context.question, context: context.context },
      facts,
      engrams,
    }),
    maxOutputTokens: Math.min(params.maxOutputTokens, Math.ceil((contextTokens ?? Infinity) / 2)),
    ...(contextTokens === undefined || settings.soft ? {} : { contextTokens }),
  });
  const shown =
    contextTokens === undefined
      ? history
      : await fitConversation(context, run, {
          ...{ by, history, contextTokens, maxTurns, timeoutMs },
          request: (turns) => withTools(requestWith(turns), settings.tools.specs),
        });
  const problem = contextOverflow(withTools(requestWith(shown), settings.tools.specs), "respond-context");
  if (problem !== null) {
    // A server would cut it silently, and the model would answer something else.
    const failure = { code: "context-too-long", message: problem } as const;
    return run.derive(
      {
        key: `answer/${by.id}`,
        outcomes: ["degradation-noted", "reaction-failed"],
        work: { kind: "answer", by: by.id },
        input: { request: requestWith(shown) },
      },
      () => missingAnswer({ by, respondent }, failure),
    );
  }
  const call = {
    work: { kind: "answer", by: by.id },
    request: requestWith(shown),
    timeoutMs,
    limitedBy: "respond-tokens",
    outcomes: ["answer-given", respondent === "A" ? "degradation-noted" : "reaction-failed"] as const,
  };
  const read = (reply: Call) => readAnswer(reply, { by, respondent });
  // A client's tools take the place of the own.
  if (respondent === "A" && hasClientTools(context))
    return writeAnswer<RespondOutcome>(context, { ...call, key: `answer/${by.id}` }, read);
  return speakWithTools<RespondOutcome>(context, run, {
    ...{ ...call, read, by: by.id },
    step: StepKey.parse(`answer/${by.id}`),
    tools: {
      ...settings.tools,
      ...(onLost ? { onLost } : {}),
      seen: [],
      use: (name, input, signal) =>
        isMemoryTool(name)
          ? useMemoryTool(context, { by, name, input, recall: settings.recall }, signal)
          : useTool(context, { name, input, specs: settings.tools.specs }, signal),
    },
  });
}

function readAnswer(
  call: Call,
  { by, respondent }: Pick<RespondentTurn, "by" | "respondent">,
): StepOutcome<RespondOutcome> {
  const failure = callFailure(call);
  if (failure || !call.ok) return missingAnswer({ by, respondent }, failure ?? NO_REPLY);
  const { reply: text } = call;
  return {
    type: "answer-given",
    data: { by: by.id, kind: "response", round: 1, text, final: readFinal(text, call), respondent },
  };
}

const NO_REPLY: Failure = { code: "unreadable", message: "" };

/** The second respondent's failure weakens nothing. */
function missingAnswer(
  { by, respondent }: Pick<RespondentTurn, "by" | "respondent">,
  failure: Failure,
): StepOutcome<"degradation-noted" | "reaction-failed"> {
  const noted = degradation({
    what: `the answer of ${by.persona.name}`,
    failure,
    participant: by.id,
    weakens: "there is no answer",
  });
  if (respondent === "A") return noted;
  const detail = { by: by.id };
  return { type: "reaction-failed", data: { code: "no-second-answer", why: noted.data.why, detail } };
}

/** What memory gives, recorded as it was given; empty where it may not be searched. */
async function recallMemory(
  { conversation, opening, ports, question, run, settings }: RespondContext,
  by: Participant,
): Promise<Pick<Event<"engrams-recalled">["data"], "engrams" | "facts">> {
  const { recall } = settings;
  if (!recall) return { engrams: [], facts: [] };
  const recalled = async (signal: AbortSignal): Promise<StepOutcome<"engrams-recalled">> => {
    const { organization } = opening;
    const { user, rules } = recall;
    const result = await ports.memory?.recall({ organization, user, question, rules, conversation }, signal);
    const { engrams, facts, how } = result ?? { engrams: [], facts: [], how: "there is no memory here" };
    return { type: "engrams-recalled", data: { for: by.id, engrams: [...engrams], facts: [...facts], how } };
  };
  const { data } = await run.effect(
    {
      key: `recall/${by.id}`,
      outcomes: ["engrams-recalled"],
      work: { kind: "recall", by: by.id },
      input: { question, recall },
      dry: () => recalled(run.signal),
    },
    recalled,
  );
  return data;
}

export const respondTemplate = defineTemplate(
  "respond",
  ["persona", "facts", "memories", "material"],
  texts.respond,
);

export type RespondPrompt = {
  readonly persona: string;
  /** The turns before this one, oldest first, with this respondent's own answers. */
  readonly history: readonly Turn[];
  readonly material: Material;
  /** Pinned by the person who asks. */
  readonly facts: readonly string[];
  /** Best first. */
  readonly engrams: readonly Recalled[];
};

/**
 * A respondent's prompt: instructions and pinned facts, then the conversation as turns of its own, then memories and the
 * question. What stays the same from turn to turn comes first, so that providers can cache it.
 */
export function respondPrompt(desk: Desk, prompt: RespondPrompt): Message[] {
  const { persona, history, material, facts, engrams } = prompt;
  const rendered = respondTemplate.render(desk, {
    persona,
    facts: facts
      .map((text, index) => fence(desk, { kind: "fact", label: String(index + 1), text }))
      .join("\n\n"),
    memories: engrams.map((engram) => engramText(desk, engram)).join("\n\n"),
    material: materialText(desk, material),
  });
  const turns = history.flatMap(({ question, answer, covers }): Message[] =>
    covers === undefined
      ? [
          { role: "user", text: question },
          { role: "assistant", text: answer },
        ]
      : [],
  );
  // What the template says to the system comes before the conversation, what it says to the user after it.
  const first = rendered.findIndex(({ role }) => role === "user");
  const system = rendered.slice(0, first);
  const [summary] = history.filter(({ covers }) => covers !== undefined);
  if (summary) {
    // In the system's message: many servers take one alone.
    const label = `of the first ${summary.covers} turns`;
    const told = fence(desk, { kind: "summary", label, text: summary.answer });
    const last = system.pop();
    system.push({ role: "system", text: last ? `${last.text}\n\n${told}` : told });
  }
  return [...system, ...turns, ...rendered.slice(first)];
}

const MARKS: { readonly [mark in Mark]: string } = {
  "good-example": "GOOD EXAMPLE",
  mixed: "MIXED",
  avoid: "AVOID: do not repeat this",
  unjudged: "not judged yet",
};

/** One memory entry as data: nothing of it, the critic's words included, stands outside its fence. */
function engramText(desk: Desk, { mark, grade, question, summary, feedback }: Recalled): string {
  const rated = grade === null ? "" : `, rated ${grade}/5`;
  const text = [
    `Question: ${question}`,
    `Answer: ${summary}`,
    ...(feedback === "" ? [] : [`Critic: ${feedback}`]),
  ].join("\n");
  return fence(desk, { kind: "memory", label: `${MARKS[mark]}${rated}`, text });
}
