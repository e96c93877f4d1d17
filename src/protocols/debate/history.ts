import { phase, type Joined, type Run } from "../../engine/index.ts";
import type { Event, Participant, ParticipantId } from "../../kernel/index.ts";
import { historyText, summaryPrompt } from "../../prompts/index.ts";
import { ownText, type DebateFloor } from "./brief.ts";
import {
  historyOf,
  lengthOf,
  perspectiveOf,
  type Spoken,
  type Summarised,
  type Transcript,
} from "./perspective.ts";
import { summarizationOf } from "./settings.ts";
import { summaryMethodOf } from "./summaries/index.ts";
import type { SummaryMethod, SummaryTask } from "./summaries/method.ts";

// Y1. Each agent decides for itself, at the start of each round, whether what it went through is at its threshold.
// Y2. A summary is made anew from the whole of it, never from an earlier summary.
// Y3. A summary that fails is noted, and the history is used: nothing is lost with it.

/** Summaries of those whose perspective is at or over their threshold, all at once; nothing is asked of others. */
export async function summarise(
  floor: DebateFloor,
  agents: readonly Participant[],
  { round, transcript }: { readonly round: number; readonly transcript: Transcript },
): Promise<ReadonlyMap<ParticipantId, Summarised>> {
  const due = agents.filter((agent) => {
    const own = wayOf(floor, agent);
    return own && !own.method.perPrompt && isDue(floor, agent, perspectiveOf(transcript, agent.id)); // Y1
  });
  if (due.length === 0) return new Map();
  const work = async (id: string, run: Run): Promise<Joined<Event<"summary-made">>> => {
    const agent = due.find((one) => one.id === id);
    const own = agent && wayOf(floor, agent);
    if (!own) throw new RangeError(`${id} summarises nothing`);
    const event = await make(floor, run, {
      agent,
      method: own.method,
      key: `round-${round}/summary/${id}`,
      round,
      contributions: perspectiveOf(transcript, agent.id), // Y2
      purpose: floor.question,
    });
    return event.type === "summary-made" ? { in: true, value: event } : { in: false, why: event.data.why };
  };
  const done = await phase(
    floor.run,
    { name: `round-${round}/summary`, members: due.map(({ id }) => id) },
    work,
  );
  return new Map(done.in.map(({ value }) => [value.data.for, { round, text: value.data.text }]));
}

export type Remembering = {
  readonly agent: Participant;
  /** The step whose prompt is being built. */
  readonly step: string;
  readonly round: number;
  readonly transcript: Transcript;
  /** What the prompt is about. */
  readonly purpose: string;
};

/** What an agent is reminded of in a prompt; undefined where there is nothing, or nothing is wanted. */
export async function historyFor(
  floor: DebateFloor,
  { agent, step, round, transcript, purpose }: Remembering,
): Promise<string | undefined> {
  const own = wayOf(floor, agent);
  if (own?.method.perPrompt && isDue(floor, agent, perspectiveOf(transcript, agent.id))) {
    const everybody = own.method.takesAll && own.settings.scope === "all";
    const event = await make(floor, floor.run, {
      agent,
      method: own.method,
      key: `${step}/summary`,
      round,
      contributions: everybody ? transcript.spoken : perspectiveOf(transcript, agent.id),
      purpose,
    });
    if (event.type === "summary-made")
      return historyText(floor, { summary: { round, text: event.data.text }, rounds: [] });
  }
  const { summary, contributions } = historyOf(transcript, agent.id);
  const shown = summary || floor.settings.includeFullHistory ? contributions : [];
  if (!summary && shown.length === 0) return undefined;
  return historyText(floor, { ...(summary ? { summary } : {}), rounds: byRound(shown) });
}

/** How this participant's perspective is summarised; undefined where it is not. */
export function wayOf(floor: DebateFloor, { id }: Participant) {
  const settings = summarizationOf(floor.settings, id);
  return settings.enabled ? { settings, method: summaryMethodOf(settings.method, floor.methods) } : undefined;
}

export const isDue = (
  { settings }: DebateFloor,
  { id }: Participant,
  contributions: readonly Spoken[],
): boolean => lengthOf(contributions) >= summarizationOf(settings, id).threshold;

export type Making = {
  readonly agent: Participant;
  readonly method: SummaryMethod;
  readonly key: string;
  readonly round: number | undefined;
  readonly contributions: readonly Spoken[];
  readonly purpose: string;
  readonly prompt?: SummaryTask["prompt"];
};

/** One summary by an agent's method, with the ports that there are. */
export function make(
  floor: DebateFloor,
  run: Run,
  { agent, method, key, round, contributions, purpose, prompt }: Making,
): Promise<Event<"summary-made"> | Event<"degradation-noted">> {
  const { maxLength, semanticThreshold, embeddingModel, scope } = summarizationOf(floor.settings, agent.id);
  const persona = floor.instructions(agent);
  const focus = ownText(floor, "summary", agent);
  return method.summarise(
    run,
    {
      key,
      for: agent,
      round,
      contributions,
      charactersBefore: lengthOf(contributions),
      maxLength,
      purpose,
      prompt:
        prompt ??
        ((text, most) =>
          summaryPrompt(floor, {
            text,
            maxLength: most,
            persona,
            ...(focus === undefined ? {} : { focus }),
          })),
      maxOutputTokens: floor.settings.maxOutputTokens.summary,
      timeoutMs: floor.settings.callTimeoutMs,
    },
    {
      embeddings: floor.ports.embeddings?.(embeddingModel ?? null) ?? null,
      options: { semanticThreshold, scope },
    },
  );
}

/** The same, by round, in order. */
const byRound = (contributions: readonly Spoken[]) =>
  [...new Set(contributions.map(({ round }) => round))].map((round) => ({
    round,
    items: contributions.filter((one) => one.round === round).map(({ kind, text }) => ({ kind, text })),
  }));
