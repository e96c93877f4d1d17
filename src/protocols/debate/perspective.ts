import type { ParticipantId } from "../../kernel/index.ts";
import type { Contribution } from "./summaries/method.ts";

// H1. An agent's perspective is its own proposals, the critiques it received, and its refinements; nobody else's.
// H2. A text counts once: a proposal that is a carried refinement is not told twice.
// H3. A summary stands for all that came before the round at whose start it was made; what came since follows it verbatim.

/** A text of the debate: whose perspective it belongs to, and who wrote it. */
export type Spoken = Contribution & {
  /** Under which the others know who said it. */
  readonly label: string;
  /** In whose perspective it stands: the author's, or of a critique the criticised one's. */
  readonly of: ParticipantId;
};

/** A summary that was made for an agent at the start of a round. */
export type Summarised = { readonly round: number; readonly text: string };

/** All that was said so far, in the order of rounds, kinds and seats. */
export type Transcript = {
  readonly spoken: readonly Spoken[];
  readonly summaries: ReadonlyMap<ParticipantId, readonly Summarised[]>;
};

export const EMPTY: Transcript = { spoken: [], summaries: new Map() };

export const withSpoken = ({ spoken, summaries }: Transcript, more: readonly Spoken[]): Transcript => ({
  spoken: [...spoken, ...more],
  summaries,
});

export const withSummaries = (
  { spoken, summaries }: Transcript,
  made: ReadonlyMap<ParticipantId, Summarised>,
): Transcript => ({
  spoken,
  summaries: new Map([
    ...summaries,
    ...[...made].map(([id, summary]) => [id, [...(summaries.get(id) ?? []), summary]] as const),
  ]),
});

/** What an agent has gone through, oldest first (H1). */
export const perspectiveOf = ({ spoken }: Transcript, id: ParticipantId): readonly Spoken[] =>
  spoken.filter(({ of }) => of === id);

/** What an agent is shown of it: its latest summary, found backwards, and what came since (H3); else all of it. */
export type History = {
  readonly summary: Summarised | undefined;
  readonly contributions: readonly Spoken[];
};

export function historyOf(transcript: Transcript, id: ParticipantId): History {
  const summary = transcript.summaries.get(id)?.at(-1);
  const all = perspectiveOf(transcript, id);
  const contributions = summary ? all.filter(({ round }) => round >= summary.round) : all;
  return { summary, contributions };
}

export const lengthOf = (contributions: readonly Contribution[]): number =>
  contributions.reduce((sum, { text }) => sum + text.length, 0);
