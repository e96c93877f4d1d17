import { type PhaseWork } from "../../engine/index.ts";
import { hasCoverage } from "../../replies/coverage.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import {
  StepKey,
  type Call,
  type Event,
  type Message,
  type ParticipantId,
  type Work,
} from "../../kernel/index.ts";
import { critiquePrompt, proposalPrompt, refinementPrompt } from "./prompts/agents.ts";
import { emptyReplyFailure, type Draft } from "../phases/draft.ts";
import { failedPart, fanOut, type FanOutMember } from "../phases/fan-out.ts";
import { degradation, type Absence } from "../phases/loss.ts";
import { countMajority } from "../phases/control.ts";
import {
  type Brief,
  type DebateContext,
  speechRequest,
  speak,
  type DebateSpeech,
  type SpeechEventType,
} from "./speak.ts";
import { buildHistory, type TranscriptEntry, type Transcript } from "./history.ts";
import { requiredProposals } from "./settings.ts";
import { pairCritics } from "./config.ts";

// DEBATE-1. Everything inside of a phase runs at once; a phase waits for all that it needs and for nothing else.
// DEBATE-2. Who has no proposal in round 1 is out of the debate; later, what an agent does not give again stands.
// DEBATE-3. A critique that fails is missing and noted; who received none refines nothing.

/** An agent at the table: its answer as it stands, under the label that the others know. */
export type Seated = Draft & { readonly label: string };

export type RoundSpec = {
  readonly round: number;
  readonly brief: Brief;
  /** Up to the round before: what agents are reminded of. */
  readonly transcript: Transcript;
  /** With what was said in this round: what `context_search` looks through. */
  readonly heard: Transcript;
  readonly labels: ReadonlyMap<ParticipantId, string>;
};

type SpeechMember = { readonly id: string; readonly speech: DebateSpeech };

/** A part of a phase that nobody spoke. */
export type AbsentSpeaker = Absence & { readonly id: string };

/** One phase of speeches, each `round-<n>/<kind>/<part>`; who spoke, by part. */
async function runSpeeches(
  context: DebateContext,
  {
    work,
    parts,
    quorum = countMajority(parts.length),
  }: {
    readonly work: PhaseWork & { readonly round: number };
    readonly parts: readonly SpeechMember[];
    readonly quorum?: number;
  },
): Promise<{
  readonly given: ReadonlyMap<string, Event<SpeechEventType>>;
  readonly absent: readonly AbsentSpeaker[];
}> {
  const done = await fanOut<FanOutMember & SpeechMember, Event<SpeechEventType>>(
    context.run,
    {
      name: `round-${work.round}/${work.kind}`,
      work,
      members: parts.map((part) => ({ ...part, request: speechRequest(context, part.speech) })),
      quorum,
      patienceMs: context.settings.patienceMs,
    },
    async ({ speech }, run) => {
      const event = await speak(context, run, speech);
      return event.type === "degradation-noted" ? failedPart(event) : { in: true, value: event };
    },
  );
  return {
    given: new Map(done.in.map(({ member, value }) => [member.id, value])),
    absent: [...done.out, ...done.cut].map(({ member: { id }, ...absence }) => ({ id, ...absence })),
  };
}

/** Proposals of these agents, made anew; who gave one, as it stands now. */
export async function propose(
  context: DebateContext,
  spec: RoundSpec,
  agents: readonly Draft["by"][],
): Promise<{ readonly seated: readonly Seated[]; readonly absent: readonly AbsentSpeaker[] }> {
  const { round, brief, transcript } = spec;
  const parts = await Promise.all(
    agents.map(async (agent): Promise<SpeechMember> => {
      const step = StepKey.parse(`round-${round}/proposal/${agent.id}`);
      const work = { kind: "proposal", round, by: agent.id };
      const history = await buildHistory(context, {
        ...work,
        agent,
        step,
        transcript,
        purpose: context.question,
      });
      const messages = proposalPrompt(context, { ...brief, history, persona: context.instructions(agent) });
      return answerSpeech(context, { spec, agent, step, work, messages, kind: "proposal" });
    }),
  );
  const quorum = requiredProposals(context.settings, agents.length);
  const { given, absent } = await runSpeeches(context, { work: { kind: "proposal", round }, parts, quorum });
  return { seated: seatAnswers(spec, agents, given), absent };
}

/** Critiques of what stands, each agent's of those whom the topology gives it; by whom they are about. */
export async function criticize(
  context: DebateContext,
  spec: RoundSpec,
  seated: readonly Seated[],
): Promise<{ readonly critiques: readonly Critique[]; readonly absent: readonly AbsentSpeaker[] }> {
  const { round, brief, transcript, heard } = spec;
  const pairs = pairCritics(context.settings.topology, seated);
  const parts = await Promise.all(
    pairs.map(async ({ critic, target }): Promise<SpeechMember> => {
      const agent = critic.by;
      const id = `${agent.id}/of/${target.by.id}`;
      const step = StepKey.parse(`round-${round}/critique/${id}`);
      const work = { kind: "critique", round, by: agent.id, of: target.by.id };
      const history = await buildHistory(context, { ...work, agent, step, transcript, purpose: target.text });
      const messages = critiquePrompt(context, {
        ...brief,
        proposal: { label: target.label, text: target.text },
        history,
        persona: context.instructions(agent),
      });
      const what = `the critique by ${agent.persona.name} of ${target.by.persona.name}`;
      return {
        id,
        speech: {
          agent,
          step,
          work,
          messages,
          transcript: heard,
          maxOutputTokens: context.settings.maxOutputTokens.critique,
          outcome: "critique-given",
          read: (call) => {
            const failure = failureOf(call);
            if (failure) {
              const weakens = "its author refines with one critique less";
              return degradation({ what, failure, participant: agent.id, weakens });
            }
            return {
              type: "critique-given",
              data: { by: agent.id, of: target.step, text: call.ok ? call.reply : "" },
            };
          },
        },
      };
    }),
  );
  const { given, absent } = await runSpeeches(context, { work: { kind: "critique", round }, parts });
  const critiques = pairs.flatMap(({ critic, target }) => {
    const step = `round-${round}/critique/${critic.by.id}/of/${target.by.id}`;
    const event = given.get(`${critic.by.id}/of/${target.by.id}`);
    return event?.type === "critique-given"
      ? [{ of: target.by.id, label: critic.label, step, text: event.data.text }]
      : [];
  });
  return { critiques, absent };
}

/** A critique under the label of who made it. */
export type Critique = {
  readonly of: ParticipantId;
  readonly label: string;
  readonly step: string;
  readonly text: string;
};

/** What stands after everybody answered the critiques it received, and who did. */
export async function refine(
  context: DebateContext,
  spec: RoundSpec,
  { seated, critiques }: { readonly seated: readonly Seated[]; readonly critiques: readonly Critique[] },
): Promise<{
  readonly seated: readonly Seated[];
  readonly refined: readonly ParticipantId[];
  readonly absent: readonly AbsentSpeaker[];
}> {
  const { round, brief, transcript } = spec;
  const criticised = seated.filter(({ by }) => critiques.some(({ of }) => of === by.id)); // DEBATE-3
  const parts = await Promise.all(
    criticised.map(async ({ by: agent, label, text }): Promise<SpeechMember> => {
      const step = StepKey.parse(`round-${round}/refinement/${agent.id}`);
      const received = critiques.filter(({ of }) => of === agent.id).map((critique) => critique.text);
      const purpose = [text, ...received].join("\n\n");
      const work = { kind: "refinement", round, by: agent.id };
      const history = await buildHistory(context, { ...work, agent, step, transcript, purpose });
      const messages = refinementPrompt(context, {
        ...brief,
        proposal: { label, text },
        critiques: received,
        history,
        persona: context.instructions(agent),
      });
      return answerSpeech(context, { spec, agent, step, work, messages, kind: "refinement" });
    }),
  );
  const { given, absent } = await runSpeeches(context, { work: { kind: "refinement", round }, parts });
  const anew = seatAnswers(
    spec,
    criticised.map(({ by }) => by),
    given,
  );
  return {
    seated: seated.map((one) => anew.find(({ by }) => by.id === one.by.id) ?? one), // DEBATE-2
    refined: anew.map(({ by }) => by.id),
    absent,
  };
}

type AnswerSpeech = {
  readonly spec: RoundSpec;
  readonly agent: Draft["by"];
  readonly step: StepKey;
  readonly work: Work;
  readonly messages: readonly Message[];
  readonly kind: "proposal" | "refinement";
};

function answerSpeech(
  { settings }: DebateContext,
  { spec: { round, heard }, agent, step, work, messages, kind }: AnswerSpeech,
): SpeechMember {
  const what = `the ${kind} of ${agent.persona.name} in round ${round}`;
  const weakens =
    kind === "proposal" && round === 1 ? "the debate goes on without it" : "what it said before stands";
  return {
    id: agent.id,
    speech: {
      agent,
      step,
      work,
      messages,
      transcript: heard,
      maxOutputTokens: settings.maxOutputTokens[kind],
      outcome: "answer-given",
      read: (call) => {
        const failure = failureOf(call);
        if (failure) return degradation({ what, failure, participant: agent.id, weakens });
        const text = call.ok ? call.reply : "";
        const final = extractAnswer(text);
        return {
          type: "answer-given",
          data: { by: agent.id, kind, round, text, final, coverage: hasCoverage(text) },
        };
      },
    },
  };
}

/** The answers that were given, at the table. */
function seatAnswers(
  { labels }: RoundSpec,
  agents: readonly Draft["by"][],
  given: ReadonlyMap<string, Event<SpeechEventType>>,
): readonly Seated[] {
  return agents.flatMap((by) => {
    const event = given.get(by.id);
    if (event?.type !== "answer-given" || !("step" in event.origin)) return [];
    const { text, final } = event.data;
    return [{ by, step: event.origin.step, text, final, label: labels.get(by.id) ?? "?" }];
  });
}

const failureOf = (call: Call) => (call.ok ? emptyReplyFailure(call.reply) : call.failure);

/** What of a round enters the transcript, in the order of kinds and seats. */
export const transcriptEntries = (
  round: number,
  {
    proposals,
    critiques,
    refinements,
  }: {
    readonly proposals: readonly Seated[];
    readonly critiques: readonly Critique[];
    readonly refinements: readonly Seated[];
  },
): readonly TranscriptEntry[] => [
  ...proposals.map(({ by, step, text, label }) => ({
    round,
    kind: "proposal" as const,
    of: by.id,
    step,
    text,
    label,
  })),
  ...critiques.map(({ of, step, text, label }) => ({
    round,
    kind: "critique" as const,
    of,
    step,
    text,
    label,
  })),
  ...refinements.map(({ by, step, text, label }) => ({
    round,
    kind: "refinement" as const,
    of: by.id,
    step,
    text,
    label,
  })),
];
