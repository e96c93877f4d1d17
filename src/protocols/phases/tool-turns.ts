import type { DryReply, StepOutcome, ReplyEventType, StepRunner } from "../../engine/index.ts";
import {
  callOf,
  canonical,
  Json,
  MAX_EVENT_BYTES,
  readSources,
  sourcesInResult,
  StepKey,
  type Call,
  type Event,
  type Message,
  type ModelRequest,
  type ParticipantId,
  type WebSource,
  type ToolCall,
  type ToolSpec,
  type Work,
} from "../../kernel/index.ts";
import { fence, type Desk } from "../../prompts/material.ts";
import { readToolLoss } from "./tools.ts";

// A step makes one call: what follows a tool's result is a step of its own, `<step>/turn-<n>`.
// A tool's result is data: it is fenced, and a tool that fails tells the model so instead of ending the turn.
// A participant that has used its calls up is asked without tools, so it has to answer.
// A reply is sent back with all of its calls; those beyond the limit are not made, and their results say so.
// A tool that throws, or whose result cannot be recorded, gives an error as its result and never ends the drive.
// A tool that could not be reached is a loss, named beside the answer.
// A tool has the time that the call which asks for it has left, and that the run has: whatever it does, its time being up is its result.

/** What one participant may call, and how often. */
export type ToolUse = {
  readonly specs: readonly ToolSpec[];
  /** Calls in all turns together. */
  readonly limit: number;
  /** What a tool's result depends on beside its name and arguments: part of its step's digest. */
  readonly seen: readonly string[];
  /** Makes a call that `specs` allows. Runs inside an effect. */
  use(name: string, input: Json, signal: AbortSignal): Promise<Json>;
  /** Called for each call whose tool could not be reached. */
  onLost?(): void;
  /** Those of the tools that search, and what takes the sources of the reply when it is whole. */
  readonly searching?: "own" | readonly string[] | undefined;
  onSources?(sources: readonly WebSource[]): void;
};

export type Speech<T extends ReplyEventType> = {
  readonly by: ParticipantId;
  readonly step: StepKey;
  readonly work: Work;
  /** Without its tools. */
  readonly request: ModelRequest;
  readonly timeoutMs: number;
  readonly limitedBy?: string;
  readonly dry?: DryReply;
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
  const { by, step, tools, work } = speech;
  const { specs, limit } = tools;
  /** By tool's call and by turn: what a tool found comes first, so that the order is that of the journal's steps. */
  const sources: { found: WebSource[][]; named: WebSource[][] } = { found: [], named: [] };
  const useTool = async (toolCall: ToolCall, nth: number, leftMs: number): Promise<Message> => {
    const { name } = toolCall;
    const input = parseArguments(toolCall);
    const called = (result: Json) =>
      ({ type: "tool-called", data: { by, tool: name, arguments: input, result } }) as const;
    const event = await run.effect(
      {
        key: `${step}/tool-${nth}`,
        outcomes: ["tool-called"],
        work: { ...work, nth },
        input: { name, arguments: input, seen: tools.seen },
        limit: {
          ms: leftMs,
          late: () => called({ error: "its time was up before it answered", lost: true }),
        },
        dry: ({ standIn }) => called(standIn(MAX_RESULT_LENGTH)),
      },
      async (signal) =>
        called(
          specs.some((spec) => spec.name === name)
            ? await resultOf(() => tools.use(name, input, signal), { input, signal })
            : { error: "there is no such tool" },
        ),
    );
    const why = readToolLoss(event.data.result);
    if (why !== undefined) await noteLoss({ name, nth, why });
    if (typeof tools.searching === "object" && tools.searching.includes(name))
      sources.found[nth] = sourcesInResult(event.data.result);
    return answerTo(toolCall, event.data.result);
  };
  const noteLoss = async ({ name, nth, why }: { name: string; nth: number; why: string }): Promise<void> => {
    const weakens = `${by} spoke without its result`;
    const data = { what: `the tool ${name} of ${by}`, why, weakens };
    tools.onLost?.();
    await run.derive(
      {
        key: `${step}/tool-${nth}/lost`,
        outcomes: ["degradation-noted"],
        work: { kind: "tool", by, nth },
        input: data,
      },
      () => ({ type: "degradation-noted", data }),
    );
  };
  const answerTo = ({ id, name }: ToolCall, result: Json): Message => {
    const text = JSON.stringify(result);
    return { role: "tool", id, text: fence(desk, { kind: "tool", label: name, text }) };
  };
  let { request } = speech;
  let used = 0;
  for (let turn = 1; ; turn += 1) {
    const allowed = used < limit ? specs : [];
    const key = turn === 1 ? step : StepKey.parse(`${step}/turn-${turn}`);
    const event = await run.call<T | "reply-received">(
      {
        key,
        outcomes: [...speech.outcomes, "reply-received"],
        work,
        request: withTools(request, allowed),
        timeoutMs: speech.timeoutMs,
        ...(speech.limitedBy === undefined ? {} : { limitedBy: speech.limitedBy }),
        ...(speech.dry === undefined ? {} : { dry: speech.dry }),
      },
      // `StepOutcome` distributes over the types that the step declares.
      (call) =>
        (listToolCalls(call, allowed).length > 0
          ? { type: "reply-received", data: { by, why: "it calls tools" } }
          : speech.read(call)) as StepOutcome<NoInfer<T | "reply-received">>,
    );
    const call = callOf(event);
    if (call?.ok) sources.named.push(call.sources ?? []);
    // The reader gives a `reply-received` where tools are called, and only there.
    if (event.type !== "reply-received" || !call) {
      tools.onSources?.(readSources([...sources.found.flat(), ...sources.named.flat()]));
      return event as Event<T>;
    }
    const toolCalls = listToolCalls(call, allowed);
    const { thinking } = call;
    const first = used;
    const leftMs = Math.max(0, speech.timeoutMs - call.latencyMs);
    used += toolCalls.length;
    const results = await Promise.all(
      toolCalls.map((toolCall, index) =>
        first + index < limit
          ? useTool(toolCall, first + index + 1, leftMs)
          : Promise.resolve(answerTo(toolCall, { error: `not called: the limit is ${limit} tool calls` })),
      ),
    );
    request = {
      ...request,
      messages: [
        ...request.messages,
        // Its own thinking goes back to it alone, because some providers refuse the results without.
        { role: "assistant", text: call.ok ? call.reply : "", toolCalls, ...(thinking && { thinking }) },
        ...results,
      ],
    };
  }
}

/** What a result counts in a dry run: the longest has 20,000 characters, each of which is a token where they are of another script. */
const MAX_RESULT_LENGTH = 60_000;

/** What an event holds besides a call's arguments and its result. */
const RESERVED_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 300;

/** A tool's result as it can be recorded. @throws what the tool throws once the signal has aborted */
async function resultOf(
  use: () => Promise<Json>,
  { input, signal }: { readonly input: Json; readonly signal: AbortSignal },
): Promise<Json> {
  try {
    const read = Json.safeParse(await use());
    if (!read.success) return { error: "its result is not JSON, or is nested too deep" };
    const result = read.data;
    canonical({ result }); // throws for what cannot be recorded
    const bytes = [input, result].reduce(
      (sum: number, value) => sum + new TextEncoder().encode(JSON.stringify(value)).length,
      0,
    );
    return bytes <= MAX_EVENT_BYTES - RESERVED_BYTES
      ? result
      : { error: `the result is too large: ${bytes} bytes with the arguments` };
  } catch (error) {
    if (signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { error: `the tool failed: ${message.slice(0, MAX_MESSAGE_LENGTH)}`.toWellFormed() };
  }
}

/** The tool calls of a reply that are answered; none where the model was not offered any tool. */
const listToolCalls = (call: Call, specs: readonly ToolSpec[]): ToolCall[] =>
  call.ok && specs.length > 0 ? [...(call.toolCalls ?? [])] : [];

/** The parsed arguments; what is not JSON, or is nested too deep to be recorded, stays a text, for the tool to refuse. */
function parseArguments({ arguments: written }: ToolCall): Json {
  try {
    const input = Json.parse(JSON.parse(written));
    canonical({ input: { arguments: input } }); // as the step's digest has it; throws where that could not be made
    return input;
  } catch {
    return written;
  }
}
