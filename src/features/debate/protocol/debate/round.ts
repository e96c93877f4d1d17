import {
  type StepOutcome,
  countMajority,
  failedPart,
  fanOut,
  listAbsent,
  type Absent,
  type FanOut,
  type FanOutMember,
  type FanOutSpec,
} from "../../../../engine/index.ts";
import {
  Json,
  StepKey,
  type Event,
  type Message,
  type ModelRequest,
  type Participant,
  type ParticipantId,
  type WebSource,
  type Call,
} from "../../../../kernel/index.ts";
import type { ProblemPrompt } from "../problem.ts";
import { hasCoverage } from "../../../../replies/coverage.ts";
import { ContextSearchInput, searchContext } from "../../../../text/context-search.ts";
import { numberAnswers } from "../../../../protocols/phases/draft.ts";
import { modelParams, readFinal, readReply, searchParams } from "../../../../protocols/phases/reply.ts";
import type { SeatedDraft } from "../../../../protocols/phases/table.ts";
import {
  speakWithTools,
  withTools,
  type Speech,
  type ToolUse,
} from "../../../../protocols/phases/tool-turns.ts";
import { searchToolsOf, toolsOf, useTool } from "../../../../protocols/phases/tools.ts";
import type { DebateContext } from "./brief.ts";
import { buildHistory, type Transcript, type TranscriptEntry } from "./history.ts";
import { critiquePrompt, proposalPrompt, refinementPrompt, type RoundPrompt } from "./prompts.ts";
import { requiredProposals, type DebateSettings } from "./settings.ts";

// An agent without a proposal in round 1 is out of the debate; later, an answer that is not given again stands.

export type RoundSpec = {
  readonly round: number;
  readonly brief: ProblemPrompt;
  /** Up to the round before: what agents are reminded of. */
  readonly transcript: Transcript;
  /** With the texts of this round so far: what `context_search` searches. */
  readonly heard: Transcript;
  readonly labels: ReadonlyMap<ParticipantId, string>;
};

type SpeechEventType = "answer-given" | "critique-given";
type SpeechKind = "proposal" | "critique" | "refinement";
type SpeechMember = FanOutMember & {
  readonly by: Participant;
  readonly speech: Speech<SpeechEventType | "degradation-noted">;
  /** What its speech rests on, once it is given. */
  readonly found: { sources: readonly WebSource[] };
};

type Speeches = FanOut<SpeechMember, Event<SpeechEventType>>;

type SpeechWork = Pick<FanOutSpec<SpeechMember>, "quorum" | "least"> & {
  readonly kind: SpeechKind;
  readonly round: number;
};

/** Runs one phase of speeches, each under `round-<n>/<kind>/<member>`. */
function runSpeeches(
  context: DebateContext,
  { quorum, least, ...work }: SpeechWork,
  members: readonly SpeechMember[],
): Promise<Speeches> {
  const { patienceMs } = context.settings;
  const name = `round-${work.round}/${work.kind}`;
  return fanOut(
    context.run,
    { name, work, members, quorum: quorum ?? countMajority(members.length), least, patienceMs },
    async ({ speech }, run) => {
      const event = await speakWithTools(context, run, speech);
      return event.type === "degradation-noted" ? failedPart(event) : { in: true, value: event };
    },
  );
}

type SpeechPlan = {
  readonly agent: Participant;
  readonly kind: SpeechKind;
  /** Whom a critique is of. */
  readonly target?: ParticipantId;
  /** What the prompt is about. */
  readonly purpose: string;
  readonly prompt: (round: RoundPrompt) => Message[];
  readonly loss: { readonly what: string; readonly weakens: string };
  readonly read: (text: string, call: Extract<Call, { ok: true }>) => StepOutcome<SpeechEventType>;
};

async function planSpeech(
  context: DebateContext,
  { round, brief, transcript, heard }: RoundSpec,
  { agent, kind, target, purpose, prompt, loss, read }: SpeechPlan,
): Promise<SpeechMember> {
  const { maxOutputTokens, callTimeoutMs: timeoutMs } = context.settings;
  const id = target === undefined ? agent.id : `${agent.id}/of/${target}`;
  const step = StepKey.parse(`round-${round}/${kind}/${id}`);
  const work = { kind, round, by: agent.id, ...(target === undefined ? {} : { of: target }) };
  const history = await buildHistory(context, { kind, round, agent, step, transcript, purpose });
  const request: ModelRequest = {
    ...modelParams(agent, maxOutputTokens[kind]),
    ...(kind === "critique" ? {} : searchParams(agent)),
    messages: prompt({ ...brief, history, persona: context.instructions(agent) }),
  };
  const found: SpeechMember["found"] = { sources: [] };
  const searching = searchToolsOf(agent);
  const own = agentTools(context, agent, heard.entries);
  const tools = {
    ...own,
    // Nobody searches to criticize.
    specs: own.specs.filter(({ name }) => kind !== "critique" || !searching.includes(name)),
    searching,
    onSources: (all: readonly WebSource[]) => void (found.sources = all),
  };
  return {
    id,
    by: agent,
    found,
    request: withTools(request, tools.specs),
    speech: {
      by: agent.id,
      step,
      work,
      request,
      timeoutMs,
      limitedBy: kind === "critique" ? "review-tokens" : "draft-tokens",
      tools,
      outcomes: [kind === "critique" ? "critique-given" : "answer-given", "degradation-noted"],
      read: readReply<SpeechEventType>({ ...loss, participant: agent.id }, read),
    },
  };
}

function agentTools(
  context: DebateContext,
  { id }: Participant,
  entries: readonly TranscriptEntry[],
): ToolUse {
  const own = toolsOf(context.settings, id);
  return {
    ...own,
    onLost: () => void (context.losses.tools += 1),
    seen: entries.map(({ step }) => step),
    use: async (name, input, signal) =>
      name === "context_search"
        ? searchTranscript(entries, input)
        : useTool(context, { name, input, specs: own.specs }, signal),
  };
}

function searchTranscript(entries: readonly TranscriptEntry[], input: Json): Json {
  const read = ContextSearchInput.safeParse(input);
  if (!read.success) return { error: 'it takes {"term": "…"}' };
  // Under labels, as every agent is known here.
  const texts = entries.map(({ round, label, kind, text }) => ({ round, by: label, kind, text }));
  const result = searchContext(texts, read.data.term);
  return result.ok ? Json.parse({ total: result.total, hits: result.hits }) : { error: result.reason };
}

type RoundAnswers = { readonly seated: readonly SeatedDraft[]; readonly absent: readonly Absent[] };

/** New proposals of these agents; seated are those who gave one. */
export async function propose(
  context: DebateContext,
  spec: RoundSpec,
  agents: readonly Participant[],
): Promise<RoundAnswers> {
  const members = await Promise.all(
    agents.map((agent) =>
      planSpeech(context, spec, {
        ...planAnswer(spec, agent, "proposal"),
        purpose: context.question,
        prompt: (round) => proposalPrompt(context, round),
      }),
    ),
  );
  const quorum = requiredProposals(context.settings, agents.length);
  const phase = { kind: "proposal", round: spec.round, quorum, least: quorum } as const;
  const done = await runSpeeches(context, phase, members);
  return { seated: seatAnswers(context, spec, { speeches: done }), absent: listAbsent(done) };
}

/** A critique under the label of its author. */
export type Critique = {
  readonly of: ParticipantId;
  readonly label: string;
  readonly step: string;
  readonly text: string;
};

/** Every agent's critiques of the answers that the topology assigns to it. */
export async function criticize(
  context: DebateContext,
  spec: RoundSpec,
  seated: readonly SeatedDraft[],
): Promise<{ readonly critiques: readonly Critique[]; readonly absent: readonly Absent[] }> {
  const { round } = spec;
  const pairs = pairCritics(context.settings.topology, seated);
  const members = await Promise.all(
    pairs.map(({ critic: { by: agent }, target: { by: author, label, text, step, sources } }) =>
      planSpeech(context, spec, {
        agent,
        kind: "critique",
        target: author.id,
        purpose: text,
        prompt: (values) => critiquePrompt(context, { ...values, proposal: { label, text, sources } }),
        loss: {
          what: `the critique by ${agent.persona.name} of ${author.persona.name}`,
          weakens: "its author refines with one critique less",
        },
        read: (reply) => ({ type: "critique-given", data: { by: agent.id, of: step, text: reply } }),
      }),
    ),
  );
  // A later round is whole, or there is none.
  const least = context.settings.endsEarly && round > 1 ? members.length : undefined;
  const done = await runSpeeches(context, { kind: "critique", round, least }, members);
  const critiques = pairs.flatMap(({ critic, target }) => {
    const id = `${critic.by.id}/of/${target.by.id}`;
    const event = done.in.find(({ member }) => member.id === id)?.value;
    if (event?.type !== "critique-given") return [];
    const step = `round-${round}/critique/${id}`;
    return [{ of: target.by.id, label: critic.label, step, text: event.data.text }];
  });
  return { critiques, absent: listAbsent(done) };
}

/** The answers after every criticized agent refined its own, and who did. */
export async function refine(
  context: DebateContext,
  spec: RoundSpec,
  { seated, critiques }: { readonly seated: readonly SeatedDraft[]; readonly critiques: readonly Critique[] },
): Promise<RoundAnswers & { readonly refined: readonly ParticipantId[] }> {
  const criticized = seated.filter(({ by }) => critiques.some(({ of }) => of === by.id));
  const members = await Promise.all(
    criticized.map(({ by: agent, label, text, sources }) => {
      const received = critiques.filter(({ of }) => of === agent.id).map((critique) => critique.text);
      return planSpeech(context, spec, {
        ...planAnswer(spec, agent, "refinement"),
        purpose: [text, ...received].join("\n\n"),
        prompt: (round) =>
          refinementPrompt(context, { ...round, proposal: { label, text, sources }, critiques: received }),
      });
    }),
  );
  const done = await runSpeeches(context, { kind: "refinement", round: spec.round }, members);
  const refined = seatAnswers(context, spec, { speeches: done, before: seated });
  return {
    seated: seated.map((one) => refined.find(({ by }) => by.id === one.by.id) ?? one),
    refined: refined.map(({ by }) => by.id),
    absent: listAbsent(done),
  };
}

const planAnswer = (
  { round }: RoundSpec,
  agent: Participant,
  kind: "proposal" | "refinement",
): Pick<SpeechPlan, "agent" | "kind" | "loss" | "read"> => ({
  agent,
  kind,
  loss: {
    what: `the ${kind} of ${agent.persona.name} in round ${round}`,
    weakens:
      kind === "proposal" && round === 1 ? "the debate goes on without it" : "what it said before stands",
  },
  read: (text, call) => ({
    type: "answer-given",
    data: { by: agent.id, kind, round, text, final: readFinal(text, call), coverage: hasCoverage(text) },
  }),
});

/** The answers that were given, under their agents' labels, with what they and the answers `before` them rest on. */
function seatAnswers(
  context: Pick<DebateContext, "sources">,
  { labels }: RoundSpec,
  { speeches, before = [] }: { readonly speeches: Speeches; readonly before?: readonly SeatedDraft[] },
): readonly SeatedDraft[] {
  const found = speeches.in.flatMap(({ member: { by, found: own }, value: event }) => {
    if (event.type !== "answer-given" || !("step" in event.origin)) return [];
    const { text, final } = event.data;
    const { sources } = before.find((one) => one.by.id === by.id) ?? {};
    return [{ draft: { by, step: event.origin.step, text, final, sources }, sources: own.sources }];
  });
  const answers = numberAnswers(context.sources, found);
  context.sources.push(...answers.flatMap(({ sources = [] }) => sources));
  return answers.map((answer) => ({ ...answer, label: labels.get(answer.by.id) ?? "?" }));
}

/**
 * Who criticizes whom, in seat order. Of n agents: `full` n(n − 1) pairs; `ring` n, each the next one; `star`
 * 2(n − 1), the first agent and each of the others each other.
 */
export function pairCritics<T>(
  topology: DebateSettings["topology"],
  seated: readonly T[],
): readonly { readonly critic: T; readonly target: T }[] {
  const pairs = seated.flatMap((critic, from) =>
    seated.flatMap((target, to) => (from === to ? [] : [{ critic, target, from, to }])),
  );
  switch (topology) {
    case "full":
      return pairs;
    case "ring":
      return pairs.filter(({ from, to }) => to === (from + 1) % seated.length);
    case "star":
      return pairs.filter(({ from, to }) => from === 0 || to === 0);
  }
}

type RoundTexts = {
  readonly proposals: readonly SeatedDraft[];
  readonly critiques?: readonly Critique[];
  readonly refinements?: readonly SeatedDraft[];
};

/** A round's texts for the transcript, in the order of kinds and seats. */
export function transcriptEntries(
  round: number,
  { proposals, critiques = [], refinements = [] }: RoundTexts,
): readonly TranscriptEntry[] {
  const answers = (kind: "proposal" | "refinement", seated: readonly SeatedDraft[]): TranscriptEntry[] =>
    seated.map(({ by, step, text, label }) => ({ round, kind, of: by.id, step, text, label }));
  return [
    ...answers("proposal", proposals),
    ...critiques.map((critique) => ({ round, kind: "critique" as const, ...critique })),
    ...answers("refinement", refinements),
  ];
}
