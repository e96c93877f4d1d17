import type { Ending, Run } from "../../engine/index.ts";
import { ContextSearchInput, searchContext } from "../../judging/index.ts";
import {
  Json,
  StepKey,
  type Call,
  type Event,
  type Message,
  type ModelRequest,
  type Participant,
  type ReplySchema,
  type ToolCall,
  type ToolSpec,
} from "../../kernel/index.ts";
import { fence } from "../../prompts/index.ts";
import { speaking } from "../phases/draft.ts";
import type { DebateFloor } from "./brief.ts";
import type { Spoken, Transcript } from "./perspective.ts";

// S1. One step, one call: what follows a tool's result is a step of its own, `<step>/turn-<n>`.
// S2. A tool's result is data: it is fenced, and a tool that fails says so to the model instead of ending the turn.
// S3. With its calls used up, an agent is asked without tools, so it has to answer.

/** The events in which a turn may end. */
export type Spoke = "answer-given" | "critique-given";

export type Speaking = {
  readonly agent: Participant;
  readonly step: StepKey;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly reply?: ReplySchema;
  readonly ends: Spoke;
  /** What `context_search` looks through. */
  readonly transcript: Transcript;
  readonly read: (call: Call) => Ending<Spoke | "degradation-noted">;
};

/** What a step asks first; for what it may cost. */
export const requestOf = (floor: DebateFloor, speech: Speaking): ModelRequest =>
  requestWith(speech, toolsOf(floor, speech.agent).specs, speech.messages);

/** One agent's reply, with as many turns as its tools take. */
export async function speak(
  floor: DebateFloor,
  run: Run,
  speech: Speaking,
): Promise<Event<Spoke | "degradation-noted">> {
  const { specs, limit } = toolsOf(floor, speech.agent);
  let messages = speech.messages;
  let used = 0;
  for (let turn = 1; ; turn += 1) {
    const may = used < limit ? specs : []; // S3
    const key = turn === 1 ? speech.step : StepKey.parse(`${speech.step}/turn-${turn}`); // S1
    const event = await run.call<Spoke | "degradation-noted" | "reply-received">(
      {
        key,
        ends: [speech.ends, "degradation-noted", "reply-received"],
        request: requestWith(speech, may, messages),
        timeoutMs: floor.settings.callTimeoutMs,
      },
      (call) =>
        wanted(call, may).length > 0
          ? { type: "reply-received", data: { by: speech.agent.id, why: "it calls tools" } }
          : speech.read(call),
    );
    if (event.type !== "reply-received") return event;
    const { call } = event.data;
    const calls = call ? wanted(call, may).slice(0, limit - used) : [];
    const first = used;
    used += calls.length;
    const results = await Promise.all(
      calls.map((asked, index) => useTool(floor, run, { speech, asked, nth: first + index + 1 })),
    );
    messages = [
      ...messages,
      { role: "assistant", text: call?.ok ? call.reply : "", toolCalls: calls },
      ...results,
    ];
  }
}

const requestWith = (
  { agent, maxOutputTokens, reply }: Speaking,
  specs: readonly ToolSpec[],
  messages: readonly Message[],
): ModelRequest => ({
  ...speaking(agent),
  messages: [...messages],
  maxOutputTokens,
  ...(reply ? { reply } : {}),
  ...(specs.length > 0 ? { tools: [...specs] } : {}),
});

function toolsOf({ settings }: DebateFloor, { id }: Participant) {
  const own = settings.tools[id];
  const names: readonly string[] = own?.names ?? [];
  return { specs: settings.toolSpecs.filter(({ name }) => names.includes(name)), limit: own?.limit ?? 0 };
}

/** The tool calls of a reply that may be answered; a model that calls what it was not given is not heard. */
const wanted = (call: Call, specs: readonly ToolSpec[]): readonly ToolCall[] =>
  call.ok && specs.length > 0 ? (call.toolCalls ?? []) : [];

type Using = {
  readonly speech: Pick<Speaking, "agent" | "step" | "transcript">;
  readonly asked: ToolCall;
  readonly nth: number;
};

async function useTool(
  floor: DebateFloor,
  run: Run,
  { speech: { agent, step, transcript }, asked, nth }: Using,
): Promise<Message> {
  const { name } = asked;
  const given = argumentsOf(asked);
  const event = await run.effect(
    {
      key: `${step}/tool-${nth}`,
      ends: ["tool-called"],
      input: { name, arguments: given, seen: transcript.spoken.map((one) => one.step) },
    },
    async (signal) => ({
      type: "tool-called",
      data: {
        by: agent.id,
        tool: name,
        arguments: given,
        result: toolsOf(floor, agent).specs.some((spec) => spec.name === name)
          ? await outcomeOf(floor, { name, given, spoken: transcript.spoken }, signal)
          : { error: "there is no such tool" },
      },
    }),
  );
  const text = JSON.stringify(event.data.result);
  return { role: "tool", id: asked.id, text: fence(floor, { kind: "tool", label: name, text }) }; // S2
}

/** As parsed; what is not JSON stays the text that it is, for the tool to refuse. */
function argumentsOf({ arguments: written }: ToolCall): Json {
  try {
    return Json.parse(JSON.parse(written));
  } catch {
    return written;
  }
}

async function outcomeOf(
  floor: DebateFloor,
  { name, given, spoken }: { name: string; given: Json; spoken: readonly Spoken[] },
  signal: AbortSignal,
): Promise<Json> {
  if (name === "context_search") return searched(spoken, given);
  const tools = await floor.ports.tools?.(floor.opening);
  if (!tools) return { error: "there is no folder to work in" };
  const outcome = await tools.call(name, given, signal);
  return outcome.ok ? outcome.result : { error: outcome.reason };
}

function searched(spoken: readonly Spoken[], given: Json): Json {
  const input = ContextSearchInput.safeParse(given);
  if (!input.success) return { error: 'it takes {"term": "…"}' };
  // Under labels, as everybody is known here.
  const texts = spoken.map(({ round, label, kind, text }) => ({ round, by: label, kind, text }));
  const found = searchContext(texts, input.data.term);
  return found.ok ? Json.parse({ total: found.total, hits: found.hits }) : { error: found.reason };
}
