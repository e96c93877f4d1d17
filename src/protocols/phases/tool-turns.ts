import type { StepOutcome, ReplyEventType, StepRunner } from "../../engine/index.ts";
import {
  Json,
  StepKey,
  type Call,
  type Event,
  type Message,
  type ModelRequest,
  type ParticipantId,
  type ToolCall,
  type ToolSpec,
  type Work,
} from "../../kernel/index.ts";
import { fence, type Desk } from "../../prompts/material.ts";

// TOOL-1. A step makes one call: what follows a tool's result is a step of its own, `<step>/turn-<n>`.
// TOOL-2. A tool's result is data: it is fenced, and a tool that fails tells the model so instead of ending the turn.
// TOOL-3. A participant that has used its calls up is asked without tools, so it has to answer.

/** What one participant may call, and how often. */
export type ToolUse = {
  readonly specs: readonly ToolSpec[];
  /** Calls in all turns together. */
  readonly limit: number;
  /** What a tool's result depends on beside its name and arguments: part of its step's digest. */
  readonly seen: readonly string[];
  /** Makes a call that `specs` allows. Runs inside an effect. */
  use(name: string, input: Json, signal: AbortSignal): Promise<Json>;
};

export type Speech<T extends ReplyEventType> = {
  readonly by: ParticipantId;
  readonly step: StepKey;
  readonly work: Work;
  /** Without its tools. */
  readonly request: ModelRequest;
  readonly timeoutMs: number;
  readonly tools: ToolUse;
  readonly outcomes: readonly T[];
  readonly read: (call: Call) => StepOutcome<T>;
};

/** The request as it is sent while there are calls left. */
export const withTools = (request: ModelRequest, specs: readonly ToolSpec[]): ModelRequest =>
  specs.length > 0 ? { ...request, tools: [...specs] } : request;

/** Gets one participant's reply, with as many turns as its tools take. */
export async function speakWithTools<T extends ReplyEventType>(
  desk: Desk,
  run: StepRunner,
  speech: Speech<T>,
): Promise<Event<T>> {
  const { specs, limit } = speech.tools;
  let { request } = speech;
  let used = 0;
  for (let turn = 1; ; turn += 1) {
    const allowed = used < limit ? specs : []; // TOOL-3
    const key = turn === 1 ? speech.step : StepKey.parse(`${speech.step}/turn-${turn}`); // TOOL-1
    const event = await run.call<T | "reply-received">(
      {
        key,
        outcomes: [...speech.outcomes, "reply-received"],
        work: speech.work,
        request: withTools(request, allowed),
        timeoutMs: speech.timeoutMs,
      },
      // `StepOutcome` distributes over the types that the step declares.
      (call) =>
        (listToolCalls(call, allowed).length > 0
          ? { type: "reply-received", data: { by: speech.by, why: "it calls tools" } }
          : speech.read(call)) as StepOutcome<NoInfer<T | "reply-received">>,
    );
    const call = callOfReply(event);
    // The reader gives a `reply-received` where tools are called, and only there.
    if (!call) return event as Event<T>;
    const toolCalls = listToolCalls(call, allowed).slice(0, limit - used);
    const first = used;
    used += toolCalls.length;
    const results = await Promise.all(
      toolCalls.map((toolCall, index) => useTool(desk, run, { speech, toolCall, nth: first + index + 1 })),
    );
    request = {
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", text: call.ok ? call.reply : "", toolCalls },
        ...results,
      ],
    };
  }
}

/** The call of a reply that asks for tools. */
const callOfReply = (event: Event): Call | undefined =>
  event.type === "reply-received" ? event.data.call : undefined;

/** The tool calls of a reply that are answered; none where the model was not offered any tool. */
const listToolCalls = (call: Call, specs: readonly ToolSpec[]): ToolCall[] =>
  call.ok && specs.length > 0 ? [...(call.toolCalls ?? [])] : [];

type ToolStep = {
  readonly speech: Pick<Speech<ReplyEventType>, "by" | "step" | "tools" | "work">;
  readonly toolCall: ToolCall;
  readonly nth: number;
};

async function useTool(
  desk: Desk,
  run: StepRunner,
  { speech: { by, step, tools, work }, toolCall, nth }: ToolStep,
): Promise<Message> {
  const { name } = toolCall;
  const input = parseArguments(toolCall);
  const event = await run.effect(
    {
      key: `${step}/tool-${nth}`,
      outcomes: ["tool-called"],
      work: { ...work, nth },
      input: { name, arguments: input, seen: tools.seen },
    },
    async (signal) => ({
      type: "tool-called",
      data: {
        by,
        tool: name,
        arguments: input,
        result: tools.specs.some((spec) => spec.name === name)
          ? await tools.use(name, input, signal)
          : { error: "there is no such tool" },
      },
    }),
  );
  const text = JSON.stringify(event.data.result);
  return { role: "tool", id: toolCall.id, text: fence(desk, { kind: "tool", label: name, text }) }; // TOOL-2
}

/** The parsed arguments; what is not JSON stays a text, for the tool to refuse. */
function parseArguments({ arguments: written }: ToolCall): Json {
  try {
    return Json.parse(JSON.parse(written));
  } catch {
    return written;
  }
}
