import { phase, type PhaseResult, type StepRunner, findById } from "../../../../engine/index.ts";
import {
  personOf,
  type Event,
  type Participant,
  type ParticipantId,
  type Work,
} from "../../../../kernel/index.ts";
import { ownText, type DebateContext } from "./brief.ts";
import { historyText, ownSummaryPrompt, summaryPrompt } from "./prompts.ts";
import { summarizationFor } from "./settings.ts";
import {
  findSummaryMethod,
  type Contribution,
  type SummaryMethod,
  type SummaryTask,
} from "../../../../protocols/phases/summaries/index.ts";
import type { SummaryEvent } from "../../../../protocols/phases/summaries/method.ts";

// A summary is made anew from the whole perspective, never from an earlier summary.
// An agent's perspective is its own proposals, the critiques it received, and its refinements, no other texts.
// A text counts once: a proposal that is a carried refinement is not told twice.
// A summary stands for all rounds before the one at whose start it was made; later texts follow it verbatim.

/** A text of the debate. */
export type TranscriptEntry = Contribution & {
  readonly kind: Exclude<Contribution["kind"], "turn">;
  /** The label under which the others know its author. */
  readonly label: string;
  /** Whose perspective it is part of: the author's, or of a critique the criticized agent's. */
  readonly of: ParticipantId;
};

/** A summary that was made for an agent at the start of a round. */
export type RoundSummary = { readonly round: number; readonly text: string };

/** All texts so far, in the order of rounds, kinds and seats. */
export type Transcript = {
  readonly entries: readonly TranscriptEntry[];
  readonly summaries: ReadonlyMap<ParticipantId, readonly RoundSummary[]>;
};

export const EMPTY_TRANSCRIPT: Transcript = { entries: [], summaries: new Map() };

export const withEntries = (transcript: Transcript, more: readonly TranscriptEntry[]): Transcript => ({
  ...transcript,
  entries: [...transcript.entries, ...more],
});

export function withSummaries(
  { entries, summaries }: Transcript,
  made: ReadonlyMap<ParticipantId, RoundSummary>,
): Transcript {
  const added = [...made].map(([id, summary]) => [id, [...(summaries.get(id) ?? []), summary]] as const);
  return { entries, summaries: new Map([...summaries, ...added]) };
}

/** An agent's perspective, oldest first. */
const selectPerspective = ({ entries }: Transcript, id: ParticipantId): readonly TranscriptEntry[] =>
  entries.filter(({ of }) => of === id);

const countCharacters = (contributions: readonly Contribution[]): number =>
  contributions.reduce((sum, { text }) => sum + text.length, 0);

/** Summaries of the perspectives that are at or over their thresholds, all at once. */
export async function summarizePerspectives(
  context: DebateContext,
  agents: readonly Participant[],
  { round, transcript }: { readonly round: number; readonly transcript: Transcript },
): Promise<ReadonlyMap<ParticipantId, RoundSummary>> {
  const due = agents.flatMap((agent) => {
    const contributions = selectPerspective(transcript, agent.id);
    const method = dueMethod(context, agent, contributions);
    return method && !method.perPrompt ? [{ id: agent.id, agent, method, contributions }] : [];
  });
  if (due.length === 0) return new Map();
  const done = await phase(
    context.run,
    { name: `round-${round}/summary`, work: { kind: "summary", round }, members: due.map(({ id }) => id) },
    async (id, run): Promise<PhaseResult<Event<"summary-made">>> => {
      const event = await makeSummary(context, run, {
        ...findById(due, id),
        key: `round-${round}/summary/${id}`,
        work: { kind: "summary", round, by: id },
        round,
        purpose: context.question,
      });
      return event.type === "summary-made" ? { in: true, value: event } : { in: false, why: event.data.why };
    },
  );
  return new Map(done.in.map(({ value }) => [value.data.for, { round, text: value.data.text }]));
}

export type HistoryRequest = {
  readonly agent: Participant;
  readonly step: string;
  /** The kind of answer that the prompt asks for. */
  readonly kind: string;
  readonly round: number;
  readonly transcript: Transcript;
  /** What the prompt is about. */
  readonly purpose: string;
};

/** An agent's history in a prompt; undefined where there is none, or none is wanted. */
export async function buildHistory(
  context: DebateContext,
  { agent, step, kind, round, transcript, purpose }: HistoryRequest,
): Promise<string | undefined> {
  const perspective = selectPerspective(transcript, agent.id);
  const method = dueMethod(context, agent, perspective);
  if (method?.perPrompt) {
    const { scope } = summarizationFor(context.settings, agent.id);
    const event = await makeSummary(context, context.run, {
      agent,
      method,
      key: `${step}/summary`,
      work: { kind: "summary", round, by: agent.id, of: kind },
      round,
      contributions: method.takesAll && scope === "all" ? transcript.entries : perspective,
      purpose,
    });
    if (event.type === "summary-made")
      return historyText(context, { summary: { round, text: event.data.text }, rounds: [] });
  }
  const summary = transcript.summaries.get(agent.id)?.at(-1);
  const shown = summary || context.settings.includeFullHistory ? perspective : [];
  if (!summary && shown.length === 0) return undefined;
  const known = histories.get(transcript) ?? new Map<ParticipantId, string>();
  histories.set(transcript, known);
  const text = known.get(agent.id) ?? historyText(context, { summary, rounds: groupByRound(shown) });
  known.set(agent.id, text);
  return text;
}

/** An agent's whole history is the same in all of its prompts of a round. */
const histories = new WeakMap<Transcript, Map<ParticipantId, string>>();

const groupByRound = (contributions: readonly TranscriptEntry[]) =>
  [...new Set(contributions.map(({ round }) => round))].map((round) => ({
    round,
    items: contributions.filter((one) => one.round === round).map(({ kind, text }) => ({ kind, text })),
  }));

/** How these texts are summarized for a participant; undefined where they are not, or are below its threshold. */
export function dueMethod(
  { settings, methods }: DebateContext,
  { id, model }: Participant,
  contributions: readonly TranscriptEntry[],
): SummaryMethod | undefined {
  if (personOf(model) !== undefined) return undefined; // a person reads it whole
  const { enabled, method, threshold } = summarizationFor(settings, id);
  const own = enabled ? findSummaryMethod(method, methods) : undefined;
  return countCharacters(contributions) >= threshold ? own : undefined;
}

export type SummaryRequest = {
  readonly agent: Participant;
  readonly method: SummaryMethod;
  readonly key: string;
  readonly work: Work;
  readonly round: number | undefined;
  readonly contributions: readonly TranscriptEntry[];
  readonly purpose: string;
  /** The agents' prompt by default. */
  readonly prompt?: typeof summaryPrompt;
};

/** One summary by an agent's method. */
export function makeSummary(
  context: DebateContext,
  run: StepRunner,
  { agent, method, key, work, round, contributions, purpose, prompt = summaryPrompt }: SummaryRequest,
): Promise<SummaryEvent> {
  const { settings } = context;
  const { maxLength, semanticThreshold, embeddingModel } = summarizationFor(settings, agent.id);
  const persona = context.instructions(agent);
  const focus = ownText(context, "summary", agent);
  const own = ownText(context, "summary-prompt", agent);
  const task: SummaryTask = {
    key,
    work,
    for: agent,
    round,
    contributions,
    charactersBefore: countCharacters(contributions),
    maxLength,
    purpose,
    prompt: (text, maxLength) =>
      own === undefined
        ? prompt(context, { text, maxLength, persona, focus })
        : ownSummaryPrompt(context, { own, text, maxLength, persona }),
    maxOutputTokens: settings.maxOutputTokens.summary,
    timeoutMs: settings.callTimeoutMs,
  };
  return method.summarize(run, task, {
    embeddings: context.ports.embeddings?.(embeddingModel ?? null) ?? null,
    options: { semanticThreshold },
  });
}
