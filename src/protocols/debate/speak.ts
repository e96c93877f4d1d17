import type { Ending, Run } from "../../engine/index.ts";
import { ContextSearchInput, searchContext } from "../../judging/index.ts";
import {
  Json,
  type StepKey,
  type Call,
  type Event,
  type Message,
  type ModelRequest,
  type Participant,
  type ReplySchema,
} from "../../kernel/index.ts";
import { speaking } from "../../phases/draft.ts";
import { speakWithTools, withTools } from "../../phases/tool-turns.ts";
import type { DebateFloor } from "./brief.ts";
import type { Spoken, Transcript } from "./perspective.ts";

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
  withTools(requestWith(speech, speech.messages), toolsOf(floor, speech.agent).specs);

/** One agent's reply, with as many turns as its tools take. */
export function speak(
  floor: DebateFloor,
  run: Run,
  speech: Speaking,
): Promise<Event<Spoke | "degradation-noted">> {
  const { agent, step, messages, transcript, ends, read } = speech;
  return speakWithTools<Spoke | "degradation-noted">(floor, run, {
    by: agent.id,
    step,
    request: requestWith(speech, messages),
    timeoutMs: floor.settings.callTimeoutMs,
    tools: {
      ...toolsOf(floor, agent),
      seen: transcript.spoken.map((one) => one.step),
      use: (name, given, signal) => outcomeOf(floor, { name, given, spoken: transcript.spoken }, signal),
    },
    ends: [ends, "degradation-noted"],
    read,
  });
}

const requestWith = (
  { agent, maxOutputTokens, reply }: Speaking,
  messages: readonly Message[],
): ModelRequest => ({
  ...speaking(agent),
  messages: [...messages],
  maxOutputTokens,
  ...(reply ? { reply } : {}),
});

function toolsOf({ settings }: DebateFloor, { id }: Participant) {
  const own = settings.tools[id];
  const names: readonly string[] = own?.names ?? [];
  return { specs: settings.toolSpecs.filter(({ name }) => names.includes(name)), limit: own?.limit ?? 0 };
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
