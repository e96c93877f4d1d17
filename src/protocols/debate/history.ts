import type { Event, Participant, ParticipantId, Work } from "../../kernel/index.ts";
import { phase, type PhaseResult, type StepRunner } from "../../engine/index.ts";
import type { SummaryMethod, SummaryTask, Contribution } from "./summaries/method.ts";
import { findSummaryMethod } from "./summaries/index.ts";
import { summarizationFor } from "./settings.ts";
import { ownText, type DebateContext } from "./speak.ts";
import { summaryPrompt, historyText } from "./prompts/agents.ts";

// PAST-1. Each agent decides for itself, at the start of each round, whether what it went through is at its threshold.
// PAST-2. A summary is made anew from the whole of it, never from an earlier summary.
// PAST-3. A summary that fails is noted, and the history is used: nothing is lost with it.

/** Summaries of those whose perspective is at or over their threshold, all at once; nothing is asked of others. */
export async function summarizePerspectives(
  context: DebateContext,
  agents: readonly Participant[],
  { round, transcript }: { readonly round: number; readonly transcript: Transcript },
): Promise<ReadonlyMap<ParticipantId, RoundSummary>> {
  const due = agents.filter((agent) => {
    const own = findSummarization(context, agent);
    return (
      own && !own.method.perPrompt && isOverThreshold(context, agent, selectPerspective(transcript, agent.id))
    ); // PAST-1
  });
  if (due.length === 0) return new Map();
  const work = async (id: string, run: StepRunner): Promise<PhaseResult<Event<"summary-made">>> => {
    const agent = due.find((one) => one.id === id);
    const own = agent && findSummarization(context, agent);
    if (!own) throw new RangeError(`${id} summarises nothing`);
    const event = await makeSummary(context, run, {
      agent,
      method: own.method,
      key: `round-${round}/summary/${id}`,
      work: { kind: "summary", round, by: id },
      round,
      contributions: selectPerspective(transcript, agent.id), // PAST-2
      purpose: context.question,
    });
    return event.type === "summary-made" ? { in: true, value: event } : { in: false, why: event.data.why };
  };
  const done = await phase(
    context.run,
    { name: `round-${round}/summary`, work: { kind: "summary", round }, members: due.map(({ id }) => id) },
    work,
  );
  return new Map(done.in.map(({ value }) => [value.data.for, { round, text: value.data.text }]));
}

export type HistoryRequest = {
  readonly agent: Participant;
  /** The step whose prompt is being built. */
  readonly step: string;
  /** The kind of answer that the prompt asks for. */
  readonly kind: string;
  readonly round: number;
  readonly transcript: Transcript;
  /** What the prompt is about. */
  readonly purpose: string;
};

/** What an agent is reminded of in a prompt; undefined where there is nothing, or nothing is wanted. */
export async function buildHistory(
  context: DebateContext,
  { agent, step, kind, round, transcript, purpose }: HistoryRequest,
): Promise<string | undefined> {
  const own = findSummarization(context, agent);
  if (own?.method.perPrompt && isOverThreshold(context, agent, selectPerspective(transcript, agent.id))) {
    const everybody = own.method.takesAll && own.settings.scope === "all";
    const event = await makeSummary(context, context.run, {
      agent,
      method: own.method,
      key: `${step}/summary`,
      work: { kind: "summary", round, by: agent.id, of: kind },
      round,
      contributions: everybody ? transcript.entries : selectPerspective(transcript, agent.id),
      purpose,
    });
    if (event.type === "summary-made")
      return historyText(context, { summary: { round, text: event.data.text }, rounds: [] });
  }
  const { summary, contributions } = historyOf(transcript, agent.id);
  const shown = summary || context.settings.includeFullHistory ? contributions : [];
  if (!summary && shown.length === 0) return undefined;
  return historyText(context, { ...(summary ? { summary } : {}), rounds: byRound(shown) });
}

/** How this participant's perspective is summarised; undefined where it is not. */
export function findSummarization(context: DebateContext, { id }: Participant) {
  const settings = summarizationFor(context.settings, id);
  return settings.enabled
    ? { settings, method: findSummaryMethod(settings.method, context.methods) }
    : undefined;
}

export const isOverThreshold = (
  { settings }: DebateContext,
  { id }: Participant,
  contributions: readonly TranscriptEntry[],
): boolean => countCharacters(contributions) >= summarizationFor(settings, id).threshold;

export type SummaryRequest = {
  readonly agent: Participant;
  readonly method: SummaryMethod;
  readonly key: string;
  readonly work: Work;
  readonly round: number | undefined;
  readonly contributions: readonly TranscriptEntry[];
  readonly purpose: string;
  readonly prompt?: SummaryTask["prompt"];
};

/** One summary by an agent's method, with the ports that there are. */
export function makeSummary(
  context: DebateContext,
  run: StepRunner,
  { agent, method, key, work, round, contributions, purpose, prompt }: SummaryRequest,
): Promise<Event<"summary-made"> | Event<"degradation-noted">> {
  const { maxLength, semanticThreshold, embeddingModel, scope } = summarizationFor(
    context.settings,
    agent.id,
  );
  const persona = context.instructions(agent);
  const focus = ownText(context, "summary", agent);
  return method.summarize(
    run,
    {
      key,
      work,
      for: agent,
      round,
      contributions,
      charactersBefore: countCharacters(contributions),
      maxLength,
      purpose,
      prompt:
        prompt ??
        ((text, most) =>
          summaryPrompt(context, {
            text,
            maxLength: most,
            persona,
            ...(focus === undefined ? {} : { focus }),
          })),
      maxOutputTokens: context.settings.maxOutputTokens.summary,
      timeoutMs: context.settings.callTimeoutMs,
    },
    {
      embeddings: context.ports.embeddings?.(embeddingModel ?? null) ?? null,
      options: { semanticThreshold, scope },
    },
  );
}

/** The same, by round, in order. */
const byRound = (contributions: readonly TranscriptEntry[]) =>
  [...new Set(contributions.map(({ round }) => round))].map((round) => ({
    round,
    items: contributions.filter((one) => one.round === round).map(({ kind, text }) => ({ kind, text })),
  }));

// PERSPECTIVE-1. An agent's perspective is its own proposals, the critiques it received, and its refinements; nobody else's.
// PERSPECTIVE-2. A text counts once: a proposal that is a carried refinement is not told twice.
// PERSPECTIVE-3. A summary stands for all that came before the round at whose start it was made; what came since follows it verbatim.

/** A text of the debate: whose perspective it belongs to, and who wrote it. */
export type TranscriptEntry = Contribution & {
  /** Under which the others know who said it. */
  readonly label: string;
  /** In whose perspective it stands: the author's, or of a critique the criticised one's. */
  readonly of: ParticipantId;
};

/** A summary that was made for an agent at the start of a round. */
export type RoundSummary = { readonly round: number; readonly text: string };

/** All that was said so far, in the order of rounds, kinds and seats. */
export type Transcript = {
  readonly entries: readonly TranscriptEntry[];
  readonly summaries: ReadonlyMap<ParticipantId, readonly RoundSummary[]>;
};

export const EMPTY_TRANSCRIPT: Transcript = { entries: [], summaries: new Map() };

export const withEntries = (
  { entries: spoken, summaries }: Transcript,
  more: readonly TranscriptEntry[],
): Transcript => ({
  entries: [...spoken, ...more],
  summaries,
});

export const withSummaries = (
  { entries: spoken, summaries }: Transcript,
  made: ReadonlyMap<ParticipantId, RoundSummary>,
): Transcript => ({
  entries: spoken,
  summaries: new Map([
    ...summaries,
    ...[...made].map(([id, summary]) => [id, [...(summaries.get(id) ?? []), summary]] as const),
  ]),
});

/** What an agent has gone through, oldest first (PERSPECTIVE-1). */
const selectPerspective = ({ entries: spoken }: Transcript, id: ParticipantId): readonly TranscriptEntry[] =>
  spoken.filter(({ of }) => of === id);

/** What an agent is shown of it: its latest summary, found backwards, and what came since (PERSPECTIVE-3); else all of it. */
export type History = {
  readonly summary: RoundSummary | undefined;
  readonly contributions: readonly TranscriptEntry[];
};

function historyOf(transcript: Transcript, id: ParticipantId): History {
  const summary = transcript.summaries.get(id)?.at(-1);
  const all = selectPerspective(transcript, id);
  const contributions = summary ? all.filter(({ round }) => round >= summary.round) : all;
  return { summary, contributions };
}

const countCharacters = (contributions: readonly Contribution[]): number =>
  contributions.reduce((sum, { text }) => sum + text.length, 0);
