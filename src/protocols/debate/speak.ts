import { extractRequirements } from "../../text/requirements.ts";
import {
  Json,
  type StepKey,
  type Call,
  type Event,
  type Message,
  type ModelRequest,
  type Participant,
  type ReplySchema,
  type Work,
} from "../../kernel/index.ts";
import { ContextSearchInput, searchContext } from "../../text/context-search.ts";
import type { StepOutcome, StepRunner, ProtocolContext } from "../../engine/index.ts";
import { speakWithTools, withTools } from "../phases/tool-turns.ts";
import { modelParams } from "../phases/draft.ts";
import type { SummaryMethod } from "./summaries/index.ts";
import type { DebateSettings } from "./settings.ts";
import type { TranscriptEntry, Transcript } from "./history.ts";

/** The events in which a turn may end. */
export type SpeechEventType = "answer-given" | "critique-given";

export type DebateSpeech = {
  readonly agent: Participant;
  readonly step: StepKey;
  readonly work: Work;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly reply?: ReplySchema;
  readonly outcome: SpeechEventType;
  /** What `context_search` looks through. */
  readonly transcript: Transcript;
  readonly read: (call: Call) => StepOutcome<SpeechEventType | "degradation-noted">;
};

/** What a step asks first; for what it may cost. */
export const speechRequest = (context: DebateContext, speech: DebateSpeech): ModelRequest =>
  withTools(requestWith(speech, speech.messages), agentTools(context, speech.agent).specs);

/** One agent's reply, with as many turns as its tools take. */
export function speak(
  context: DebateContext,
  run: StepRunner,
  speech: DebateSpeech,
): Promise<Event<SpeechEventType | "degradation-noted">> {
  const { agent, step, work, messages, transcript, outcome, read } = speech;
  return speakWithTools<SpeechEventType | "degradation-noted">(context, run, {
    by: agent.id,
    step,
    work,
    request: requestWith(speech, messages),
    timeoutMs: context.settings.callTimeoutMs,
    tools: {
      ...agentTools(context, agent),
      seen: transcript.entries.map((one) => one.step),
      use: (name, given, signal) => useTool(context, { name, given, spoken: transcript.entries }, signal),
    },
    outcomes: [outcome, "degradation-noted"],
    read,
  });
}

const requestWith = (
  { agent, maxOutputTokens, reply }: DebateSpeech,
  messages: readonly Message[],
): ModelRequest => ({
  ...modelParams(agent),
  messages: [...messages],
  maxOutputTokens,
  ...(reply ? { reply } : {}),
});

function agentTools({ settings }: DebateContext, { id }: Participant) {
  const own = settings.tools[id];
  const names: readonly string[] = own?.names ?? [];
  return { specs: settings.toolSpecs.filter(({ name }) => names.includes(name)), limit: own?.limit ?? 0 };
}

async function useTool(
  context: DebateContext,
  { name, given, spoken }: { name: string; given: Json; spoken: readonly TranscriptEntry[] },
  signal: AbortSignal,
): Promise<Json> {
  if (name === "context_search") return searchTranscript(spoken, given);
  const tools = await context.ports.tools?.(context.opening);
  if (!tools) return { error: "there is no folder to work in" };
  const outcome = await tools.call(name, given, signal);
  return outcome.ok ? outcome.result : { error: outcome.reason };
}

function searchTranscript(spoken: readonly TranscriptEntry[], given: Json): Json {
  const input = ContextSearchInput.safeParse(given);
  if (!input.success) return { error: 'it takes {"term": "…"}' };
  // Under labels, as everybody is known here.
  const texts = spoken.map(({ round, label, kind, text }) => ({ round, by: label, kind, text }));
  const found = searchContext(texts, input.data.term);
  return found.ok ? Json.parse({ total: found.total, hits: found.hits }) : { error: found.reason };
}

/** The protocol context, with the summary methods that settings may name. */
export type DebateContext = ProtocolContext<DebateSettings> & { readonly methods: readonly SummaryMethod[] };

export type Requirements = { readonly major: readonly string[]; readonly minor: readonly string[] };
export type Clarified = { readonly question: string; readonly answer: string };

/** What everybody is told, in these words: it stands first in every prompt, so that providers can cache it. */
export type Brief = {
  readonly material: DebateContext;
  readonly requirements: Requirements;
  readonly clarifications: readonly Clarified[];
};

/** Requirements first: what the problem says must and should be, recorded as `requirements`. */
export async function readRequirements({ run, question, context }: DebateContext): Promise<Requirements> {
  const problem = [question, ...context.map(({ text }) => text)].join("\n\n");
  const found = extractRequirements(problem);
  await run.derive(
    {
      key: "requirements",
      outcomes: ["requirements-read"],
      work: { kind: "requirements" },
      input: { problem },
    },
    () => ({
      type: "requirements-read",
      data: { major: [...found.major], minor: [...found.minor] },
    }),
  );
  return found;
}

/** A participant's own text of this kind, where the opening pins one: `summary/<id>`, `clarification/<id>`. */
export const ownText = (
  { opening, template }: DebateContext,
  kind: "summary" | "clarification",
  { id }: Participant,
): string | undefined => {
  const name = `${kind}/${id}`;
  return Object.hasOwn(opening.templates, name) ? template(name) : undefined;
};
