import { excerpt, splitPassages, type Passage } from "./passages.ts";
import { compareTexts, labelMethod, type Likeness } from "./likeness.ts";
import type { SummaryMethod } from "./method.ts";
import {
  distinctContributions,
  formatHeading,
  noteNothingToSummarize,
  SEPARATOR,
  summaryOutcome,
  formatSection,
} from "./summary.ts";

const name = "retrieval";

/** About so many passages at most: each is embedded. */
const MAX_PASSAGES = 2_000;

/**
 * No summary but a selection: the passages nearest to what the agent is asked for next, word for word, as many as fit,
 * in chronological order, each with its round and kind. No model is called; an effect, because embeddings lie outside:
 * a replay, which has none, believes the journal, and the embedding model is no part of the step's input.
 */
export const retrieval: SummaryMethod = {
  name,
  takesAll: true,
  perPrompt: true,
  summarize(run, task, { embeddings }) {
    const { key, maxLength, purpose } = task;
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    const texts = contributions.map(({ round, kind, step, text, label }) => ({
      round,
      kind,
      step,
      text,
      label,
    }));
    return run.effect(
      { key, outcomes: ["summary-made"], input: { purpose, texts, maxLength } },
      async (signal) => {
        const passages = splitPassages(contributions, MAX_PASSAGES);
        const likeness = await compareTexts(
          [purpose, ...passages.map(({ text }) => text)],
          embeddings,
          signal,
        );
        const text = selectFitting(rankPassages(passages, likeness), maxLength);
        return summaryOutcome(task, { method: labelMethod(name, likeness.by), text });
      },
    );
  },
};

type RankedPassage = { readonly at: number; readonly relevance: number; readonly passage: Passage };

/** Nearest to the purpose first, of equals the newest. */
const rankPassages = (passages: readonly Passage[], { between }: Likeness): readonly RankedPassage[] =>
  passages
    .map((passage, at) => ({ at, relevance: between(0, at + 1), passage }))
    .sort((one, other) => other.relevance - one.relevance || other.at - one.at);

/** As many of the first as fit together, each text once; of the first its beginning where none does. */
function selectFitting(candidates: readonly RankedPassage[], maxLength: number): string {
  const chosen = new Map<string, { readonly at: number; readonly piece: string }>();
  let room = maxLength;
  for (const { at, passage } of candidates) {
    const piece = formatPassage(passage);
    const takes = piece.length + (chosen.size > 0 ? SEPARATOR.length : 0);
    if (takes > room || chosen.has(passage.text)) continue;
    chosen.set(passage.text, { at, piece });
    room -= takes;
  }
  const [first] = candidates;
  if (chosen.size === 0) return first ? formatBeginning(first.passage, maxLength) : "";
  return [...chosen.values()]
    .sort((one, other) => one.at - other.at)
    .map(({ piece }) => piece)
    .join(SEPARATOR);
}

function formatBeginning({ of, text }: Passage, maxLength: number): string {
  const heading = formatHeading(of);
  const room = maxLength - formatSection({ heading, text: "" }).length;
  return excerpt(formatSection({ heading, text: excerpt(text, room) }), maxLength);
}

const formatPassage = ({ of, text }: Passage): string => formatSection({ heading: formatHeading(of), text });
